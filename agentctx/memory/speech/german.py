"""German speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    ich_(?:\w+_)?bevorzuge bevorzug\w+ ich_mag mir_(?:gefällt|gefallen|ist_lieber)
    lieber ich_hasse vorliebe präferenz: am_liebsten
    ich_(?:möchte|will|wünsche_mir)_(?:\w+_)?(?:keine[nrms]?|nie)_(?!.*(?<!\w)(?:jetzt\
    |heute|dies\w+|zeit|fehler|probleme?|ärger|hilfe)(?!\w))\w+
    ich_(?:möchte|will)_nicht,?_dass_(?!.*(?<!\w)(?:jetzt|heute|dies\w+)(?!\w))\w+
    """,
    durable=r"""
    immer(?!_(?:noch|wieder|mehr|weniger|öfter)(?!\w)) nie niemals künftig zukünftig
    ab_(?:jetzt|sofort|heute) von_nun_an in_zukunft
    jedes_mal grundsätzlich stets ausnahmslos auf_keinen_fall standardmäßig dauerhaft
    verboten alle_neuen
    wann_immer nie_wieder
    (?:frag|frage|fragen_sie|warn|warne|konsultiere)_mich,?_(?:(?:immer|zuerst|erst\
    |vorher),?_)?bevor_\
    (?!.*(?<!\w)dies\w+)\w+
    bevor_(?:du|sie|ihr)_(?!.*(?<!\w)dies\w+)[^,]{3,80},_(?:frag|frage|fragen_sie|warn\
    |warne)_(?:mich|bitte)
    hör\w*_(?:bitte_)?(?:damit_)?auf,?_(?!.*(?<!\w)dies\w+)\
    (?:\w+_){0,5}(?:zu_(?:verwenden|benutzen|nutzen|schreiben\
    |ändern|entschuldigen|erstellen)|hinzuzufügen|einzufügen|einzubauen)
    ^(?:bitte_)?keine?n?_\w+_mehr(?!.*(?<!\w)(?:haben|gibt|da|ist|sind)(?!\w))
    ^(?:verwende|benutze|nutze|schreibe?|mach|mache|setze\
    |füge)_(?:bitte_)?keine?n?_\w+_mehr
    vor_(?:jedem|jeder|jedes)
    """,
    decision=r"""
    (?:wir|ich)_haben?_(?:uns_|mich_)?(?:\w+_){0,4}(?:entschieden|beschlossen|geeinigt\
    |festgelegt) wir_nehmen(?!_uns) (?:wir|ich)_entscheiden?_(?:uns|mich)_für
    entscheidung: beschlossen:
    lass(?:t)?_uns_(?:\w+_){1,6}(?:verwenden|nehmen|nutzen|benutzen|bleiben|wechseln\
    |umsteigen|behalten)
    wir_(?:bleiben_bei|wechseln_(?:zu|auf)|steigen_auf|setzen_auf|verzichten_auf\
    |verwenden_ab|werden_(?:\w+_){1,6}(?:verwenden|nutzen|einsetzen))
    wir_unterstützen_(?:\w+_){1,4}nicht_mehr wir_verwenden_(?:\w+_){0,4}nicht_mehr
    """,
    proposal=r"""
    ich_(?:schlage|empfehle|würde) vorschlag: empfehlung: wir_(?:könnten|sollten)
    lass(?:t)?_uns wie_wäre_es am_besten
    """,
    local=r"""
    hier(?!,?_(?:on|il|elle|nous|soir|j'|ist_(?:das|der|die)))
    (?:in|für)_dies(?:er|em|e|en)_(?:datei|modul|funktion|klasse|methode|patch|test\
    |fall|commit|branch|stelle|zeile|änderung|skript|ordner|pr) an_dieser_stelle
    nur_hier
    """,
    temporary=r"""
    diesmal dieses_(?:eine_)?mal vorerst vorläufig fürs_erste erstmal nur_heute einmalig
    (?:in|für)_diese[rs]?_(?:antwort|sitzung) im_moment zurzeit momentan vorübergehend
    """,
    question=r"""
    ^(?:wie|warum|was|wann|wer|welche[rs]?|sollen_wir|sollten_wir|können_wir|kannst_du\
    |soll_ich)
    """,
    undecided=r"""
    noch_nicht_(?:entschieden|sicher|klar|festgelegt) noch_(?:offen|unklar)
    (?:bin|sind)_(?:uns_|mir_)?(?:noch_)?(?:nicht_sicher|unsicher|unschlüssig)
    unentschieden überleg\w+ vielleicht möglicherweise ob_(?:wir|ich|man) abwägen
    diskutieren nicht_entschieden falls_wir weiß_(?:noch_)?nicht eventuell
    (?:man_kann|wir_können|du_kannst|wir_könnten|man_könnte|du_könntest)_immer
    """,
    report=r"""
    (?:doku\w*|dokumentation|readme|handbuch|anleitung|artikel|blog|kolleg\w+|chef|er\
    |sie|jemand|leute|wiki|log|fehlermeldung|kunde|richtlinie)_(?:\w+_){0,3}(?:sagt\
    |sagte|sagen|steht|schreibt|schrieb|empfiehlt|empfahl|behauptet|meint|meinte\
    |verlangt|rät) laut_(?:der_|dem_|den_)?\w+ angeblich früher_\w+ damals
    in_der_doku\w*_steht
    """,
    denied=r"""
    (?:habe|haben)_(?:ich_|wir_)?(?:nie|niemals|nicht)_(?:\w+_){0,2}(?:gesagt|verlangt\
    |gebeten|behauptet|gemeint) ich_sage_nicht
    (?:ist|war)_keine_(?:entscheidung|regel|vorgabe) mir_(?:ist_(?:das_|es_)?)?egal
    keine_(?:vorliebe|präferenz)
    nicht_(?:immer|jedes_mal|unbedingt|zwingend)
    """,
    example=r"""
    ^zum_beispiel ^z\.?\s?b\.? beispiel: ^angenommen nehmen_wir_an ein_satz_wie
    wenn_jemand_(?:sagt|schreibt)
    """,
    fact=r"""
    (?:schlägt|schlagen|stürzt|stürzen|hängt|hängen|bricht|brechen|läuft|laufen\
    |funktioniert|funktionieren|gibt|liefert)_(?:\w+_){0,2}(?:immer|nie|jedes_mal)
    immer_(?:fehl|ab|langsam)(?!_\w+en$)
    ^(?:repariere|behebe|lösche|finde|entferne|fixe)_[^.]*,_(?:der|die|das)_(?:immer\
    |nie)
    """,
    artefact=r"""
    datei(?:en)? funktion(?:en)? klassen? methoden? modul(?:e)? variablen? konfiguration
    tabellen? felder tests? code datenbank dienst(?:e)? skripte? projekt cache server
    build
    """,
    state=r"""
    ist sind hat liegt enthält gibt_zurück verwendet liefert derzeit aktuell befindet
    läuft ruft speichert
    """,
    duty=r"""
    muss müssen soll sollen sollte bitte
    musst müsst sollst sollten darf darfst dürfen
    """,
    order=r"""
    ^(?:(?:bitte|und|aber|also),?_)*(?:immer|nie|niemals|stets|grundsätzlich|künftig\
    |zukünftig\
    |ab_(?:jetzt|sofort)|von_nun_an|in_zukunft|auf_keinen_fall)_(?!(?:ist|sind|hat|war\
    |wird\
    |schlägt|stürzt|läuft|gibt|liefert|enthält|wenn)(?!\w))\w+
    ^(?:bitte_)?(?:schreib|verwend|nutz|benutz|prüf|füg|lass|nimm|mach|halt|sortier\
    |formatier|test|frag|acht|stell|setz|leg|gib|lösch|änder|führ|benenn|dokumentier\
    |kommentier|behandl|erklär|antwort|zeig|vermeid|sag|speicher|importier|installier\
    |behalt|aktualisier|ruf|start|erstell|erwähn|berühr|fass|committ|push)(?:e\
    |en_sie)?_\w+
    (?:immer_wenn|jedes_mal,?_wenn|wann_immer)_[^,]*,_(?:bitte_)?(?:schreib|verwend\
    |prüf\
    |füg|mach|frag|führ|aktualisier|erstell|ergänz|leg|zeig|sag|start|teste|ruf\
    |pass)e?(?!\w)
    wir_(?:\w+_){1,4}(?:immer|nie|niemals|stets|grundsätzlich)
    """,
    request=r"""
    (?:könntest|würdest|könnten|würden|könntet|würdet)_(?:du|sie|ihr)_(?:bitte_)?\
    (?:(?!(?:der|die|das|den|dem|erklären|sagen|warum)(?!\w))\w+_){0,3}(?:immer|nie\
    |niemals\
    |künftig|zukünftig|stets|ab_jetzt|ab_sofort|in_zukunft|von_nun_an|grundsätzlich)\
    (?!_(?:fehl|rot|noch)\w*)(?!.*(?<!\w)(?:erklären|sagen|erläutern|warum)(?!\w))_\w+
    kannst_du_bitte_(?:(?!(?:der|die|das|den|dem)(?!\w))\w+_){0,3}(?:immer|nie|niemals\
    |künftig|stets|ab_jetzt|in_zukunft)(?!_(?:fehl|rot|noch)\w*)\
    (?!.*(?<!\w)(?:erklären|sagen|erläutern|warum)(?!\w))_\w+
    """,
    acknowledgement=r"""
    ja jawohl klar genau(?:_so)? gut einverstanden okay passt super alles_klar
    in_ordnung gerne stimmt richtig danke bitte
    mach(?:t|en_wir)?_(?:das|es|das_so|es_so|so) so_machen_wir(?:_das|_es)? das_passt
    klingt_gut abgemacht machen_wir
    """,
    opening=r"""
    künftig zukünftig ab_(?:jetzt|sofort) von_nun_an in_zukunft
    """,
    turn=r"aber jedoch allerdings zum_beispiel",
    plain=r"""
    verwenden verwendet verwende nutzen nutzt benutzen benutzt nutzer benutzer projekt
    bevorzugt bevorzuge entschieden entscheidung immer nie niemals künftig soll sollen
    muss müssen werden wird wir ich nur statt keine kein nicht alle der die das den dem
    ein eine einen einem einer und oder für mit auf bei zu von im in ist sind haben hat
    uns bitte bleiben bleibt wechseln nehmen setzen jetzt neuen als lieber mag zukunft
    """,
)
