"""How answers decline: patterns over one clause, apostrophes straight, any case.

English is complete enough to be measured; the other languages have their stock sentences.
"""
# ruff: noqa: E501 - a pattern on one line is easier to read than in pieces

from __future__ import annotations

import re

from sentinel.indicators.alternatives import Alternatives
from sentinel.indicators.phrases_abroad import CONTRAST_ABROAD, FILLERS_ABROAD, SHORT_ABROAD

_SOURCE = (
    r"(?:contexts?|passages?|documents?|documentation|docs|information|texts?|sources?|articles?|excerpts?|materials?"
    r"|knowledge base|search results|results|manual|handbook|snippets?|guide|chunks?|extracts?)"
    r"(?! (?:menu|manager|window|switch|variable|desk|booth|technology|box|field|area|editor|transmission|gearbox)(?:e?s)?\b)"
)
#: As often the matter itself as a source: a policy that does not cover floods answers.
_MATTER = r"(?:data|records?|content|pages?|files?|policy|policies|websites?|faqs?|database)"

_TELLS = (
    r"(?:provide|mention|include|contain|specify|state|say|answer|address|cover|give|discuss|describe|define"
    r"|explain|indicate|offer|list|tell|refer|reveal|clarify|have|hold|show|identify|detail|disclose|relate|pertain|concern|record|name|go into|touch on)"
)
_TOLD = (
    r"(?:provided|mentioned|specified|included|stated|given|available|covered|described|addressed|listed|found"
    r"|explained|defined|discussed|contained|present|disclosed|indicated|documented|part|recorded|named|identified|evidenced|noted)"
)
_ABLE = (
    r"(?:answer|find|locate|provide|determine|say|tell|confirm|verify|give|see|identify|predict|access|comment"
    r"|discuss|share|help|assist|offer|respond|advise|recommend|create|generate|compose|write|complete|perform|do that"
    r"|do this|fulfill|browse|open|view|look up|speculate|guess|be certain|be sure|make|engage|support|speak|address"
    r"|comply|name|retrieve|process|disclose|reveal|express|play|draw|translate|calculate|compute|continue)"
)
_KNOWLEDGE = (
    r"(?:information|knowledge|details?|data|context|access|answers?|records?|instructions?|documents?|enough|sufficient"
    r"|specifics?|idea|clue|ability|capability|capacity|means|sources?|evidence|expertise|opinions?|feelings|preferences)"
)
_UNABLE = r"(?:can ?not|can't|couldn't|could not|unable to|not able to|wasn't able to|am not able to|aren't able to|won't be able to|will not be able to|won't|will not|must decline to|have to decline to|don't feel able to|not (?:allowed|permitted|authorized|designed|equipped|programmed|qualified|comfortable|in a position) to|afraid i (?:can't|cannot))"
_ADVERBS = r"(?:(?:really|currently|unfortunately|simply|just|actually|fully|directly|definitively|yet|explicitly|specifically|clearly|also)\s+){0,2}"

_LEADS = r"(?:i(?:'m| am) (?:\w+ ){0,2}(?:sorry|afraid)|sorry|unfortunately|regrettably|apologies|no|hmm)"
#: Someone else is told to say it, or it depends: `if we cannot find …`, `reply with I don't know`.
NOT_SAID = re.compile(
    r"(?:\b(?:if|whether|when|whenever|unless|until|in case|where|once|because|so that|even if|even though)"
    r"(?: (?:the|these|this|your|its|their|an?|any|provided|given|relevant)){0,3}"
    r"|(?<!to )(?<!must )(?<!would )(?<!'d )\b(?:say|says|said|saying|repl(?:y|ies|ied)|respond|responds|responded|answers|write|writes|type|select|choose|pick|click|press|tap|enter|reads|shows|displays"
    r"|message|messages|option|phrase|phrases|error|button|labell?ed|called|heading|titled|tell (?:them|him|her|customers|users|people|the \w+|your \w+))"
    r"(?: (?:that|with|as|like|this|only))?)[\s:,\"'*_-]{0,4}$",
    re.IGNORECASE,
)
#: What depends on something is no decline of this answer.
CONDITION = re.compile(
    r"^\W*(?:if|when|whenever|in case|unless|once|should|where|because|since|as long as)\b[^,]{0,200},",
    re.IGNORECASE,
)

_ENGLISH = (
    rf"^\W*but (?:do|does|did)(?: not|n't) {_ADVERBS}{_TELLS}\b",
    # the sources do not say
    rf"\b{_SOURCE}\b(?:\s+\S+){{0,12}}?\s+(?:do|does|did)(?: not|n't)\s+{_ADVERBS}(?:(?:seem|appear) to )?(?:(?:directly|explicitly) )?{_TELLS}\b(?!.{{0,60}}\bby (?:design|default)\b)",
    rf"\b{_MATTER}\b(?:\s+\S+){{0,6}}?\s+(?:do|does|did)(?: not|n't)\s+{_ADVERBS}(?:(?:mention|specify|state|say|answer|address|tell|describe|explain|discuss|indicate|reveal)\b|{_TELLS} (?:\S+ ){{0,4}}(?:information|details?|answers?|mention)\b)",
    r"\b(?:it|that|this) (?:does not|doesn't) (?:say|tell|mention|specify|state)\b.{0,30}\b(?:in|anywhere in) (?:the|these|my|any)\b",
    rf"\b(?:it|they) (?:do|does|did)(?: not|n't) {_ADVERBS}(?:provide|mention|specify|state|say|include|give) (?:\S+ ){{0,2}}?(?:information|details?|whether|how|what|when|where|who|which|anything|any|specific)\b",
    rf"\b{_SOURCE}\b(?:\s+\S+){{0,6}}?\s+(?:lacks? (?:\S+ ){{0,3}}?(?:information|details?|mention|data|context)|fails? to {_TELLS}|(?:is|are) (?:silent|insufficient|not sufficient|not enough)|cannot answer)\b",
    r"\b(?:contexts?|passages?|documents?|sources?|texts?|articles?|excerpts?|materials?|results|data)\b(?:\s+\S+){0,6}?\s+(?:has|have|contains?|provides?|includes?|offers?|gives?|makes?) no\s+(?:\S+\s+){0,3}?(?:information|mention|details?|answers?|reference|data|indication)\b",
    rf"\bno (?:\w+ ){{0,3}}(?:information|mention|details?|references?|answers?|data|context|evidence|indication|records?|results|documents?|instructions)\b(?:\s+\S+){{0,14}}?\s+(?:in|from|within|among) (?:the|these|this|my|our|any|your) (?:\w+ ){{0,2}}{_SOURCE}\b",
    rf"\bno (?:\w+ ){{1,4}}{_TOLD} (?:\w+ )?(?:in|by|within|from) (?:the|these|this|any|my|our) (?:\w+ ){{0,2}}{_SOURCE}\b",
    r"\bthere (?:(?:does|do)(?:n't| not) (?:seem|appear) to be|(?:is|are|was|were)(?:n't| not)) (?:any|enough|sufficient|much|a single) (?:\w+ ){0,3}(?:information|mention|details?|reference|answers?|data|context|indication)\b",
    r"\b(?:there is|there's|there are|there was|there were|i have|i've|i found|(?:i|we)(?:'ve| have) found|i find|i see|we have|we found)\s+(?:\w+ly )?(?:(?:no|not enough|not any|insufficient|nothing)\s+(?!(?:definitive|single|simple|easy|right|universal|straightforward|correct|perfect|one) answer)(?:\w+ ){0,3}(?:information(?! (?:desk|booth|point|officer|technology))|mention|details?|reference|answers?|data|context|indication|knowledge|records?|results|idea|documents?|way to (?:know|tell|answer))|(?:nothing|nothing (?:\w+ ){1,2})(?:about|on|in))\b",
    rf"(?:\bnot|n't) (?:explicitly |specifically |directly |clearly |actually )?{_TOLD}\b(?:\s+\S+){{0,4}}?\s+(?:in|by|within|from) (?:the|these|this|any|my|our) (?:\w+ ){{0,2}}{_SOURCE}\b",
    rf"\bin (?:the|this|these) (?:\w+ )?{_SOURCE}\b[^.]{{0,80}}\b(?:is|are|was) not (?:explicitly |specifically |directly )?{_TOLD}\b",
    rf"^[^a-z]*(?:(?:unfortunately|sorry|i'm sorry|based on [\w ]{{3,40}}|from [\w ]{{3,40}}|in [\w ]{{3,40}}|according to [\w ]{{3,40}}),?\s+)?it(?:'s| is) (?:not (?:{_TOLD}|clear|known)|unclear|unknown|unspecified)\b",
    rf"^\W*(?:based on|from|given|according to|in) (?:the|this|these|my) (?:\w+ ){{0,3}}{_SOURCE},?\s.{{0,160}}\b(?:(?:can ?not|can't|could not) be (?:\w+ )?(?:determined|answered|found|established|confirmed|inferred|verified)|(?:is|are) (?:not {_TOLD}|unclear|unknown|unspecified))\b",
    r"\b(?:can ?not|can't|could not|couldn't) be (?:\w+ )?(?:determined|answered)\b",
    r"\b(?:it is|it's) (?:not possible|impossible|difficult|hard|not feasible) (?:for me )?to (?:\w+ly )?(?:determine|answer|say|tell|give|provide|identify)\b",
    # the first person cannot, does not know, will not
    rf"\bi(?:'m| am| was)? (?:\w+ly )?{_UNABLE}\s+{_ADVERBS}(?:be able to |seem to )?{_ABLE}\b(?! but (?:notice|think|feel|wonder|agree|mention|say|recommend|admire)\b)(?! (?:(?:a|any) )?(?:better|fault|single))(?<!recommend)(?<!express)(?<!say)",
    # 'I can't recommend it enough' praises
    rf"\bi (?:\w+ly )?{_UNABLE}\s+{_ADVERBS}(?:recommend|express|say)\b(?!.{{0,80}}\benough\b)",
    rf"\bwe(?: are| were|'re)? (?:\w+ly )?{_UNABLE}\s+{_ADVERBS}(?:be able to )?(?:(?:answer|find|locate|determine|say|tell|confirm|verify|identify|help|assist|respond|comment|advise|calculate|predict|speculate|summari[sz]e)\b|(?:provide|give|offer|share) (?:you )?(?:with )?(?:an?|any|the|that|this|such|more|specific|further|\w+)? ?(?:\w+ )?(?:information|answers?|details?|advice|guidance|response|summary|estimate|definition|explanation|recommendations?)\b)",
    r"\b(?:that|this|it|these|those)(?:'s| is| are| was)?(?: not|n't) (?:really |currently |exactly )?(?:something|anything|a (?:question|topic|subject|request|task)|an area|information) (?:that |which )?(?:i|we)(?:'m| am|'re| are)?(?: can| could|'d)? ?(?:\w+ ){0,3}(?:help|assist|answer|discuss|talk|speak|do|provide|comment|know|have|handle|cover|advise|share|support|address)\b",
    r"\b(?:is|are)(?: not|n't) (?:something|anything|a (?:topic|subject|matter)) (?:that |which )?(?:i|we) (?:can|could|am able to|'m able to|am allowed to|know|have)\b",
    r"\b(?:i|we)(?:'m| am|'re| are)? (?:currently |simply |unfortunately )?(?:lack(?:ing)?|missing) (?:\w+ ){0,4}(?:information|details?|context|data|knowledge|access|ability|expertise|evidence|documents?|sources?|means)\b",
    r"\bi(?:'d| would)? (?:rather|prefer) (?:not|to not)(?: to)? (?:answer|say|comment|discuss|talk|speculate|respond|share|give|get into|guess)\b|\bi (?:must |have to |will |'ll )?(?:respectfully |politely )?(?:decline|refuse|abstain)(?: from| to|\W*$)|\bi(?:'m| am) going to have to (?:decline|pass)\b",
    r"\bi(?:'m| am) (?:just|only|merely|simply) an? (?:\w+ ){0,3}(?:bot|ai|assistant|chatbot|program|model|machine|computer)\b.{0,60}\b(?:can ?not|can't|unable|don't|do not|not able|not)\b",
    r"\b(?:i|we) (?:really |quite |fully |still )?(?:did not|didn't|do not|don't|can't|cannot|couldn't|could not|am not able to|was not able to) (?:really |quite |fully |clearly )?(?:understand|catch|follow|make sense of|parse|interpret)\b(?: (?:your|the|that|this|what|you|it|exactly)\b|\W*$)",
    r"\bthat(?:'s| is) (?:outside|beyond|above|not (?:within|part of)) (?:of )?(?:what )?(?:i|my|our|we)\b|\b(?:this|it)(?:'s| is| goes| falls) (?:well )?(?:outside|beyond)(?: of)? (?:what (?:i|we)|my)\b|\b(?:i|we)(?:'m| am|'re| are)? (?:can |could )?only (?:able to |allowed to )?(?:answer|help|assist|respond|discuss|talk)\b.{0,60}\b(?:about|with|on|related|from|based|to)\b",
    # the information is not there
    r"\b(?:that|this|the|such|your|any|no|requested|relevant|specific) (?:\w+ ){0,3}?(?:information|info|answers?|details?|data|figures?|topic|question|content|value|number)(?: (?:\w+ ){1,6}?|s? )(?:is|are|was|were)(?: not|n't) (?:currently |yet |readily |publicly |explicitly )?(?:available|accessible|known|provided|given|included|listed|specified|mentioned|stated|covered|present|disclosed|contained|there|answerable|addressed)(?:\W*$| (?:to (?:me|us)|at (?:this|the)|right now|here|yet|anywhere|so\b)| (?:in|from|by|within) (?:the|my|these|this|our|any) (?:\w+ ){0,2}(?:contexts?|passages?|documents?|documentation|docs|texts?|sources?|articles?|excerpts?|materials?|knowledge base|search results|results|records?|snippets?|files?)\b)",
    r"\b(?:information|info|answers?|details?) (?:\w+ ){0,4}?(?:is|are) (?:\w+ly )?(?:unavailable|unknown)\b|\b(?:information|info|answers?|details?) (?:\w+ ){1,5}?(?:was|were|is|could)(?: not|n't) (?:be )?(?:found|available|located|known)\W*$|\bno (?:such )?(?:information|answer|details?|data|records?|results?|documents?)\b.{0,60}\b(?:is|are|was|were|could be|has been|have been) (?:available|found|provided|given|located|included|retrieved)\b|\bno (?:answer|information|details?)\b.{0,40}\bavailable\b|\bunanswerable\b",
    r"\b(?:is|are|was|were)(?: not|n't) (?:\w+ly )?(?:listed in|given in|included in|stated in|specified in|in|part of|among|contained in|present in|found in|covered in|covered by|available in|mentioned in|addressed in|anywhere in|to be found in|answered by|answered in) (?:the|these|this|my|our|any|any of the|what) (?:\w+ ){0,2}(?:contexts?|passages?|documents|documentation|docs|sources?|excerpts?|materials?|knowledge base|search results|snippets?|texts?|i have|i was given)\b",
    rf"\b(?:nothing|none|neither|nowhere|not one|not a single one) (?:(?:in|of|from|among|within) )?(?:(?:the|these|this|my|our|any|your) )?(?:\w+ ){{0,2}}{_SOURCE}\b",
    rf"^[^a-z]*(?:{_LEADS}\W+(?:but )?)?(?:nothing|none|no (?!evidence|proof|link|association|difference|signs?|traces?|correlation|effects?|cases?)\w+) (?:\w+ ){{0,4}}(?:was|were|is|has been|could be) (?:\w+ ){{0,2}}(?:found|said|mentioned|retrieved|known|located|returned|stated)\b.{{0,60}}\b(?:{_SOURCE}|about|on|regarding|that|question|this|\W*$)",
    rf"^[^a-z]*(?:{_LEADS}\W+(?:but )?)?no (?:\w+ ){{0,2}}(?:passage|document|source|excerpt|snippet|article|text|record)s? (?:\w+ ){{0,4}}?(?:{_TELLS}s?|addresses|discusses|describes|answers|says|talks?|speaks?)\b",
    r"\b(?:there is|there's|there was|i see|i found|(?:i|we)(?:'ve| have) found|i find|i have|i can find|i could find) nothing (?:\w+ ){0,4}(?:about|on|regarding|that|in|relevant|related|to)\b",
    rf"\b{_SOURCE}\b(?:\s+\S+){{0,6}}?\s+(?:says?|contains?|has|have|offers?|provides?|mentions?|includes?|gives?) (?:nothing|no \w+|little) (?:\w+ ){{0,2}}(?:about|on|regarding|concerning|for|of|to|relevant)\b",
    r"\b(?:my|our) (?:knowledge base|knowledge|sources|documents|documentation|context|data|records|training)(?: \w+){0,4} (?:doesn't|does not|don't|do not|lacks?) (?!.{0,60}\bby (?:design|default))",
    r"^\W*(?:insufficient|no|not|cannot|cant|out|unable|missing|off)_[a-z_]{3,40}\b|^\W*(?:abstain|unanswerable|refus(?:e|ed|al))\s*[:.–-]",
    r"\bnot? (?:be )?able to (?:answer|find|locate|determine|provide|assist|help with) (?:that|this|your|the|any|an)\b|\b(?:question|query|request|this|that|it) (?:can ?not|can't|could not|couldn't) be (?:\w+ )?(?:answered|determined|resolved|addressed|verified)\b",
    r"\b(?:(?:but|and) (?:i )?(?:found|saw) nothing (?:relevant|about|on|useful|related)|i have no (?:idea|clue)|your guess is as good as mine|who knows|not that i(?:'m| am) aware of|not to my knowledge|i wish i (?:knew|could)|i(?:'ve| have) (?:not|never) (?:been (?:given|provided)|heard of)|i(?:'ve| have)n't been (?:given|provided))\b",
    r"\bi(?:'m| am) (?:afraid|sorry)\W+(?:but )?(?:i|we|that|this|it|there)?\b.{0,30}\b(?:can ?not|can't|unable|not able|won't|don't (?:know|have))\b.{0,40}\b(?:help|assist|answer|do|question|request|that|this|know|have|information)\b",
    rf"\b(?:i|we) (?:currently |actually |simply |just |really )?(?:do not|don't|did not|didn't) (?:currently |actually |yet |really )?(?:have|see|find|possess|hold)\s+(?:\S+\s+){{0,5}}?{_KNOWLEDGE}\b",
    r"\b(?:i|we) (?:really |actually |honestly |simply |just |currently )?(?:do not|don't) know(?!\s+(?:anyone|anybody|a single|of an?y?\b|if you|whether you|that you|about you))\b",
    r"\b(?:i|we) (?:have|had|found|find|see) (?:absolutely )?(?:no|insufficient|nothing|too little) (?:\w+ ){0,2}(?:information|idea|knowledge|details?|data|context|records?|access|answers?|way|clue|evidence|mention|about|on|in)\b",
    r"\b(?:i|we)(?: would|'d| will|'ll)? (?:need|require) (?:\w+ ){0,2}(?:more|additional|further) (?:\w+ ){0,2}(?:information|context|details?|specifics|clarification)\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:not|un)(?: entirely| quite| really| completely)? ?(?:sure|certain|aware|familiar|clear)\b(?! (?:whether )?you (?:have|will|can))",
    r"^\W*(?:(?:i'm |i am )?(?:sorry|afraid|unfortunately)[,.]? )?(?:but )?without (?:\w+ ){0,4}(?:details?|information|context|clarification),? it (?:could|might|may) be\b",
    r"\bas an? (?:ai|artificial intelligence|language model|large language model|chatbot|assistant|virtual assistant)\b.{0,60}\b(?:can ?not|can't|unable|don't|do not|not able|not capable|am not)\b",
    r"\bcan ?not (?:answer|assist with|help with|fulfil?l|provide|respond to) (?:that|this|your|the|any)\b",
    r"\bunable to (?:answer|find|locate|determine|provide|assist|help)\b",
    # looked for, and not there
    r"\b(?:i|we)(?:'ve| have)(?: not|n't) been able to (?:find|locate|determine|answer|verify|confirm)\b",
    rf"\b(?:can ?not|can't|could not|couldn't) be (?:\w+ )?(?:found|located|identified|established|confirmed|inferred|derived)\b(?: \S+){{0,3}}? (?:in|from|within|based on|using|with) (?:any of )?(?:the|these|this|any|my|our) (?:\w+ ){{0,2}}{_SOURCE}\b",
    r"\b(?:information|info|answers?|details?) (?:can ?not|can't|could not|couldn't|was not|wasn't|were not|weren't) (?:be )?(?:found|located|retrieved)\b(?! (?:by|on|at|until|before)\b)",
    r"\b(?:information|info|details?|answers?)(?: \w+){0,6}? (?:is|are) (?:missing|absent)(?:\W*$| (?:from|in) (?:the|these|this|my)\b)|\b(?:is|are) (?:missing|absent) (?:from|in) (?:the|these|this) (?:provided |given |retrieved )?(?:contexts?|documents|sources|passages|excerpts)\b",
    r"^\W*(?:but|yet) (?:i |we )?(?:have )?(?:found|saw|see|find|could find|can find) no (?:\w+ ){0,2}(?:mention|information|details?|references?|answers?|documents?)\b",
    rf"\bi (?:\w+ ){{1,8}}(?:and|then) {_UNABLE} (?:find|locate|see)\b",
    r"\b(?:i|we)(?:'ve| have)(?: not|n't) (?:yet )?(?:found|seen|located|come across) (?:anything|any (?:\w+ ){0,2}(?:information|mention|details?|references?|answers?|documents?)|that|an answer|the answer|it)\b(?! better)",
    r"\b(?:i|we) (?:do not|don't|did not|didn't) (?:\w+ly )?(?:see|find) (?:anything (?:about|on|in|regarding|that|like|related|relevant)|that\b|an answer|any (?:\w+ ){0,2}(?:mention|references?|information|details?|answers?|documentation)\b)",
    rf"\b(?:i|we) (?:do not|don't|did not|didn't) (?:\w+ly )?(?:see|find) (?!any (?:reason|harm|problem|issue|contradiction))(?:\S+ ){{1,6}}?(?:in|within|among) (?:the|these|my|any|this|your) (?:\w+ ){{0,2}}(?:{_SOURCE})\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:still )?having (?:some )?(?:trouble|difficulty|difficulties|a hard time) (?:finding|locating|answering|retrieving|accessing)\b",
    r"^[^a-z]*(?:sorry\W+)?no (?:\w+ ){0,2}(?:results?|matches|hits|documents?|information|entries|answers?) (?:(?:was|were|is|are|could be) )?(?:found|available|returned|retrieved) (?:for|on|about|matching|regarding|in response to)\b[^,;]{0,80}$",
    r"\b(?:my|your|our|the) (?:document |web |internet |database |vector |knowledge base )?(?:search|query|lookup|retrieval) (?:(?:returned|yielded|produced|found|gave|brought up) (?:no|zero) (?:\w+ ){0,2}(?:results?(?! page)|matches|hits|documents?|information|answers?)|returned nothing|(?:did not|didn't) (?:return|yield|produce|find|give) (?:anything|any (?:\w+ ){0,2}(?:results?|matches|hits|documents?|information|answers?)))\b",
    rf"^[^a-z]*(?:{_LEADS}\W+(?:but )?|although |though |while |but )?(?:the|this|that|its|their|your) (?:\w+ ){{1,5}}?(?:is|are|was|were)(?: not|n't) (?:explicitly |specifically |directly |clearly )?(?:specified|mentioned|stated|indicated|disclosed|documented)\W*$",
    r"^\W*it (?:doesn't|does not|didn't|did not) say\W*$",
    rf"\b(?:is|are|was|were) (?:unknown|unclear|not (?:clear|evident|apparent|known)) (?:from|based on|given) (?:the|these|this|my) (?:\w+ ){{0,2}}{_SOURCE}\b",
    rf"\b(?:there|it) (?:does|do|did)(?:n't| not) (?:seem|appear) to be anything\b|\b(?:is|are)(?: not|n't) (?:something|anything) (?:that )?(?:the|these|my|our) (?:\w+ )?{_SOURCE}\b",
    rf"\b{_SOURCE} (?:has|have|had) nothing to say (?:about|on)\b|\bi (?:was|were|have been)(?: not|n't) (?:given|provided|shown)\b|\bi(?:'m| am) not (?:seeing|finding)\b|\bi have no (?:\w+ )?sources?\b",
    r"\bit isn't possible (?:for me )?to (?:\w+ly )?(?:determine|answer|say|tell|give|provide|identify)\b|\b(?:my|your|our) search (?:turned up|yielded|produced|found|came up with) nothing\b|\bnothing (?:\w+ )?came up in (?:my|your|the) search\b",
    r"^\W*no (?:\w+ ){0,2}(?:passages|documents|results|articles|records|entries) (?:match(?:ed)?|fit|fitted) (?:your|this|that|the) (?:question|query|search|request)\b|\bthe requested (?:\w+ )?(?:document|file|passage|page|article|information) (?:could not|couldn't|cannot|can't) be \w+",
    # other things it can do, or first needs
    r"^\W*(?:in order )?to (?:answer|help|assist|check|look)\b[^,]{0,60}, (?:i|we)(?:'d| would|'ll| will)? (?:first )?need\b",
    r"\b(?:i|we) can only (?:see|access|find|read)\b|\b(?:i|we) only (?:know about\b|have access to\b|have (?:\w+ )?(?:information|details|data|knowledge|documents|documentation)\b)|\bmy (?:\w+ )?(?:documents|sources|knowledge base|knowledge|information) only (?:covers?|extends?|includes?)\b",
    r"\bthis (?:assistant|bot|chatbot|tool) (?:can ?not|can't|is (?:not able|unable) to|only) (?:answers?|help|assist|handle)\b",
    # the question is not for this assistant
    r"\b(?:question|request|query|topic|this|that)\b.{0,40}\b(?:is|are|falls?|lies?|goes)(?: not|n't)? (?:\w+ )?(?:related to|relevant to|covered by|within|outside|beyond|out of|unrelated to)\b.{0,30}\b(?:contexts?|topics?|scope|documents?|passages?|information|knowledge|expertise|sources?|capabilities)\b",
    r"\b(?:context|information|passages?|documents?|text)\b(?: \S+){0,6} (?:is|are)(?: not|n't) (?:\w+ )?(?:related|relevant|sufficient|enough|helpful)\b",
    r"\b(?:outside|beyond|out of) (?:of )?(?:my|the|our) (?:\w+ )?(?:scope|knowledge|capabilities|expertise|abilities)\b(?! of (?:the|this|our|your|my|an?) (?:\w+ )?(?:warranty|guarantee|contract|policy|law|agreement|insurance|plan|licen[cs]e|licensing|study|project)\b)",
    r"\b(?:not enough|insufficient) (?:information|context|data|details?|evidence)\b",
    r"\b(?:couldn't|could not|can't|cannot|didn't|did not) find (?:any|that|this|the|an|information|anything|a)\b.{0,80}\b(?:documents?|context|information|sources?|passages?|knowledge base|answer|results|records?|mention)\b",
    r"^\W*no (?:mention|information|details?|data|reference) (?:of|on|about|regarding|for) [^,.]{1,80}\W*$",
    r"^\W*(?:no|not) (?:information|answer|data|results?|relevant \w+|matching \w+|sufficient \w+)(?: (?:was|were|is|are))?(?: (?:found|available|provided|given))?\W*$",
    r"\b(?:against|violates?) (?:my|our|the|openai's|ethical) (?:\w+ )?(?:guidelines|policy|policies|programming)\b",
    r"\bsorry\b.{0,30}\b(?:context|information|passage|document|text)s?\b.{0,40}\b(?:is|are) (?:only )?about\b.{0,80}\bnot\b",
    r"\bsorry\b.{0,30}\b(?:context|information|passage|document|text)s?\b.{0,40}\b(?:is|are) (?:only )?about\b",
    r"\b(?:sorry|cannot|can't|unable|could not|failed)\b.{0,60}\btechnical (?:issue|error|difficult|problem)|\bmodel is (?:currently )?overloaded\b",
)
DECLINES = Alternatives(_ENGLISH)

#: Folded words (`don't` is `don` and `t`) without one of which no clause declines.
TRIGGERS = frozenset(
    b"""no not t cannot cant dont doesnt isnt unable unknown unclear unspecified unrelated nothing none neither nowhere
    insufficient lack lacks lacking missing fail fails sorry unfortunately without outside beyond out need require silent
    failed overloaded difficult impossible hard decline refuse abstain against violate violates unaware uncertain
    unfamiliar unanswerable unavailable unanswered only little limited rather absent trouble difficulty difficulties""".split()
)

_LACKED = r"(?:information|info|context|data|evidence|details?|answer|response|documents?|results?|records?|knowledge|sources?)"
#: Whole answers that decline in a few letters; case, marks of punctuation and underscores left out.
SHORT_DECLINES = re.compile(
    r"(?:(?:final )?(?:answer|response) )?(?:sorry,? |hmm,? |unfortunately,? |i'm sorry,? (?:but )?)?(?:idk|i dk|dunno|i dunno|no (?:idea|clue)|not sure|i'm not sure|unknown|n/?a|none|null|nil"
    rf"|no (?:relevant |matching |supporting |available )?{_LACKED}(?: (?:found|available|provided|given))?|(?:insufficient|not enough|missing|lack of) {_LACKED}(?: (?:to answer|available|provided))?"
    r"|i do(?:n'?t| not) know|do(?:n'?t| not) know|no comment|beats me|search me|n\.a|un ?answerable|not answerable|(?:i )?(?:cannot|can'?t|can not|could not|couldn'?t|unable to|won'?t) (?:be )?(?:answer|answered|determine|determined|say|tell|help|respond|comply)"
    r"|(?:answer |information )?not (?:found|available|applicable|specified|mentioned|stated|provided|known|given|covered|listed|supported|disclosed|determinable|in (?:the )?(?:provided |given )?(?:context|documents?|passages?|sources?|text|knowledge base))"
    r"|no can do|sorry|i'm sorry|sorry,? no|no,? sorry|pass|abstain(?:ed)?|refused?|refusal|declined?|out of (?:scope|domain|context)|off topic|outside (?:the )?scope|unavailable|undetermined|indeterminate|unspecified|undisclosed|unclear|tbd"
    rf"|{SHORT_ABROAD})(?:,? (?:sorry|i'm afraid|at the moment|right now|yet))?",
    re.IGNORECASE,
)

_ADVICE = (
    r"\b(?:you (?:may|might|can|could|should|will need to|would need to)|i (?:would |can |'d )?(?:suggest|recommend|advise)"
    r"|(?:it is|it's|it would be|it may be|it might be) (?:\w+ )?(?:best|recommended|advisable|better|helpful|necessary)|try|best to|is to)\b"
)
#: Apologies, questions back, offers and pointers elsewhere: they neither decline nor answer.
FILLERS = Alternatives((
    r"\?\W*$",
    r"^\W*(?:but |however,? |so |and )?(?:(?:i'm|i am|we're|we are) (?:\w+ )?(?:sorry|afraid)|sorry|apologies|i apologi[sz]e|unfortunately)\b[^a-z]*(?:(?:for|about) .{0,80}|to hear .{0,80}|i .{0,30})?$",
    r"^\W*(?:but |however,? |so |and |if .{3,80}, )?(?:please|kindly|feel free|let me know|let us know|can you|could you)\b",
    r"^\W*(?:but |however,? |so |and )?if (?:you|there) .{0,120}\b(?:please|let me know|i can|i'll|i will|i'd|i would|happy to|glad to|able to assist|it is best to)\b",
    rf"{_ADVICE}.{{0,40}}\b(?:contact(?:ing)?|consult(?:ing)?|refer(?:ring)?|reach(?:ing)? out|ask(?:ing)?|speak(?:ing)? (?:to|with)|seek(?:ing)?|retry)\b",
    rf"{_ADVICE}.{{0,40}}\b(?:check(?:ing)?|visit(?:ing)?|see|look(?:ing)?|search(?:ing)?|review(?:ing)?|call(?:ing)?)\b.{{0,80}}\b(?:manual|guide|support|website|websites|site|sites|dealer|professional|mechanic|documentation|team|expert|manufacturer|provider|administrator|source|sources|online|doctor|lawyer|centers?|centres?)\b",
    r"\b(?:provide|give|share|clarify|supply) (?:me )?(?:with )?(?:more|additional|further|the)\b.{0,60}\b(?:so|help|assist|context|information|details?)\b",
    r"\b(?:happy|glad|here) to (?:help|assist)\b|\bhelp center\b|\brequest id\b",
    *FILLERS_ABROAD,
))  # fmt: skip
#: Sentences that say what the sources hold instead of answering from them.
ABOUT_THE_CONTEXT = re.compile(
    rf"^\W*(?:but |however,? |instead,? |rather,? |in fact,? |while |although |the |these |this |provided |given )*"
    rf"(?:(?:it|they)|{_SOURCE})(?: (?:that )?(?:you )?(?:provided|given))?,? (?:do |does |did )?(?:\w+ly )?(?:only |just )?"
    r"(?:mentions?|states?|provides?|discuss(?:es)?|talks?|covers?|describes?|focus(?:es)?|contains?|refers?|explains?|notes?|says?"
    r"|lists?|address(?:es)?|includes?|deals?|(?:is|are) (?:only |just |mainly |mostly )?(?:about|limited to|mentioned|stated))\b"
    r"|^\W*(?:but |however,? )?it (?:is|was) (?:only |also )?(?:mentioned|stated|noted)\b"
    rf"|^\W*no,? (?:the |this |these |provided |given )*{_SOURCE}(?: (?:provided|given))? (?:only )?(?:provides?|contains?|includes?|has|have|gives?) (?:only )?(?:information|details?|instructions?|guidance|data)\b",
    re.IGNORECASE,
)
#: What opens an answer after a decline.
CONTRAST = re.compile(
    r"\W*(?:but|however|though|still|nevertheless|nonetheless|that said|having said|in general|generally|typically"
    r"|usually|instead|based on|from (?:my|general)|as a general|here"
    rf"{CONTRAST_ABROAD})(?![^\W\d_])",
    re.IGNORECASE,
)

#: Whole answers made of nothing but these ask back instead of answering.
ASKS_BACK = re.compile(
    r"^\W*(?:(?:i'm |i am )?sorry\W+|to help you\W+|just to (?:be sure|confirm|clarify)\W+|before i (?:answer|can \w+)\W+|so that i can \w+( you)?\W+|and |or |but |if so\W+)*(?:"
    r"(?:can|could|would|will) you (?:\w+ ){0,2}?(?:clarify|specify|rephrase|elaborate|explain what|provide|give me|share|tell me|be more specific|confirm|repeat|describe|expand|restate|reword|narrow)\b"
    r"|(?:please )?(?:clarify|specify|rephrase|elaborate|provide|share|tell me|let me know|be more specific|confirm|restate|reword) (?:\w+ ){0,3}(?:which|what|your|more|the|if|whether|details?|question|on|about|model|you)\b"
    r"|(?:which|what (?:exactly|kind|type|sort|model|version|product|country|plan|order|year|device|specific|part|do you mean|are you (?:referring|asking|trying|looking)))\b.{0,200}\?"
    r"|(?:do|did) you mean\b|are you (?:asking|referring|talking|looking|interested|using|trying|on)\b.{0,200}\?|is (?:this|that|it) (?:about|for|regarding)\b.{0,200}\?|who or what\b|i(?:'m| am) not sure (?:what|which) you\b"
    r"|k[öo]nn(?:en sie|test du|ten sie)\b.{0,80}\b(?:genauer|präzisieren|umformulieren|mitteilen|erläutern|konkretisieren|sagen)\b|welche[nrs]?\b.{0,120}\?|meinen sie\b|meinst du\b|pou(?:vez|rriez)-vous (?:\w+ ){0,2}(?:préciser|reformuler|clarifier|me dire|fournir)|de quel(?:le)?\b.{0,100}\?|quel(?:le)?s? .{0,100}\?"
    r"|¿?(?:podrías?|puedes?|puede) (?:\w+ ){0,2}(?:aclarar|especificar|reformular|precisar|indicar\w*|decirme|proporcionar)|¿(?:a qué|qué|cuál)\b.{0,100}\?|potrebbe (?:\w+ )?(?:chiarire|specificare|precisare|riformulare)|puoi (?:\w+ )?(?:chiarire|specificare|precisare|riformulare)|(?:poderia|pode) (?:\w+ )?(?:esclarecer|especificar|reformular|informar)|k(?:un|unt|an) (?:u|je) (?:\w+ ){0,3}(?:verduidelijken|specificeren|herformuleren)"
    r"|(?:czy )?(?:może pan|może pani|możesz|mógłbyś) (?:\w+ ){0,2}(?:doprecyzować|wyjaśnić|podać)|.{0,60}(?:教えていただけますか|教えてください|どの.{1,30}ですか|詳しく)|.{0,30}(?:请问|請問|您指的是|您是指|哪(?:个|一|款|種|种))|.{0,60}(?:말씀하시는|알려주시겠|어떤 .{1,30}인가요)"
    r")",
    re.IGNORECASE,
)
