"""German speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    ich_(?:\w+_)?bevorzuge bevorzug\w+ ich_mag mir_(?:gefällt|gefallen|ist_lieber)
    lieber ich_hasse vorliebe präferenz: am_liebsten
    """,
    durable=r"""
    immer nie niemals künftig zukünftig ab_(?:jetzt|sofort|heute) von_nun_an in_zukunft
    jedes_mal grundsätzlich stets ausnahmslos auf_keinen_fall standardmäßig dauerhaft
    verboten alle_neuen
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
    """,
    example=r"""
    ^zum_beispiel ^z\.?\s?b\.? beispiel: ^angenommen nehmen_wir_an ein_satz_wie
    wenn_jemand_(?:sagt|schreibt)
    """,
    fact=r"""
    (?:schlägt|schlagen|stürzt|stürzen|hängt|hängen|bricht|brechen|läuft|laufen\
    |funktioniert|funktionieren|gibt|liefert)_(?:\w+_){0,2}(?:immer|nie|jedes_mal)
    immer_(?:fehl|ab|langsam)
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
