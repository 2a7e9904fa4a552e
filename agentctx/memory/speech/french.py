"""French speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    je_(?:\w+_)?préfère préfér\w+ j'aime(?:rais)?_(?:mieux|bien|que) j'aime
    je_n'aime_pas je_déteste plutôt_que_de préférence:
    """,
    durable=r"""
    toujours jamais désormais dorénavant à_partir_de_maintenant à_l'avenir à_chaque_fois
    chaque_fois en_aucun_cas par_défaut systématiquement tous_les_nouveaux
    toutes_les_nouvelles interdit
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
