"""French speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    je_(?:\w+_)?préfère préfér\w+ j'aime(?:rais)?_(?:mieux|bien|que) j'aime
    je_n'aime_pas je_déteste plutôt_que_de préférence:
    je_ne_(?:veux|souhaite)_(?:plus|pas)_(?:de_\w+_(?:dans|en)|d'\w+_(?:dans|en)|voir\
    |que_(?:tu|vous))\
    (?!.*(?<!\w)(?:maintenant|aujourd'hui|cette?|ce)(?!\w))
    je_ne_(?:veux|souhaite)_aucune?(?!_(?:problèmes?|erreurs?|aide|soucis?)(?!\w))
    """,
    durable=r"""
    toujours(?!_(?:pas|rien|l[ae]_même)(?!\w)) jamais désormais dorénavant
    à_partir_de_maintenant à_l'avenir à_chaque_fois
    chaque_fois en_aucun_cas par_défaut systématiquement tous_les_nouveaux
    toutes_les_nouvelles interdit
    plus_jamais
    (?:demande|demandez|préviens|prévenez|avertis\
    |consulte)-moi_(?:\w+_){0,3}avant_(?:de_|d'|que_|toute?_|chaque_)\
    (?!.*(?<!\w)(?:ce|cet|cette|ces)(?!\w))\w+
    avant_(?:de_|d')(?!.*(?<!\w)(?:ce|cet|cette|ces)(?!\w))[^,]{3,80},_(?:demande\
    |demandez|préviens|prévenez\
    |avertis|consulte)-moi
    (?:arrête|arrêtez|cesse|cessez)_(?:d'|de_)(?:utiliser|ajouter|mettre|écrire\
    |insérer|modifier\
    |toucher|créer|répéter|committer)_(?!(?:ce|cet|cette|ces|la|le|les)(?!\w))[\w']+
    ^(?:s'il_te_plaît,?_)?(?:n'|ne_)(?:utilise|utilisez|mets|mettez|ajoute|ajoutez\
    |écris|écrivez\
    |fais|faites|touche|touchez|modifie|modifiez)_plus
    avant_chaque
    """,
    decision=r"""
    (?:on|nous)_(?:a|avons)_(?:\w+_)?(?:décidé|choisi|convenu|opté|tranché)
    j'ai_(?:décidé|choisi|opté) décision: c'est_décidé
    (?:on|nous)_(?:va|allons)_(?:utiliser|garder|passer|prendre|adopter|abandonner)
    (?:on|nous)_(?:part|partons)_(?:sur|avec) (?:on|nous)_(?:passe|passons)_(?:à|sur)
    (?:utilisons|adoptons|gardons|passons_à|prenons|choisissons|restons)
    on_(?:adopte|abandonne|garde|reste_sur|prend) nous_(?:adoptons|abandonnons|retenons)
    on_ne_(?:supporte|prend)_plus
    """,
    proposal=r"""
    je_(?:propose|suggère|recommande|conseille)
    (?:on|nous|vous)_(?:pourrait|pourrions|pourriez|devrait|devrions) proposition:
    recommandation: et_si_(?:on|nous) le_mieux_serait
    """,
    local=r"""
    ici
    (?:dans|pour)_(?:ce|cet|cette)_(?:fichier|module|fonction|classe|méthode|patch\
    |test|cas|commit|branche|ligne|modification|script|dossier|pr|endroit|correctif)
    """,
    temporary=r"""
    cette_fois(?:-ci)? pour_(?:l'instant|le_moment) aujourd'hui_seulement
    (?:juste|seulement)_(?:une_fois|aujourd'hui) temporairement provisoirement
    (?:dans|pour)_cette_(?:réponse|session) exceptionnellement en_ce_moment
    """,
    question=r"""
    ^(?:est-ce_que|pourquoi|comment|quand|quel(?:le)?s?|qui|faut-il|devrait-on\
    |devrions-nous|peux-tu|pouvez-vous|peut-on)
    """,
    undecided=r"""
    pas_encore_(?:décidé|choisi|tranché|sûrs?|certain)
    n'(?:ai|avons|a)_pas_(?:encore_)?(?:décidé|choisi|tranché) indécis peut-être
    (?:j'|on_|je_|nous_)?hésit\w+ je_me_demande pas_sûre?s? réfléchi\w* s'il_faut
    à_discuter discuter reste_à_décider si_(?:on|nous)_décid\w+ ne_sa(?:is|vons)_pas
    éventuellement
    (?:on|tu|vous|nous)_(?:peut|peux|pouvez|pouvons|pourrait|pourrais|pourriez\
    |pourrions)_toujours
    """,
    report=r"""
    (?:doc\w*|documentation|readme|guide|manuel|article|blog|collègues?|chef|il|elle\
    |ils|quelqu'un|wiki|journal|client|tutoriel)_(?:\w+_){0,3}(?:dit|disent|disait\
    |indique|recommande|recommandent|conseille|affirme|écrit|prétend|suggère|exige\
    |veut) selon_\w+ d'après_\w+ il_paraît soi-disant avant,?_(?:on|nous) autrefois
    """,
    denied=r"""
    (?:je_)?n'ai_jamais_(?:dit|demandé|voulu|promis|affirmé) je_n'ai_pas_(?:dit|demandé)
    je_ne_dis_pas ce_n'est_pas_une_(?:décision|règle|préférence) (?:ça_)?m'est_égal
    peu_importe pas_de_préférence
    pas_(?:toujours|à_chaque_fois|systématiquement|nécessairement|forcément)
    """,
    example=r"""
    ^par_exemple exemple: ^supposons ^imagin\w+ une_phrase_comme
    si_quelqu'un_(?:dit|écrit)
    """,
    fact=r"""
    (?:échoue(?:nt)?|plante(?:nt)?|renvoie|retourne|bloque|marche|fonctionne|est\
    |sont)_(?:\w+_)?(?:toujours|jamais|à_chaque_fois)
    ne_(?:marche|fonctionne|termine)_jamais
    """,
    artefact=r"""
    fichiers? fonctions? classes? méthodes? modules? variables? configuration tables?
    champs? tests? code base services? scripts? projet cache serveur build
    """,
    state=r"""
    est sont contient renvoie retourne appelle actuellement se_trouve dépend stocke
    """,
    duty=r"""
    doit doivent devrait faut merci_de il_faut
    dois devez devons devrais
    """,
    order=r"""
    ^(?:(?:merci_de|s'il_te_plaît|et|mais),?_)*(?:ne_|n')?(?:utilis|écri[st]|ajout\
    |vérifi\
    |lanc|tri|format|met[st]|fai[st]|gard|demand|répond|nomm|document|évit|préfix|rang\
    |supprim|touch|modifi|pouss|install|import|respect|appell|sépar|expliqu|montr\
    |prévien|class|exécut|committ)(?:e|es|ez|s|ent|tez)?_\w+
    ^(?:(?:merci_de|s'il_te_plaît|et|mais),?_)*(?:toujours|désormais|dorénavant\
    |à_l'avenir\
    |à_partir_de_maintenant|systématiquement|ne_(?:plus_)?jamais),?_(?!(?:est|sont|le\
    |la|les)(?!\w))\w+
    (?:on|nous)_(?:n'|ne_)?\w+_(?:\w+_){0,2}(?:toujours|jamais|systématiquement)
    (?:chaque_fois_qu\w*|à_chaque_fois_qu\w*)[^,]*,_(?:utilis|ajout|vérifi|lanc|met|fai\
    |demand|met|écri|montr|exécut|prévien|cré)(?:e|es|ez|s|ts)?(?!\w)
    """,
    request=r"""
    (?:pourrais|pourriez|peux|pouvez|voudrais|voudriez)-(?:tu|vous),?_(?:s'il_(?:te\
    |vous)_plaît,?_)?\
    (?!(?:m'|me_|nous_)?(?:expliquer|dire|corriger)(?!\w))\
    (?:(?!(?:qui|que|pourquoi|comment|si)(?!\w))[\w']+_){0,5}(?:toujours|jamais\
    |désormais|dorénavant\
    |systématiquement|à_chaque_fois|à_l'avenir)(?!.*(?<!\w)(?:expliquer|dire|pourquoi)\
    (?!\w))
    """,
    acknowledgement=r"""
    oui ouais d'accord ok okay parfait entendu très_bien bien_sûr vas-y allez-y allons-y
    ça_marche ça_me_va c'est_bon
    (?:on_)?(?:fait|fais|faites|faisons)_(?:ça|comme_ça|cela) exactement bonne_idée
    je_suis_d'accord merci super voilà
    """,
    opening=r"""
    désormais dorénavant à_partir_de_maintenant à_l'avenir
    """,
    turn=r"mais cependant toutefois par_exemple",
    plain=r"""
    utiliser utilise utilisons utilisez utilisateur projet préfère préférer décidé
    décision toujours jamais désormais doit faut on nous je le la les un une des du de
    au aux et ou pour avec sur dans par en pas ne plus que qui choisi adopter plutôt
    lieu tous toutes chaque avons est sont ne-pas passer garder va ce
    """,
)
