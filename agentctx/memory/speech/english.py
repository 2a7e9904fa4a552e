"""English speech acts."""

from __future__ import annotations

from agentctx.memory.speech.table import Table

TABLE = Table(
    preference=r"""
    I(?:'d|_would)?(?:_\w+ly|_very_much|_still)?_prefer my_preference preferred
    preference: we(?:_\w+ly)?_prefer prefer I(?:'d|_would)_(?:much_)?rather
    I_(?:really_)?(?:dislike|hate|can't_stand|don't_(?:like|want)_\w+ing)
    I_(?:really_)?don't_like
    I_(?:really_)?(?:like|love)_(?:my|when|it_when|having|seeing|short|small)
    my_favou?rite
    I_(?:really_)?(?:don't|do_not)_(?:ever_)?want_(?:any|to_(?:ever_)?see|you_to\
    |\w+s_in)\
    (?!.*(?<!\w)(?:yet|now|today|until|before|this|help\
    |errors?|failures?|problems?|issues?|bugs?|trouble|surprises?)(?!\w))
    I_want_no_\w+s
    """,
    durable=r"""
    (?:don't|do_not)_ever
    (?:all|every|each)_(?:\w+_){1,3}(?:must|should|has_to|have_to|needs?_to)
    I_want_(?:all|every|each) always never(?!_mind)
    from_(?:now|here|today)_on(?:wards?)? going_forward in_(?:the_)?future every_time
    each_time whenever at_all_times as_a_rule henceforth permanently by_default
    without_exceptions? until_further_notice all_new every_new in_every
    in_all_(?:of_)?(?:our|my|the) under_no_circumstances must_not for_all_(?:future|new)
    ^(?:please_|and_|also_|just_|(?:could|can|would|will)_you_)*stop_(?:using|adding|writing|putting|inserting\
    |appending|apologi[sz]ing|explaining|summari[sz]ing|repeating|committing|pushing\
    |creating|generating|inventing|mixing|touching|editing|abbreviating|prefixing\
    |mocking\
    |naming|wrapping)_(?!(?:the|this|that|these|those|it|them|so|and|at|on|a|an)\
    (?!\w))\w+
    (?:ask|consult|check_with|tell|warn|notify)_me_(?:first_)?before_you_\
    \w+_(?:(?:a|an|any|another|new)_\w+|(?:any|every)thing|\w+s$)(?!.*_(?:yet|now\
    |today)(?!\w))
    (?:ask|consult|check_with|tell|warn|notify)_me_(?:first_)?before_(?:you_)?\
    (?:commit|push\
    |merge|deploy|release|install|delet|refactor|renam|committ)(?:ing)?(?:_\w+s)?$
    (?:ask|consult|check_with|tell|warn|notify)_me_(?:first_)?before_\w+ing_(?:(?:a|an\
    |any\
    |another|new)_\w+|\w+s$)
    before_(?:you_)?\w+(?:_up|_in)?_(?:(?:a|an|any|another|new)_\w+|\w+s)\
    (?:_\w+)?,_(?:please_)?\
    (?:ask|consult|check_with|tell|warn|notify)_me
    before_(?:you_\w+_)?(?:every|each|any)_\w+
    """,
    decision=r"""
    let's_(?:use|go_with|go_for|adopt|keep(?!_(?:going|trying|looking|working))|stick\
    |switch|move_to|drop|remove|replace|settle_on|choose|pick|store|standardi[sz]e\
    |not_(?:use|support|keep)|support|migrate|target)
    let_us_(?:use|adopt|keep|go_with|switch)
    we(?:'re|_are)_(?:now_)?(?:going|sticking|switching|moving|dropping|adopting\
    |standardi[sz]ing)_(?:with|to|on|for|from)
    we(?:'re|_are)_(?:dropping|adopting|replacing|keeping|not_going_to)
    I(?:'m|_am)_going_with going_with
    (?:we|I|team)(?:'ve|_have)?_(?:just_|now_|finally_)?(?:decided|chose|chosen|agreed\
    |settled) it(?:'s|_is|_was)_decided decision: decided: final_decision
    (?:the|our)_decision_is
    we(?:'ll|_will|_won't)_(?:not_|never_|always_)?(?:use|adopt|keep|stick|go_(?:with\
    |for)|drop|support|store|ship|switch|write|target|replace|move)
    (?:from_(?:now|today)_on|going_forward|henceforth),?_we_(?:only_)?(?:use|keep|store\
    |ship|support|target)
    we_no_longer_(?:support|use|need) we_standardi[sz]e_on we_never_use
    no_backward_compatibility the_plan_of_record_is
    """,
    proposal=r"""
    I(?:'d|_would)?_(?:\w+ly_)?(?:suggest|recommend|propose|advise)
    my_(?:suggestion|recommendation|proposal) (?:we|you)_(?:could|should|can|might)
    let's shall_we how_about what_if_we proposal: recommendation:
    the_best_(?:option|choice|approach) it_would_be_(?:best|better)
    """,
    local=r"""
    (?<!from\x20)here(?!'s)(?!_(?:is|are|on)\b)
    (?:in|for|to|of|on|inside|within)_(?:just_|only_)?this_(?:\w+_)?(?:file|module\
    |function|class|method|patch|pr|pull_request|commit|branch|test|case|change|diff\
    |line|place|script|folder|directory|component|spot|block|loop|one|fix)
    this_(?:file|function|class|method|patch|one|test|line|pr)(?:_only)? only_this_one
    ^(?:please_|and_|then_|also_)*(?:change|make|fix|modify|patch|rewrite|refactor\
    |adjust)_the_\
    (?:\w+_){1,3}(?:to_|so_(?:that_)?(?:it_|they_)?)?(?:always|never)
    ^(?:please_|and_|then_|also_)*(?:fix|write|add|find|delete|remove|create|rename\
    |repair\
    |debug)_(?:a|an|the|this|that|all|those)_(?:\w+_){1,4}(?:that|which)_(?:always\
    |never)
    """,
    temporary=r"""
    this_time (?:just_|only_)?this_once just_once only_once for_now for_the_moment
    for_today today_only just_today for_the_time_being right_now at_the_moment
    this_(?:answer|reply|response|session|run|round|conversation|chat) one-?off
    temporarily as_an_exception in_your_next_(?:answer|reply)
    """,
    question=r"""
    ^(?:and_|so_|but_)?(?:should|shall|can|could|would|does|is|are|what|which|why|how\
    |who|where|did)_(?:we|you|i|it|they|the|this|that|is|are|one|to|come|there|about\
    |do|does)
    """,
    undecided=r"""
    haven't_(?:yet_|really_|actually_)?(?:decided|chosen|settled|agreed|made_up)
    have_not_(?:yet_)?(?:decided|chosen|settled|agreed) hasn't_been_decided
    not_(?:yet_|been_)?(?:decided|settled) not_(?:yet_|really_|so_)?(?:sure|certain)
    undecided whether
    still_(?:thinking|considering|debating|deciding|open|weighing|evaluating)
    (?:I'm|I_am|we're|we_are)_considering maybe perhaps I(?:'m|_am)_thinking_about
    torn_between open_question to_be_decided tbd wondering weighing trade-?offs?
    leaning_towards? pros_and_cons let's_(?:discuss|think|decide|consider) we_might
    I_might if_we_(?:decide|ever|go|adopt|use|switch) didn't_decide did_not_decide
    don't_know_(?:if|which|what)
    (?:you|we|I|one|they|it)_(?:could|can|might|may)_(?:always|never)
    """,
    report=r"""
    (?:docs?|documentation|readme|guide|guidelines?|wiki|manual|article|blog|post\
    |tutorial|colleagues?|boss|manager|teammate|they|he|she|someone|somebody|people\
    |linter|errors?|message|logs?|output|comments?|ticket|issue|vendor|customer|client\
    |book|website|page|author|[a-z]+\.md)_(?:\w+_){0,3}(?:says?|said|states?|stated\
    |recommends?|recommended|suggests?|suggested|tells?|told|claims?|claimed|wrote\
    |writes|mentions?|advises?|insists?|reads|prefers?|wants?) according_to it_says
    I_(?:read|heard)_(?:that|somewhere)? supposedly apparently used_to(?!_it)
    in_my_(?:last|previous|old) back_then was_told
    """,
    denied=r"""
    (?:I|we|nobody|no_one)_(?:have_|'ve_)?(?:never|did_not|didn't|don't\
    |haven't)_(?:actually_|even_)?(?:said|say|saying|asked|ask|told|tell|meant|mean\
    |agreed|agree|promised|claimed|wanted_you)
    (?:nobody|no_one)_(?:said|asked|decided|agreed) not_(?:saying|asking|telling)
    (?:is|was|isn't|wasn't|'s|that's)_not_(?:a|my|our)_(?:decision|preference|rule)
    (?:isn't|wasn't)_(?:a|my|our)_(?:decision|preference|rule|requirement)
    no_(?:strong_)?preference don't_(?:really_)?care no_decision
    (?:don't|doesn't|didn't|needn't|isn't|aren't)_(?:\w+_to_|necessarily_|be_\
    |want_to_)?always
    not_(?:have_to_|need_to_|necessarily_)?always
    (?:(?:don't|do_not)_(?:have|need)_to|no_need_to|not_necessary_to)_(?:\w+_){0,6}\
    (?:always|every_time|each_time)
    """,
    example=r"""
    ^for_example ^for_instance ^e\.?g\.? example: imagine suppose hypothetically
    (?:a|the)_(?:sentence|phrase|prompt|message)_(?:like|such_as)
    if_(?:a_user|the_user|someone|somebody|I)_(?:says?|said|writes?|wrote|types?)
    """,
    fact=r"""
    (?:always|never)_(?!(?:alias|focus|embed|shed|shred|exceed|succeed|proceed)(?!\w))\
    (?:is\
    |was|has|had|were|works?|crashed|happens?|fails?|finishes\
    |returns?|\w{2,}[^s\W]s|\w+(?<!fe)(?<!ne)(?<!se)(?<!be)ed)
    (?:the|these|this|our|my|it|they)_(?:(?!must|should|shall)\w+_){0,3}(?:always\
    |never)_(?:fail|time|break|finish|work|run|pass|return|throw|stop|take|end|get\
    |produce|show)\w*
    (?:the|our|my|it|they|these|this)_(?:(?!must|should|shall)\w+_){0,3}(?:always\
    |never)_(?:hang|crash)\w*
    (?:whenever|every_time|each_time)_[^.]{0,80}\b(?:crash|fail|hang|break|freeze\
    |throw)\w*(?![^.]*,_(?:please_|always_|never_|do_not_|don't_)*(?:add|ask|check\
    |find|fix\
    |include|look|open|print|re-?run|report|restart|retry|run|show|stop|tell|update|use\
    |write)(?!\w)) (?:keeps|kept)_\w+ing
    we_(?:always|never)_(?:get|got|see|saw|hit|ran_into|run_into|end_up|lose|lost|had\
    |forget)
    (?:always|never)_(?:been|did|saw|went|happy|glad|a_pleasure)
    I_(?:always|never)_(?:forget|forgot|get|see|saw|had|remember|know|knew|thought)
    ^you_(?:always|never|keep|kept)_(?!use)\w+
    """,
    artefact=r"""
    files? functions? class(?:es)? methods? modules? variables? config(?:uration)?
    tables? columns? endpoints? tests? schemas? packages? imports? fields? parameters?
    builds? cache repo(?:sitory)? code codebase project databases? services? scripts?
    apis? constants? server clients? loops? queries query logger parser handlers?
    pipeline app \w+\.(?:py|js|ts|go|rs|java|md|toml|json|ya?ml|c|h) \w+\(\) \w+\x5f\w+
    dockerfile makefile
    """,
    state=r"""
    is are has contains uses returns calls lives exists defines depends runs
    inherits implements currently throws raises reads writes takes was were located
    stored points supports sends (?:\w+er|module|file|package|script|it|class|code\
    |\w+\.py)_imports
    """,
    duty=r"""
    must should shall please let's don't do_not needs?_to has_to have_to want prefer
    ensure make_sure
    ought_to
    """,
    order=r"""
    ^(?:(?:please|and|so|but|then|also|remember|ok|okay|hey|from_now_on|going_forward\
    |henceforth|in_(?:the_)?future),?_)*(?:always|never)_(?!(?:is|are|was|were|been|has\
    |had|have|saw|got|went|ran|made|took|gave|came|found|broke|threw|did|left|lost\
    |wrote\
    |the|this|a|an|in|on|when)(?!\w)|(?!(?:alias|focus|embed|shed|shred|exceed|succeed\
    |proceed)(?!\w))\w+(?:[^s\W]s|ed)(?!\w))\w+
    ^(?:(?:from_now_on|going_forward|henceforth|in_(?:the_)?future|at_all_times\
    |by_default),?_)(?:please_)?(?!(?:the|this|that|these|our|my|it|they|all|there)\
    (?!\w))\w+
    (?:you|we|I|everyone|everybody|one)_(?:must|should|shall|have_to|need_to|ought_to\
    |want_to|will)_(?:always|never)
    we_(?:always|never)_(?!(?:had|been|saw|got|was|were)(?!\w)|\w+ed(?!\w))\w+
    ^(?:please_|and_|then_|also_)*(?:add|alphabeti[sz]e|annotate|append|apply|ask|avoid\
    |call|check|choose|commit|create|declare|define|delete|describe|ensure|explain\
    |follow\
    |give|group|indent|include|keep|leave|make|mention|mark|name|order|pin|prefer\
    |prefix\
    |put|quote|remove|rename|run|separate|set|show|sign|sort|spell|split|squash|tell\
    |treat\
    |update|use|validate|verify|wrap|write)_(?!(?:is|are|was|always|never)(?!\w))\w+
    (?:whenever|every_time|each_time|before|after|when|if)_[^,]*,_(?:please_|then_\
    |always_\
    |never_|also_|do_not_|don't_)*(?:add|ask|bump|call|check|commit|create|document\
    |ensure\
    |explain|format|include|keep|lint|make|mention|note|put|remove|run|show|sort|tell\
    |test\
    |update|use|verify|write)_\w+
    """,
    request=r"""
    (?:could|would|will)_you_(?:please_|kindly_)?(?:always|never|from_now_on\
    |in_(?:the_)?\
    future|going_forward),?_(?!(?:see|reproduce|rely|trust|get|tell|say|have|recommend\
    |be_able|want|use_it)(?!\w))\w+
    can_you_(?:please_|kindly_)(?:always|never|from_now_on|in_(?:the_)?future\
    |going_forward),?_(?!(?:tell|say)(?!\w))\w+
    (?:could|would|will|can)_you_(?:please_)?(?:not_ever|stop)_\w+
    (?:could|would|will|can)_you_(?:please_|kindly_)?(?!(?:explain|tell|describe|show\
    |list\
    |find|help|check|see|look|say|fix)(?!\w))(?:(?!(?:that|which|who|why|whether|if\
    |how|always\
    |never)(?!\w))\w+,?_){1,10}(?:from_now_on|going_forward|in_(?:the_)?future\
    |every_time\
    |each_time|at_all_times|before_(?:every|each|any)_\w+)(?:,?_please)?$
    would_you_mind_(?:always|never|not)_\w+ing
    (?:from_now_on|going_forward|in_(?:the_)?future),?_(?:could|would|can\
    |will)_you_(?!(?:explain\
    |tell)(?!\w))\w+
    """,
    acknowledgement=r"""
    ok okay k yes yep yeah yup sure fine agreed agree I_agree deal great perfect good
    right correct exactly absolutely definitely please thanks thank_you
    (?:sounds|looks)_(?:good|great|fine|right)(?:_to_me)? go_ahead go_for_it lgtm
    (?:ok(?:ay)?_)?(?:let's_)?do_(?:that|it|so)(?:_please)?
    let's_go_with_(?:that|it|this) make_it_so that_works(?:_for_me)? works_for_me
    that's_(?:fine|good|right|it) all_right alright let's_go
    I'm_(?:fine|ok|okay)_with_(?:that|it) that_one as_you_(?:suggest|propose|say)
    approved accepted
    """,
    opening=r"""
    from_now_on going_forward in_(?:the_)?future henceforth
    """,
    turn=r"but however although though whereas except_that for_example for_instance",
    plain=r"""
    use uses used using user users project prefer prefers preferred preference decide
    decided decision choose chose chosen adopt adopted always never should must shall
    will want wants like likes keep make go going let lets please instead rather not
    support supports supported longer don't only all every each new now future developer
    team wishes wish asked ask agreed rule default avoid stop switch switching stick
    sticking settle settled one may can
    """,
)
