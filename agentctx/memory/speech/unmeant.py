"""What is only imagined, and what its writer takes back in the same breath (M11.4).

What would hold if things were otherwise holds not. What was retracted was not said.
"""

from __future__ import annotations

import re

_IMAGINED = re.compile(
    # English
    r"\bif (?:\w+ ){1,3}?were (?:a|an|the|to|not|in|on|at|still)\b"
    r"|\bif (?:i|we|you|they|it|this|that|he|she) (?:were|had|(?:had )?(?:decided|chose"
    r"|chosen|adopted|used|switched|went|agreed|settled|lived|owned|ran))\b"
    r"|\bif\b(?! possible| you)[^.]{0,80}\b(?:we|they|you|one|it|i)(?: would|'d)"
    r"(?! (?:like|love|prefer|rather|want|be (?:good|great|nice)))\b"
    r"|\b(?:we|they|i) (?:would|could|might|should) have \w+"
    r"|^(?:and |so |but )?(?:were|had) (?:we|i|they|it|this)\b"
    r"|^(?:and |so |but |now |just )?(?:suppos(?:e|ing)|imagin(?:e|ing)|pretend(?:ing)?"
    r"|picture this|what if|say we|say i|let(?:'s| us) (?:say|suppose|assume|pretend"
    r"|imagine))\b|^(?:assume|assuming)(?: that)? (?:we|i|you|they|someone|a|our)\b"
    r"|\bas (?:if|though) (?:we|i|you)\b|\bin (?:a|an) (?:perfect|ideal|parallel"
    r"|alternate"
    r"|imaginary|hypothetical)\b|\bhypothetical(?:ly)?\b|\bcounterfactual"
    # German
    r"|\b(?:wenn|falls)\b(?! möglich)[^.]{0,80}\b(?:wär|hätt|würd|könnt)e[nt]?\b"
    r"(?! ich (?:gern|lieber|bevorz))|^(?:wär|hätt)en? (?:wir|ich|es|das)\b"
    r"|\b(?:mal )?angenommen\b(?=,| wir| dass)|\bnehmen wir (?:\w+ )?an\b"
    r"|\bstell(?:t|en)? (?:dir|euch|wir uns|sie sich)(?: \w+)? vor\b"
    r"|\bgesetzt den fall\b|\bals (?:ob|hätten|wären) (?:wir|ich)\b|\bhypothetisch\b"
    r"|\bwir hätten\b[^.]{0,60}\b(?:entschieden|beschlossen|genommen)\b"
    # French
    r"|\bsi (?:nous|on|j'|je |tu|vous|c'|l'on)\s?(?:\w+ )?(?:étions|était|étais|avions"
    r"|avait|avais|décidions|décidait|choisissions|utilisions)\b"
    r"|\bsi\b(?! possible)[^.]{0,80}\b(?!faudrait)\w+(?:rions|riez|raient|rait)\b"
    r"|^(?:et )?(?:supposons|supposez|suppose|imagin(?:e|ez|ons)|admettons|mettons)\b"
    r"|\bà supposer qu|\bcomme si (?:nous|on)\b|\bdans un monde (?:idéal|parfait)\b"
    r"|\bnous aurions\b"
    # Spanish
    r"|\bsi (?:\w+ ){0,2}(?:fu[eé](?:ra|ramos|ran|se|semos)|tuvi[eé]ra(?:mos|n)?"
    r"|hubi[eé]ra(?:mos|n)?|\w+(?:[aá]ramos|i?[eé]ramos|[aá]semos|i?[eé]semos))\b"
    r"|^¿?(?:y )?(?:supongamos|sup[oó]n|supón|imagin(?:a|ad|emos|amos)|digamos que"
    r"|y si)\b"
    r"|\bcomo si (?:\w+ )?(?:\w+[aá]ramos|\w+[eé]ramos)\b|\ben un mundo (?:ideal"
    r"|perfecto)\b"
    r"|\bhabríamos\b"
    # Russian
    r"|\bесли\b(?! можно)[^.]{0,60}\bбы?\b(?! (?:хоте|предпоч))|^будь (?:мы|я)\b"
    r"|^(?:а )?(?:представ(?:ь|ьте|им)|допустим|предположим|положим|вообрази\w*)\b"
    r"|\bгипотетически\b|\bв идеальном мире\b|\bкак (?:будто|если бы) мы\b"
    r"|\bмы бы (?!хоте|предпоч)\w+"
    # Chinese
    r"|(?:假如|假设|假使|假若|倘若)(?:说)?(?:我|咱|你|他|这|公司|有一|决定|采用|是)"
    r"|(?:要是|如果|若)(?:说)?(?:我们|咱们|我|公司)(?:是|当初|当时|早|真的?|决定|采用)"
    r"|^(?:设想|想象|想像|试想)|要是当初|如果当初"
    # Japanese
    r"|もし[^。]{0,30}(?:だったら|だったなら|であったなら|たとしたら|とすれば)"
    r"|もし(?:私たち|我々|うち|僕ら|当社)|(?:た|だ|る)と(?:したら|すれば|仮定|しよう$)"
    r"|(?:決めた|採用した|だった)とし(?:て|ます)|と仮定|^仮に|^想像して"
    r"|ていたら[^。]{0,80}(?:だろう|でしょう)"
    # Korean
    r"|(?:만약|만일)(?:에)?\s*(?:우리|저희|내가|제가)|(?:였|었|았|했)다면"
    r"|다고\s?(?:가정|치자|치면|하자|쳐)"
    r"|가정(?:해|하)|^상상해|처럼 결정했",
    re.IGNORECASE,
)
_FOLLOWS_FROM_IT = re.compile(
    r"(?:and |so )?(?:then|in that case|we would|we'd|they would)\b|(?:dann"
    r"|in dem fall)\b"
    r"|(?:alors|dans ce cas)\b|(?:entonces|en ese caso)\b|(?:тогда|в этом случае"
    r"|в таком)\b"
    r"|那么|那样|这样的话|那我们|その(?:場合|時|とき)|それなら|그(?:러면|렇다면|럼)"
    r"|그 경우",
    re.IGNORECASE,
)

_OPENS = (
    r"(?:^|[,;:.!?…，、。；！(\u2013\u2014-]\s*"
    r"|(?:but|and|oh|er|um|ah|hmm|aber|mais|pero|но|а)[,\s]\s*)"
)
_ENDS = r"(?=\s*(?:$|[,;:.!?…，、。；！)\u2013\u2014-]))"
_RETRACTED = re.compile(
    rf"{_OPENS}(?:"
    # English
    r"no,? wait|wait,? no|oh wait|wait,? (?:actually|scratch|forget)[^,.]{0,20}"
    r"|(?:please )?(?:scratch|strike|cancel|forget|ignore|disregard)"
    r" (?:that|it|this|the (?:last|above)|what i (?:just )?(?:said|wrote)|all that"
    r"|my last (?:message|sentence)|everything i said)(?: (?:last|part|one|bit"
    r"|please))?"
    r"|never ?mind(?: (?:that|it|this))?|(?:well )?actually,? (?:no|not|nope)"
    r"|on second thoughts?,? (?:no|not|let's not|forget it)"
    r"|(?:no,? )?(?:we|i) (?:did not|didn't|never did|don't|do not|won't)"
    r"|not any ?more|no longer|not really|not true|not now"
    r"|(?:i|we)(?:'ve| have)? (?:just )?(?:changed|change) (?:my|our) minds?"
    r"|i take (?:that|it) back|(?:just|only|i'm|i am|i was|we were)? ?(?:just |only )?"
    r"(?:kidding|joking)|j/?k|(?:that|this|it)(?:'s| is| was|’s)? (?:(?:all |now "
    r"|long )*"
    r"(?:over|off|wrong|gone|obsolete|history|dead)|no longer (?:the case|true|valid"
    r"|so)"
    r"|not (?:true|right|the case|valid)(?: any ?more)?|(?:only |just )?a (?:joke|lie"
    r"|mistake|slip|test))|that (?:has )?changed(?: since)?"
    r"|(?:we|i) (?:(?:have|'ve) )?(?:since |later |then )?(?:dropped|abandoned|reverted"
    r"|reversed|undid|cancelled|canceled) (?:that|it|this)(?: (?:idea|since|again"
    r"|later))?"
    # German
    r"|nein,? (?:warte|doch nicht)|warte,? nein|(?:ach,? )?(?:vergiss|streich"
    r"|ignorier)e?"
    r" (?:das|es)(?: wieder)?|(?:ach )?(?:doch nicht|nee|quatsch)|nicht mehr"
    r"|(?:war|ist) (?:nur |doch nur )?(?:ein scherz|ein witz)"
    r"|das (?:war|ist) (?:nur |doch nur |nicht mehr )?(?:(?:ein )?(?:scherz|witz"
    r"|irrtum)"
    r"|quatsch|so|vorbei|falsch|erledigt|überholt|hinfällig|vom tisch)|(?:haben wir"
    r"|wir haben (?:es|das)) (?:doch )?nicht|ich nehme (?:das|es) zurück"
    # French
    r"|(?:ah )?non,? (?:attends|attendez|en fait|finalement)|attends,? non"
    r"|(?:oublie|oubliez|annule|annulez|ignore|laisse)(?: ça|-le| cela| tomber)"
    r"|(?:en fait|finalement),? non|plus maintenant|je plaisant(?:e|ais)|je rigole"
    r"|(?:c'était|c'est) (?:juste |seulement )?(?:une blague|pour rire|une erreur|fini"
    r"|faux|terminé|du passé)|(?:ce n'est|c'est) plus (?:le cas|vrai|valable)"
    # Spanish
    r"|no,? espera|espera,? no|(?:olv[ií]da|ignora|cancela|borra)(?:lo| eso|d eso)"
    r"|(?:en realidad|mejor|de hecho),? no|ya no|(?:era|es|fue) (?:una )?broma"
    r"|(?:eso )?(?:era|es|fue|ya) (?:solo )?(?:(?:una )?broma|mentira|un error|pasado"
    r"|pasó|se acabó|terminó)|(?:eso )?ya no (?:es así|vale|aplica)|me retracto"
    # Russian
    r"|(?:нет|ой|не),? (?:стой|подожди|погоди)(?:те)?|(?:стой|подожди|погоди),? нет"
    r"|(?:забудь|забей|отмени|вычеркни|игнорируй)(?:те)?(?: это| про это| об этом)?"
    r"|(?:на самом деле|вообще-то|хотя),? нет|(?:уже|больше) (?:нет|не так)|передумали?"
    r"|(?:я |мы )(?:пошутили?|передумали?|шучу)|шучу|(?:это (?:была? )?)?шутка"
    r"|(?:но )?это (?:уже )?(?:в прошлом|позади|неправда|не так|ошибка|неактуально)"
    r"|беру (?:свои )?слова (?:назад|обратно)"
    rf"){_ENDS}"
    # a predicate that undoes the words before it
    r"|\b(?:was|were) (?:only |just )?(?:a joke|joking|kidding|a mistake)\b"
    r"|\bbut (?:not any ?more|no longer)\b|\bwar (?:nur )?ein (?:scherz|witz)\b"
    r"|\bétait une blague\b|\b(?:era|fue) (?:una )?broma\b|\bбыл[ао]? шутк\w+"
    # runs
    r"|(?:不对|不是|等等|等一下|慢着|哦不|算了)(?=[，,。！]|$)|(?:当|就当)我没说"
    r"|刚才说的不算"
    r"|(?:这|那)?(?:只)?是(?:开玩笑|玩笑|说笑)|开玩笑的|收回(?:这|刚才|我)|作废"
    r"|(?:已经)?不算数"
    r"|(?:其实|实际上)(?:并)?(?:没有|不是)(?=[，,。！]|$)|(?:现在|已经)(?:不是|不这样"
    r"|不用)了"
    r"|(?:已经)?(?:过去|取消|推翻)了(?=[，,。！]|$)|忘了(?:它|这个|吧)|我改主意了"
    r"|(?:いや|あ)[、,\s]*(?:待って|違う|ちがう|やっぱり)|待って[、,]|やっぱり(?:なし"
    r"|やめ|違)"
    r"|(?:今の|それ|これ|さっきの)は?(?:なし|忘れて|取り消し|冗談|無視して|違います)"
    r"|冗談(?:です|だ|でした)"
    r"|忘れてください|取り消し(?:ます|です)|撤回(?:します|する)|もう(?:違|やめました"
    r"|終わ)|今は(?:違|もう)"
    r"|(?:아니|앗)[,，]?\s*(?:잠깐|잠시만|취소)|잠깐[,，]?\s*아니|방금\s?(?:말|건"
    r"|거)[^.]{0,6}취소|취소(?:할게|합니다|해\s?줘)"
    r"|농담(?:이|입|이었|이에)|(?:그건|그거)\s?(?:잊어|취소|농담|아니|끝)|없던\s?(?:일"
    r"|걸)로|사실\s?(?:아니|그건\s?아니)"
    r"|이제는?\s?(?:아니|안\s?그)|더\s?이상\s?아니|마음이\s?바뀌",
    re.IGNORECASE,
)
_PLAIN_NO = re.compile(
    r"\W*(?:no|nope|nah|nein|non|нет|不|不是|不对|いいえ|違う|違います|아니|아니요"
    r"|아니다)\W*",
    re.IGNORECASE,
)


def is_imagined(said: str) -> bool:
    """Say whether a normalised clause tells what would be, not what is."""
    return _IMAGINED.search(said) is not None


def follows_from_imagined(said: str) -> bool:
    """Say whether a clause goes on with what was imagined before it."""
    return _FOLLOWS_FROM_IT.match(said) is not None


def retractions(text: str) -> list[tuple[int, int]]:
    """Give the places in one clause of words that take back what stands before."""
    if _PLAIN_NO.fullmatch(text):
        return [(0, len(text))]
    return [found.span() for found in _RETRACTED.finditer(text)]
