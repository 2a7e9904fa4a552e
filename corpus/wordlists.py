"""Words with a part in search: stop words, negations, and words that ask for the past.

Spaced words are written as `corpus.lexical.plain_words` gives them: lower case, without
the marks that fold. Runs of unspaced scripts are written as they occur.
"""

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


# English words with a second life that is common in projects (can, may, must, off,
# over) are left out; so are the Russian particles that change an answer (нет, раньше).
STOP_WORDS = _words("""
    a about also am an and are as at be because been being but by could did do does
    doing for from had has have having he her hers him his how i if in into is it its
    me my no nor not of on or our ours she so such than that the their theirs them then
    there these they this those to too us very was we were what when where which while
    who whom whose why will with would you your yours etc e.g i.e ok

    а без бы был была были было быть в вам вас ведь во вот все всех вы где да даже для
    до его ее ей если есть еще же за и из или им ими их к как какая какие какой когда
    кто ли либо мы на над нам нас не него нее ней ни них но ну о об он она они оно от по
    под при с со так также такой там те тем то того тоже той только том тот ты у уже что
    чтобы эта эти это этой этом этот этого эту я
""")
"""They give no terms: a text that shares only them with a query does not match it."""

CAPITAL_NAMES = frozenset({"IT", "US", "WHO"})
"""Stop words that are names when written exactly like this."""

# Chinese question words and particles; Japanese copulas, particles, demonstratives.
STOP_RUNS = _words("""
    什么 什麼 怎么 怎麼 怎样 怎樣 如何 为什 為什 哪个 哪個 哪些 这个 這個
    那个 那個 这些 這些 那些 的 了 吗 嗎 呢 吧 啊 么 麼

    です ます ました した する して ので から では には とは への この その
    あの これ それ は が を に の と で も へ か
""")
"""Pairs and single characters that give no terms."""

NEGATIONS = _words("""
    no not never none nothing nobody nowhere neither nor cannot without
    не нет ни никогда ничего никто нигде нельзя без
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne
    ne pas jamais rien aucun aucune sans ni
    nunca jamas nada nadie ningun ninguno ninguna sin tampoco
""")
"""Whole words; words that end in `n't` negate too."""

NEGATION_RUNS = _words("""
    不 没 沒 無 无 未 非 勿 别 別 ない なかっ なく ません せず 않 못 없 아니 ไม่
""")
NOT_NEGATION_RUNS = _words("""
    非常 未来 未來 不断 不斷 分别 分別 区别 區別 特别 特別 类别 類別 级别 級別
    個別 別名 别名 性別 性别 識別 识别 判別 差別
""")
"""Runs that hold a negation's character and negate nothing."""

NUMBER_WORDS = _words("""
    zero two three four five six seven eight nine ten eleven twelve twenty thirty forty
    fifty hundred thousand million billion once twice
    ноль два две три четыре пять шесть семь восемь девять десять сто тысяча миллион
    zwei drei vier funf sechs sieben acht neun zehn hundert tausend
    deux trois quatre cinq sept huit neuf dix cent mille
    cero dos tres cuatro cinco seis siete ocho nueve diez cien mil
""")

HISTORICAL_WORDS = {
    "en": """
    ago archived bygone deprecated former formerly historic historical historically
    histories history initially legacy obsolete old oldest originally outdated
    out-of-date predecessor predecessors previous previously superseded
    """,
    "ru": """
    архивный архивная архивное архивные бывший бывшая бывшее бывшие былой былая былые
    давно изначально некогда первоначально прежде прошлый прошлая прошлое прошлые
    прошлого прошлом прошлой прошлых раньше ранее когда-то
    """,
    "de": """
    alte altem alten altes bisherige bisherigen damals damalig damalige damaligen
    ehemals ehemalig ehemalige ehemaligen ehemaliger ehemaliges einst einstmals fruher
    frueher fruhere fruheren fruherer fruheres fruherem fruehere frueheren frueherer
    fruheste geschichte historie historisch historische historischen historischer
    ursprunglich urspruenglich ursprungliche ursprunglichen veraltet veraltete
    veralteten vergangenheit vorherige vorherigen vorheriger vorheriges vorig vorige
    vorigen
    """,
    "fr": """
    ancien ancienne anciennes anciens anciennement anterieur anterieure anterieurement
    auparavant autrefois deprecie depreciee histoire historique historiques
    historiquement initialement jadis naguere obsolete obsoletes originellement
    precedemment precedent precedente precedentes precedents vieille vieilles vieux
    """,
    "es": """
    antano anterior anteriores anteriormente antes antigua antiguas antiguamente antiguo
    antiguos historia historial historica historicas historico historicos inicialmente
    obsoleta obsoletas obsoleto obsoletos originalmente previamente solia solian
    soliamos vieja viejas viejo viejos
    """,
}
"""Words that ask for the past in whatever sentence of a query they stand.

Left out are those that more often mean something else: before, past, earlier,
original, last, vor, avant, passé (the folded form of which is in every password).
"""

HISTORICAL_RUSSIAN_STEMS = """
    история исторический прежний устаревший устарелый устарел предыдущий старый
"""
"""Russian words every inflection of which asks for the past."""

HISTORICAL_PHRASES = """
    what did we | what did i | what did they | what did you | why did we | why did they
    i used to | we used to | you used to | they used to | he used to | she used to
    it used to | there used to | used to be | what did it use to | did we use to
    did it use to | back then | back when | in the past | at the time | in those days
    last year | years past | earlier version | earlier versions | earlier decision
    earlier decisions | earlier design | earlier designs | earlier plan | earlier plans
    earlier approach | earlier attempt | earlier attempts | prior version
    prior versions | prior decision | prior decisions | prior design | prior art
    original plan | original design | original decision | no longer used
    в прошлом | до этого | в то время | a origine | par le passe
    dans le passe | en el pasado | in der vergangenheit
"""
"""Several words in a row, whatever follows; one phrase between bars or line ends."""

NOT_HISTORICAL_PHRASES = """
    antes de | antes del | antes que | older than | years old | year old | days old
    day old | months old | month old | weeks old | week old | hours old | hour old
    minutes old | minute old | seconds old
"""
"""Phrases whose words, here, do not ask for the past."""

# Chinese, then Japanese.
HISTORICAL_RUNS = _words("""
    历史 歷史 以前 旧 舊 曾经 曾經 曾是 过去 過去 老版本 原先 先前 从前 從前
    当初 當初 当时 當時 早期 昔日 过时 過時 废弃 廢棄 弃用 棄用 被取代 被替代 已淘汰

    昔 古い 古く かつて 従来 履歴 歴史 元々 もともと 廃止 非推奨 前回 従前 当時
""")
"""Compounds that ask for the past, in scripts that do not space their words."""

NOT_HISTORICAL_RUNS = _words("""
    可以前 所以前 足以前 得以前 难以前 難以前 加以前 通过去 通過去 超过去 超過去
    经过去 經過去 不过去 不過去 仍旧 仍舊 依旧 依舊 照旧 照舊 怀旧 懷舊 念旧 念舊
    折旧 折舊 復旧 复旧 守旧 守舊
""")
"""Runs in which a compound is something else (可以 + 前往; 復旧 is recovery)."""

SUCCESSOR_WORDS = """
    replaced replaces replacement supersedes successor successors obsoletes
    ersetzt ersetzte nachfolger remplace remplacee remplacement successeur
    reemplaza reemplazo reemplazado sustituye sustituyo sucesor
"""
"""Words that ask what stands today in the place of something."""

SUCCESSOR_RUSSIAN_STEMS = """
    заменил заменила заменило заменили заменяет замена преемник
"""

SUCCESSOR_PHRASES = """
    what superseded | which superseded | superseded by what | instead of
    пришло на смену | пришел на смену | пришла на смену | вместо чего
    a la place de | en lugar de
"""

SUCCESSOR_RUNS = _words("""
    取代了 替代了 代替了 取代者 替代品 继任 繼任 什么取代 什么替代 什麼取代
    置き換え 後継 取って代わ
""")
"""The same in scripts that do not space their words."""
