"""Words people say whatever the subject is; they are about nothing.

They never carry a match alone, and they count little beside the words that name the
subject. Spaced words are in lower case with the marks that fold; scripts without
spaces are given as phrases, of which every pair of characters counts.
"""

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


COMMON_WORDS = _words("""
    able absolutely actual actually add afraid again agree agreed ahead all allow almost
    alone along already alright although always amazing another answer answers any
    anybody anymore anyone anything anyway anyways anywhere apart apparently appreciate
    appreciated around ask asked asking asks away awesome awful back bad basic basically
    become becomes before begin believe below best better between big bit both brilliant
    bring brought btw but bye call called came can cannot cant care careful case catch
    certain certainly change changed changes changing check checked checking cheers
    choose clear clearly close come comes coming completely confused consider continue
    cool correct correctly could couldnt couple course crazy curious dear decent decide
    decided deciding decision decisions definitely different does doesnt doing done dont
    double down each earlier easier easily easy either else end ended enough especially
    even evening ever every everybody everyone everything everywhere exact exactly
    excellent excuse expect expected explain explained extra fair fairly familiar
    fantastic far fast feel feeling feels few figure figured final finally find fine
    finish finished first fix fixed fixing follow following for forget forgot forward
    found from fully funny further gave general generally get gets getting give given
    gives giving glad go goes going gone gonna good goodbye got gotcha gotta great
    greetings guess guys had half hang happen happened happening happens happy hard
    hardly has have havent hear heard hello help helped helpful helping helps here hey
    hi hmm hold honest honestly hope hopefully hoping huge huh idea ideas imagine
    important instead interested interesting issue job just keep keeps kept kind kinda
    knew know known knows last late lately later least leave left less let lets like
    liked likely likes literally little lol long longer look looked looking looks lot
    lots love lovely low made main make makes making many matter matters maybe mean
    meaning means meant mention mentioned mind minute mistake moment more morning most
    mostly much must myself nah name near need needed needs never new next nice night
    nobody none nope normal normally nothing now obvious obviously oh ok okay old once
    one ones only onto oops opinion option options other others otherwise out over
    overall own part particular particularly past perfect perfectly perhaps piece place
    plan please plus point possible possibly prefer preference preferences preferred
    prefers pretty previous previously probably problem problems proceed proper properly
    put question questions quick quickly quite rather ready real realize really reason
    recent recently regarding related remember remind reply respond response rest retry
    right roughly run running same saw say saying says second see seem seems seen sense
    several shall should shouldnt show showed showing shown shows side simple simply
    since sir small some somebody somehow someone something sometimes somewhere soon
    sorry sort sound sounds speak specific spent start started starting starts stay
    still stop straight strange stuff stupid such suggest suggested suggestion
    suggestions summarise summarize super suppose supposed sure take taken takes taking
    talk talked talking tell telling tells terrible thank thanks that thats thing things
    think thinking thinks though thought thoughts three through thru thus time times
    today together told tomorrow tonight too took top total totally tried tries trouble
    true truly try trying turn turned turns twice two under understand understood undo
    undone unless until upon usual usually various via wait waiting wanna want wanted
    wants was wasnt way ways week weird welcome well went were whatever whenever
    wherever whether while whole whose wish without wonder wonderful wondering wont word
    words work worked working works worry worse worst worth would wouldnt wow wrong yay
    yea yeah year yep yes yesterday yet yo yup

    ага благодарю блин быстро верно вечер видишь видно вижу возможно вообще вперед вроде
    всем вчера выглядит где-то говори говорит говоришь годится готов готова готово да-да
    давай давайте дай дайте далее дальше делаем делает делаешь делай делал делать дело
    день доброе добрый довольно думаешь думаю ерунда жаль ждать жди жду завтра закончи
    закончил замечательно запускай запусти здорово здравствуй здравствуйте знаешь знать
    знаю идеально идет идея иди извини извините именно исправить исправь кажется
    как-нибудь класс классно конечно круто кстати ладно лучше люблю любой минутку много
    могу может можешь можно молодец наверное надеюсь надо начать начинай начнем нашел
    нашли немного неплохо нет нету нормально нравится нужен нужна нужно нужны общем
    объясни огонь один одно ок окей опять остальное ответ ответь отличная отлично
    отличный очень ошибка подожди поехали пожалуйста пойдет пока покажи показывай
    полностью получилось помнишь помню помоги помочь помощь понимаю понял поняла понятно
    попробовать попробуем попробуй пора потом похоже почему правда правильная правильно
    прекрасно привет пример примерно проблема проблему проблемы проверить проверь
    продолжаем продолжай продолжить просто прошу пусть работает рад рада раз разве
    расскажи сделаем сделай сделал сделала сделать сегодня сейчас секунду скажи сказал
    сказать скорее смотри смотрится смотрю сначала снова совсем согласен согласна сойдет
    спасибо спасибочки стоит стой странно супер считаешь такое твой тогда точно туда
    убери угу удачи уже ура утра утро фигня хватит хорош хорошая хорошее хороший хорошо
    хотел хотелось хотя хочешь хочу через честно что-нибудь что-то чуть штука это-то
    ясно

    aber ach alle alles also an anfangen auch auf aus bei beim bereit besser bin bis
    bist bitte brauche brauchen brauchst braucht danke dankeschon dann das dass dein
    deine dem den denke denken denn der des deshalb dich die dies diese dieser dieses
    dir doch du durch eben egal ein eine einem einen einer einfach einmal einverstanden
    er erklar erklare erklaren erst es etwas euch fange fast fertig finde fortfahren
    frage fragen fuer fur ganz geht genau genug gerade gern gerne gib gibt glaube gleich
    gut gute guten guter gutes hab habe haben hallo hast hat heute hier hilf hilfe hilft
    ich ihm ihn ihr im immer ist ja jeder jetzt kann kannst klar klasse klingt konnen
    konnte kurz lass lauft leg leider leute los mach mache machen machst macht mal mehr
    mein meine mich mir mit mochte moin morgen muss musst nach nachste nein nichts noch
    nochmal nun nur oben oder ohne okay perfekt prima problem richtig sag sagen schau
    schauen schaut schlecht schnell schoen schon schritt sehr seid sein seine selbst
    sich sie siehst sieht sind so soll sollen sollte sollten sonst stimmt super tag toll
    tschuss tun uber ueber um und uns unser vergiss verstanden verstehe versuch versuche
    versuchen viel vielen vielleicht vom von vor wahr warte warten warum was weil weiter
    weitermachen welche wenn wer werde werden wie wieder will willst wir wird wirklich
    wo wollen wurde zeig zeige zu zum zur zuruck

    ainsi aller allez allons alors apres arrete as attends au aucun aujourd'hui aussi
    autre autres aux avec avez avoir avons beaucoup besoin bien bientot bon bonjour
    bonne bonsoir bravo c'est ca cela celui ces cet cette chose choses chouette comme
    comment comprends compris continue continuer continuez corrige d'abord d'accord dans
    demain depuis des deux dire dis dois doit donc donne elle elles encore ensuite
    entendu essaie essaye essayer est et etait ete etes etre excellent explique faire
    fais fait faites fallait faut fois genial grand gros hier ici il ils impeccable j'ai
    je jour jusque juste l'autre la laisse le les leur lui ma maintenant mais mal marche
    me meilleur meme merci mes mettre mieux moi moins mon monde montre n'est ne nickel
    non nos notre nous on ont ou oublie oui parait parfait parle parler pas passe pense
    penses petit peu peut peux plait plus pour pourquoi pourrais pouvez probleme puis
    qu'est qu'il quand que quel quelle quelque quelques qui quoi rapide regarde reste
    rien s'il sa sais salut sans se semble ses si sommes son sont sous suis suite super
    sur sympa t'es ta tant te tellement termine tes toi ton toujours tous tout toute
    toutes tres trop trouve tu un une va vais vas vers veut veux viens voici voila voir
    vois vos votre vous vrai vraiment y

    adelante adios ahi ahora al algo alguien algun alguna algunas algunos alli anda
    antes aqui arregla arreglalo asi aun aunque ayer ayuda ayudame bastante bien buen
    buena buenas bueno buenos cada casi claro como comprendo con continua continuar
    correcto corrige cosa cosas creo cual cuales cualquier cuando cuanto dale dame de
    debe debemos deberia debo del demasiado dentro desde despues dia dias dice dije dime
    donde dos el ella ellos empecemos empieza en entendido entiendo entonces era eres es
    esa ese eso esos espera esta estaba estamos estan estar estas este esto estos estoy
    excelente explica explicame facil favor fin fue fuera funciona genial gracias gran
    gusta ha hace hacer hacia haga hagamos hago has hasta hay haz hazlo hemos hice hizo
    hola hoy igual intenta intentalo ir jaja la las le les listo lo los luego mal manana
    maravilla mas me mejor menos mi mientras mira mis mismo momento mucha muchas mucho
    muchos muestra muestrame muy nada necesito ni ningun ninguna no noches nos nosotros
    nuestra nuestro nuevo nunca o otra otras otro otros para parece perfecto pero poco
    pongamos por porfa porque posible probar problema prueba puede puedes puedo pues que
    queda quedo quien quieres quiero quiza quizas revisa sabe sabes se sea seguir segun
    seguro sera si sido siempre sigamos sigue siguiente sin sobre solo somos son soy su
    suena sus tal tambien tampoco tan tanto tarde tardes te tenemos tengo ti tiempo
    tiene tienes toda todas todavia todo todos tu tus un una uno unos usted va vale
    vamos vaya veces ver verdad vez vuelve y ya yo
""")
"""Whole words, and what people say to go on, to agree, to greet, to thank, to ask."""

COMMON_PHRASES = """
    你好 您好 大家好 早上好 晚上好 早安 晚安 再见 拜拜 谢谢 多谢 感谢 非常感谢 辛苦了
    不客气 没关系 没事 没问题 对不起 抱歉 不好意思 好的 好吧 好啊 好了 很好 太好了
    非常好 真棒 太棒了 厉害 不错 看起来不错 看上去不错 看来可以 可以 可以的 可以吗 行
    行吧 嗯 嗯嗯 是的 对的 没错 不是 不对 不行 不用 不要 继续 请继续 继续吧 接着来
    接着做 开始吧 开始 就这样 就这么办 这样做 这样吧 这样就好 明白 明白了 知道了 我知道
    懂了 了解 了解了 收到 同意 我同意 完成 完成了 做完了 搞定 搞定了 下一步 再试一次
    再试试 试试 试试看 试一下 重试 再来一次 看看 看一下 你看看 帮我 帮我看看 帮忙 帮帮我
    请问 请你 麻烦 告诉我 给我 我想 我想要 我要 我觉得 你觉得 觉得 认为 怎么办 怎么样
    怎么做 怎么了 为什么 什么意思 是什么 有没有 有什么 能不能 可不可以 是不是 行不行
    好不好 应该 需要 不需要 现在 今天 明天 昨天 刚才 等一下 等等 稍等 稍后 然后 还有
    其他 别的 一下 一个 一些 这个 那个 哪个 我们 你们 他们 自己 问题 有问题 这里 那里
    继续执行 执行吧 做吧 去做吧 修一下 改一下 修好 检查一下 解释一下 总结一下 说明一下
    写吧 运行一下 跑一下 真的 真的吗 当然 曾经 我曾经 我曾 记得 还记得 你还记得 告诉
    告诉过 提到 提到过 说过 说了 聊了 聊过 谈到 什么样 哪一个 哪一部 哪里 哪些 多少 是谁
    的时候 关于 其实 可能 也许 随便 都行 加油 哈哈 請問 謝謝 繼續 請繼續 看起來 不錯
    沒問題 開始吧 這樣 為什麼 怎麼 問題 幫我 告訴我 我覺得 應該 現在 還有 運行 執行

    こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます
    ありがとうございました どうも すみません ごめん ごめんなさい お願いします お願い
    よろしく よろしくお願いします おつかれ お疲れ様です お疲れさま さようなら はい
    いいえ うん ええ そう そうです そうですね そうですか なるほど 了解 了解です
    了解しました わかりました わかった 分かりました 分かった 承知しました いいね
    いいですね いいです いいと思います いい感じ いい感じです 良い感じ 良さそう
    良さそうです よさそう よさそうです 良いですね 問題ない 問題ありません 問題なさそう
    大丈夫 大丈夫です 完璧 完璧です 素晴らしい すごい さすが 最高 続けて 続けてください
    続きを 続行 続行して 進めて 進めてください やって やってください やってみて
    やりましょう してください して下さい ください 下さい お任せ もう一度 もう一回 再度
    次へ 次 次は 次に進んで どうぞ どう どうですか どう思う どう思いますか どうして なぜ
    なに 何 何ですか 教えて 教えてください 見て 見てください 確認して 確認してください
    直して 直してください 修正して 説明して まとめて 実行して 試して 試してみて 待って
    ちょっと ちょっと待って 今日 明日 昨日 今 あとで それで それでは では じゃあ それは
    これは これで これでいい それでお願いします 同意 終わり 終わりました できました 完了
    オッケー オーケー ありますか ありません なんですか 思います 思う ほしい 欲しい
    手伝って 助けて こと もの ため よう

    안녕 안녕하세요 안녕히 감사합니다 감사해요 고마워 고마워요 고맙습니다 죄송합니다
    미안 미안해요 네 예 아니요 아니 응 그래 그래요 그럼 그렇게 해줘 그렇습니다 좋아
    좋아요 좋습니다 좋네요 좋은데요 보여요 보입니다 괜찮아 괜찮아요 괜찮습니다 괜찮네요
    완벽해요 완벽합니다 훌륭해요 훌륭합니다 대단해요 최고 최고예요 멋져요 멋지네요
    알겠습니다 알겠어요 알았어 알았어요 이해했어요 이해했습니다 맞아 맞아요 맞습니다
    계속 계속해 계속해줘 주세요 계속하세요 계속해주세요 진행해 진행해줘 진행하세요
    시작해 시작해줘 시작하자 해주세요 해 해보세요 해봐 하자 합시다 다시 다음 단계
    다음으로 부탁해 부탁해요 부탁드립니다 도와줘 도와주세요 알려줘 알려주세요 보여줘
    보여주세요 확인해줘 확인해 고쳐줘 고쳐 수정해줘 설명해줘 요약해줘 실행해줘 잠깐
    잠깐만 기다려 지금 오늘 내일 어제 나중에 뭐 뭐야 뭐예요 무엇 왜 어떻게 어때 어때요
    생각해 생각 생각해요 문제 문제없어요 없습니다 정말 진짜 그냥 아마 이것 저것 그것
    이거 그거 저거 완료 완료했어요 됐어 됐어요 되었습니다 끝났어요 수고 수고하셨습니다
    동의 동의합니다 오케이 있어요 있나요 없어요 하는 하고 해서 했어요 합니다 입니다
"""
"""What the same people say in scripts that are cut into pairs of characters."""
