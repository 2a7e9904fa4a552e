"""Spanish speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    prefiero preferimos prefer\w+ me_(?:gusta|gustan|gustaría_que) no_me_gustan? odio
    detesto preferencia:
    no_quiero_(?:ningún|ninguna|ver|que|más|\w+s_en)(?!.*(?<!\w)(?:ahora|hoy|este|esta\
    |todavía|aún\
    |problemas?|errore?s?|ayuda)(?!\w))_\w+
    quiero_que_(?:todos|todas|cada)
    """,
    durable=r"""
    siempre nunca jamás a_partir_de_ahora de_ahora_en_adelante en_adelante en_el_futuro
    cada_vez bajo_ningún_concepto por_defecto prohibido todos_los_nuevos
    todas_las_nuevas sin_excepción
    nunca_más siempre_que
    (?:pregúntame|consúltame|avísame|pregúnteme)_(?:\w+_){0,2}antes_de_(?!.*\
    (?<!\w)est[aeo]s?(?!\w))\w+
    antes_de_(?!.*(?<!\w)est[aeo]s?(?!\w))[^,]{3,80},_(?:pregúntame|consúltame|avísame\
    |pregúnteme)
    (?:deja|dejad|deje|para)_de_(?:usar|utilizar|añadir|agregar|poner|escribir\
    |insertar|modificar\
    |tocar|crear|repetir)_(?!(?:est[aeo]s?|el|la|los|las)(?!\w))\w+
    no_(?:uses|utilices|pongas|añadas|agregues|escribas|toques|modifiques|hagas)_más
    no_vuelvas_a_(?:usar|utilizar|añadir|agregar|poner|escribir|tocar|modificar)
    antes_de_cada
    """,
    decision=r"""
    (?:hemos|he)_(?:\w+_)?(?:decidido|elegido|acordado|optado) decid(?:imos|í)(?:_que)?
    decisión: está_decidido acordamos elegimos
    vamos_a_(?:usar|utilizar|adoptar|quedarnos|cambiar|migrar|mantener|pasar|dejar)
    vamos_con nos_quedamos_con
    (?:usaremos|utilizaremos|adoptamos|adoptaremos|usemos|utilicemos|abandonamos\
    |pasamos_a|migramos_a|optamos_por) ya_no_(?:usamos|soportamos|damos_soporte)
    """,
    proposal=r"""
    (?:propongo|sugiero|recomiendo|aconsejo|te_sugiero) podríamos deberíamos propuesta:
    recomendación: qué_tal_si lo_mejor_sería
    """,
    local=r"""
    aquí acá
    (?:en|para)_est[ea]_(?:archivo|fichero|módulo|función|clase|método|parche|prueba\
    |test|caso|commit|rama|línea|cambio|script|carpeta|pr|lugar)
    """,
    temporary=r"""
    esta_vez por_ahora por_el_momento solo_(?:hoy|una_vez) sólo_(?:hoy|una_vez)
    temporalmente provisionalmente (?:en|para)_esta_(?:respuesta|sesión) de_momento
    excepcionalmente ahora_mismo
    """,
    question=r"""
    ^¿ ^(?:por_qué|cómo|cuándo|cuál(?:es)?|quién|qué|deberíamos|podemos|puedes)
    """,
    undecided=r"""
    (?:aún|todavía)_no_(?:hemos|he|está|sé|sabemos|\w+)(?:_decidido|_elegido|_claro)?
    no_(?:hemos|he)_decidido sin_decidir quizás? tal_vez a_lo_mejor
    (?:estoy|estamos)_(?:pensando|considerando|dudando|valorando)
    no_est(?:oy|amos)_seguros? no_estoy_segura dud(?:o|amos)_(?:si|entre) no_sé_si
    por_decidir discut\w+ si_(?:decidimos|debemos|conviene) posiblemente
    siempre_(?:podemos|puedes|se_puede|podríamos|podrías) (?:podemos|se_puede)_siempre
    """,
    report=r"""
    (?:doc\w*|documentación|readme|guía|manual|artículo|blog|compañer\w+|jef[ea]|él\
    |ella|ellos|alguien|wiki|registro|cliente|tutorial)_(?:\w+_){0,3}(?:dice|dicen\
    |dijo|indica|recomienda|recomiendan|aconseja|afirma|escribe|sugiere|exige|quiere)
    según_\w+ supuestamente antes_(?:usábamos|siempre|teníamos) dicen_que
    """,
    denied=r"""
    (?:nunca|no)_(?:he_dicho|dije|pedí|he_pedido|quise_decir|prometí)
    no_(?:estoy_diciendo|digo) no_es_una_(?:decisión|regla|preferencia) me_da_igual
    da_lo_mismo sin_preferencia no_tengo_preferencia
    no_(?:siempre|necesariamente|cada_vez)
    no_(?:hace_falta|es_necesario)_(?:\w+_){0,3}(?:siempre|cada)
    """,
    example=r"""
    ^por_ejemplo ejemplo: ^supongamos ^imagin\w+ una_frase_como
    si_alguien_(?:dice|escribe)
    """,
    fact=r"""
    (?:siempre|nunca)_(?:falla|fallan|devuelve|devuelven|termina|funciona|está|es\
    |se_(?:cuelga|rompe|cierra|cae|bloquea)|da_error)
    (?:falla|funciona)_(?:siempre|cada_vez)
    """,
    artefact=r"""
    archivos? ficheros? funciones función clases? métodos? módulos? variables?
    configuración tablas? campos? pruebas? tests? código base servicios? scripts?
    proyecto caché servidor build
    """,
    state=r"""
    es son está están tiene contiene devuelve llama actualmente encuentra depende guarda
    """,
    duty=r"""
    no_uses debe deben debería hay_que por_favor tiene_que
    debes debemos tienes_que tenemos_que
    """,
    order=r"""
    ^(?:(?:por_favor|y|pero),?_)*(?:siempre|nunca|jamás|a_partir_de_ahora\
    |de_ahora_en_adelante\
    |en_adelante|en_el_futuro),?_(?!(?:contiene|tiene|es|está|están|son|depende|llama\
    |hay\
    |encuentra|devuelve|falla|funciona|el|la|los|las|un|una)(?!\w))\w+
    ^(?:por_favor,?_)?(?:no_)?(?:usa|utiliza|escribe|añade|agrega|verifica|comprueba\
    |ordena\
    |formatea|pon|haz|ejecuta|mantén|nombra|documenta|evita|separa|pregunta|explica\
    |muestra|revisa|actualiza|uses|pongas|hagas|escribas|toques)_\w+
    (?:siempre|nunca)_\w+[aei]mos
    (?:cada_vez_que|siempre_que)_[^,]*,_(?:por_favor_)?(?:usa|utiliza|escribe|añade\
    |agrega\
    |verifica|comprueba|pon|haz|ejecuta|revisa|actualiza|crea|muestra|pregúntame\
    |avísame)(?!\w)
    """,
    request=r"""
    (?:podrías|podría|podríais|querrías)_(?:por_favor,?_)?(?!(?:explicar\w*|decir\w*\
    |arreglar|corregir)(?!\w))\
    (?:(?!(?:que|quien|cual|por|si|cómo)(?!\w))\w+_){0,5}(?:siempre|nunca|jamás\
    |a_partir_de_ahora|de_ahora_en_adelante\
    |en_adelante|en_el_futuro|cada_vez)(?!.*(?<!\w)(?:explicar\w*|decir\w*)(?!\w))
    puedes,?_por_favor,?_(?:(?!(?:que|quien|cual|por|si|cómo)\
    (?!\w))\w+_){0,5}(?:siempre|nunca|jamás\
    |a_partir_de_ahora|en_adelante|cada_vez)
    """,
    acknowledgement=r"""
    sí si vale claro de_acuerdo perfecto bien está_bien muy_bien adelante dale hecho ok
    okay exacto correcto (?:hazlo|hagámoslo|hágalo|haz_eso|hagamos_eso)(?:_así)?
    me_parece(?:_bien)? suena_bien buena_idea así_lo_hacemos gracias genial por_supuesto
    """,
    opening=r"""
    a_partir_de_ahora de_ahora_en_adelante en_adelante en_el_futuro
    """,
    turn=r"pero sin_embargo aunque por_ejemplo",
    plain=r"""
    usar usa usamos usaremos utilizar usuario proyecto prefiere prefiero decidido
    decisión siempre nunca debe deben hay el la los las un una unos unas del de al y o
    para con en por no que se es son vamos todo todos todas cada lugar vez partir ahora
    adelante hemos gusta quiere adoptar elegido sólo solo como
    """,
)
