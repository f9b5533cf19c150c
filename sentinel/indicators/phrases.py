"""How answers decline: patterns over one clause, apostrophes straight, any case.

English is complete enough to be measured; the other languages have their stock sentences.
"""
# ruff: noqa: E501 - a pattern on one line is easier to read than in pieces

from __future__ import annotations

import re

_SOURCE = (
    r"(?:contexts?|passages?|documents?|documentation|docs|information|texts?|sources?|articles?|excerpts?|materials?"
    r"|knowledge base|search results|results|data|records?|manual|content|snippets?|pages?|files?|guide|policy|policies)"
)
_TELLS = (
    r"(?:provide|mention|include|contain|specify|state|say|answer|address|cover|give|discuss|describe|define"
    r"|explain|indicate|offer|list|tell|refer|reveal|clarify|have|hold|show|identify|detail|disclose|relate|pertain|concern)"
)
_TOLD = (
    r"(?:provided|mentioned|specified|included|stated|given|available|covered|described|addressed|listed|found"
    r"|explained|defined|discussed|contained|present|disclosed|indicated|documented|part)"
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
_ADVERBS = r"(?:(?:really|currently|unfortunately|simply|just|actually|fully|directly|definitively|yet|explicitly|specifically|clearly|also)\s+){0,2}"

_ENGLISH = (
    rf"^\W*but (?:do|does|did)(?: not|n't) {_ADVERBS}{_TELLS}\b",
    # the sources do not say
    rf"\b{_SOURCE}\b(?:\s+\S+){{0,12}}?\s+(?:do|does|did)(?: not|n't)\s+{_ADVERBS}{_TELLS}\b",
    rf"\b(?:it|they) (?:do|does|did)(?: not|n't) {_ADVERBS}(?:provide|mention|specify|state|say|include|give) (?:\S+ ){{0,2}}?(?:information|details?|whether|how|what|when|where|who|which|anything|any|specific)\b",
    rf"\b{_SOURCE}\b(?:\s+\S+){{0,6}}?\s+(?:lacks? (?:\S+ ){{0,3}}?(?:information|details?|mention|data|context)|fails? to {_TELLS}|(?:is|are) (?:silent|insufficient|not sufficient|not enough)|cannot answer)\b",
    r"\b(?:contexts?|passages?|documents?|sources?|texts?|articles?|excerpts?|materials?|results|data)\b(?:\s+\S+){0,6}?\s+(?:has|have|contains?|provides?|includes?|offers?|gives?|makes?) no\s+(?:\S+\s+){0,3}?(?:information|mention|details?|answers?|reference|data|indication)\b",
    rf"\bno (?:\w+ ){{0,3}}(?:information|mention|details?|references?|answers?|data|context|evidence|indication|records?|results|documents?|instructions)\b(?:\s+\S+){{0,14}}?\s+(?:in|from|within|among) (?:the|these|this|my|our|any|your) (?:\w+ ){{0,2}}{_SOURCE}\b",
    r"\b(?:there is|there's|there are|there was|there were|i have|i've|i found|i find|i see|we have|we found)\s+(?:\w+ly )?(?:no|not enough|not any|insufficient|nothing)\s+(?:\w+ ){0,3}(?:information|mention|details?|reference|answers?|data|context|indication|knowledge|records?|results|idea|documents?|way to (?:know|tell|answer)|about|on|in)\b",
    rf"\bnot (?:explicitly |specifically |directly |clearly |actually )?{_TOLD}\b(?:\s+\S+){{0,4}}?\s+(?:in|by|within|from) (?:the|these|this|any|my|our) (?:\w+ ){{0,2}}{_SOURCE}\b",
    rf"\bin (?:the|this|these) (?:\w+ )?{_SOURCE}\b[^.]{{0,80}}\b(?:is|are|was) not (?:explicitly |specifically |directly )?{_TOLD}\b",
    rf"^[^a-z]*(?:(?:unfortunately|sorry|i'm sorry|based on [\w ]{{3,40}}|from [\w ]{{3,40}}|in [\w ]{{3,40}}|according to [\w ]{{3,40}}),?\s+)?it(?:'s| is) (?:not (?:{_TOLD}|clear|known)|unclear|unknown|unspecified)\b",
    rf"^\W*(?:based on|from|given|according to|in) (?:the|this|these|my) (?:\w+ ){{0,3}}{_SOURCE},?\s.{{0,160}}\b(?:(?:can ?not|can't|could not) be (?:\w+ )?(?:determined|answered|found|established|confirmed|inferred|verified)|(?:is|are) (?:not {_TOLD}|unclear|unknown|unspecified))\b",
    r"\b(?:can ?not|can't|could not|couldn't) be (?:\w+ )?(?:determined|answered)\b",
    r"\b(?:it is|it's) (?:not possible|impossible|difficult|hard|not feasible) (?:for me )?to (?:\w+ly )?(?:determine|answer|say|tell|give|provide|identify)\b",
    # the first person cannot, does not know, will not
    rf"\b(?:i|we)(?:'m| am| was|'re| are| were)? (?:\w+ly )?(?:can ?not|can't|couldn't|could not|unable to|not able to|wasn't able to|am not able to|aren't able to|won't be able to|will not be able to|won't|will not|must decline to|have to decline to|don't feel able to|not (?:allowed|permitted|authorized|designed|equipped|programmed|qualified|comfortable|in a position) to|afraid i (?:can't|cannot))\s+{_ADVERBS}(?:be able to )?{_ABLE}\b",
    rf"\b(?:i|we) (?:currently |actually |simply |just |really )?(?:do not|don't|did not|didn't) (?:currently |actually |yet |really )?(?:have|see|find|possess|hold)\s+(?:\S+\s+){{0,5}}?{_KNOWLEDGE}\b",
    r"\b(?:i|we) (?:really |actually |honestly |simply |just |currently )?(?:do not|don't) know(?!\s+(?:of any|if you|whether you|that you|about you))\b",
    r"\b(?:i|we) (?:have|had|found|find|see) (?:absolutely )?(?:no|insufficient|nothing|too little) (?:\w+ ){0,2}(?:information|idea|knowledge|details?|data|context|records?|access|answers?|way|clue|evidence|mention|about|on|in)\b",
    r"\b(?:i|we) (?:would |'d |will |'ll )?(?:need|require) (?:\w+ ){0,2}(?:more|additional|further) (?:\w+ ){0,2}(?:information|context|details?|specifics|clarification)\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:not|un)(?: entirely| quite| really| completely)? ?(?:sure|certain|aware|familiar|clear)\b(?! (?:whether )?you (?:have|will|can))",
    r"^\W*(?:(?:i'm |i am )?(?:sorry|afraid|unfortunately)[,.]? )?(?:but )?without (?:\w+ ){0,4}(?:details?|information|context|clarification),? it (?:could|might|may) be\b",
    r"\bas an? (?:ai|artificial intelligence|language model|large language model|chatbot|assistant|virtual assistant)\b.{0,60}\b(?:can ?not|can't|unable|don't|do not|not able|not capable|am not)\b",
    r"\bcan ?not (?:answer|assist with|help with|fulfil?l|provide|respond to) (?:that|this|your|the|any)\b",
    r"\bunable to (?:answer|find|locate|determine|provide|assist|help)\b",
    # the question is not for this assistant
    r"\b(?:question|request|query|topic|this|that)\b.{0,40}\b(?:is|are|falls?|lies?|goes)(?: not|n't)? (?:\w+ )?(?:related to|relevant to|covered by|within|outside|beyond|out of|unrelated to)\b.{0,30}\b(?:contexts?|topics?|scope|documents?|passages?|information|knowledge|expertise|sources?|capabilities)\b",
    r"\b(?:context|information|passages?|documents?|text)\b(?: \S+){0,6} (?:is|are)(?: not|n't) (?:\w+ )?(?:related|relevant|sufficient|enough|helpful)\b",
    r"\b(?:outside|beyond|out of) (?:of )?(?:my|the|our) (?:\w+ )?(?:scope|knowledge|capabilities|expertise|abilities)\b",
    r"\b(?:not enough|insufficient) (?:information|context|data|details?|evidence)\b",
    r"\b(?:couldn't|could not|can't|cannot|didn't|did not) find (?:any|that|this|the|an|information|anything|a)\b.{0,80}\b(?:documents?|context|information|sources?|passages?|knowledge base|answer|results|records?|mention)\b",
    r"^\W*(?:no|not) (?:information|answer|data|results?|relevant \w+|matching \w+|sufficient \w+)(?: (?:was|were|is|are))?(?: (?:found|available|provided|given))?\W*$",
    r"\b(?:against|violates?) (?:my|our|the|openai's|ethical) (?:\w+ )?(?:guidelines|policy|policies|programming)\b",
    r"\bsorry\b.{0,30}\b(?:context|information|passage|document|text)s?\b.{0,40}\b(?:is|are) (?:only )?about\b.{0,80}\bnot\b",
    r"\bsorry\b.{0,30}\b(?:context|information|passage|document|text)s?\b.{0,40}\b(?:is|are) (?:only )?about\b",
    r"\b(?:sorry|cannot|can't|unable|could not|failed)\b.{0,60}\btechnical (?:issue|error|difficult|problem)|\bmodel is (?:currently )?overloaded\b",
)
_OTHER_LANGUAGES = (
    r"\b(?:ich|wir) (?:kann|können|konnte|konnten)\b.{0,80}\b(?:nicht|keine?n?|leider)\b.{0,60}\b(?:beantworten|finden|sagen|helfen|bestimmen|weiterhelfen)\b",
    r"\b(?:ich weiß (?:es |das )?(?:leider )?nicht|(?:ich habe|wir haben|es gibt|dazu (?:gibt es|liegen|habe ich)) (?:\w+ ){0,4}(?:keine|nicht genügend) (?:\w+ ){0,2}(?:informationen?|angaben|daten|kenntnis))\b",
    r"\b(?:dokumente?n?|kontext|texte?|unterlagen|quellen?|passagen?|informationen)\b.{0,60}\b(?:enthält|enthalten|gibt|geben|liefern|liefert|erwähnt|erwähnen)\b.{0,40}\b(?:keine?n?|nicht)\b",
    r"\bje (?:ne|n')\s?(?:sais pas|peux (?:malheureusement )?pas|(?:suis|ai) pas (?:en mesure|pu|trouvé|d'informations?)|(?:dispose|trouve|ai) pas)",
    r"\b(?:documents?|contexte|passages?|textes?|sources?)\b.{0,60}\bne (?:\w+ )?(?:mentionn\w+|contien\w+|précis\w+|fourni\w+|donn\w+|indiqu\w+|permet\w*|répond\w*) pas\b",
    r"\b(?:no (?:lo )?sé|no (?:puedo|pude|podemos) (?:\w+ ){0,2}(?:responder|encontrar|determinar|ayudar\w*|proporcionar)|no (?:tengo|dispongo de|encuentro|encontré|hay) (?:\w+ ){0,2}(?:información|datos|respuesta)|(?:documentos?|contexto|pasajes?|textos?|fuentes?) (?:\w+ ){0,2}no (?:menciona\w*|contiene\w*|especifica\w*|proporciona\w*|incluye\w*|indica\w*))\b",
    r"\b(?:non (?:lo )?so\b|non (?:posso|riesco a|sono in grado di) (?:\w+ ){0,2}(?:rispondere|trovare|determinare|aiutar\w*|fornire)|non (?:ho|ci sono|trovo) (?:\w+ ){0,2}(?:informazioni|dati|risposta)|(?:documenti|contesto|testo|fonti|passaggi) (?:\w+ ){0,2}non (?:menziona\w*|contien\w*|contengono|specifica\w*|fornisc\w*|indica\w*))",
    r"\b(?:não sei\b|não (?:posso|consigo|foi possível) (?:\w+ ){0,2}(?:responder|encontrar|determinar|ajudar|fornecer)|não (?:tenho|há|encontrei) (?:\w+ ){0,2}(?:informaç\w+|dados|resposta)|(?:documentos?|contexto|textos?|fontes?) (?:\w+ ){0,2}não (?:menciona\w*|cont[eé]m|especifica\w*|fornece\w*|inclu\w+))",
    r"\b(?:ik weet (?:het|dat) niet|ik kan (?:\w+ ){0,6}niet (?:\w+ ){0,2}(?:beantwoorden|vinden|bepalen|helpen)|(?:documenten|context|tekst|bronnen) (?:\w+ ){0,3}(?:geen|niet)|geen informatie)\b",
    r"わかりません|分かりません|お答えできません|回答できません|記載されていません|情報はありません|見つかりませんでした",
    r"我不知道|无法回答|無法回答|没有提到|未提及|没有(?:提供|找到)|沒有(?:提供|找到|提到)|无法确定|抱歉，我",
    r"\bя не знаю\b|\bне могу (?:ответить|найти|помочь)|\bнет информации\b|не содерж(?:ит|ат)|не упомина(?:ется|ют)",
    r"모르겠습니다|답변할 수 없습니다|찾을 수 없습니다|정보가 없습니다",
    r"\bbilmiyorum\b|bilgi (?:yok|bulunmamakta|bulunamadı)|لا أعرف|لا أعلم|لا تتوفر|لا يمكنني",
)
DECLINES = re.compile("|".join(f"(?:{pattern})" for pattern in (*_ENGLISH, *_OTHER_LANGUAGES)), re.IGNORECASE)

#: Folded words (`don't` is `don` and `t`) without one of which no clause declines.
TRIGGERS = frozenset(
    b"""no not t cannot unable unknown unclear unspecified unrelated nothing insufficient lack lacks fail fails sorry
    unfortunately without outside beyond out need require silent technical overloaded difficult impossible hard decline
    against violate violates unaware uncertain unfamiliar nicht keine keinen kein pas ne non no niet geen bilgi
    bilmiyorum""".split()
) | {"não".encode()}
FOREIGN_TRIGGERS = re.compile("[\u0370-\u1fff\u3040-\uffff]")

#: Whole answers that decline in a few letters, without their marks of punctuation.
SHORT_DECLINES = re.compile(
    r"(?:sorry,? |hmm,? |unfortunately,? )?(?:idk|i dk|dunno|i dunno|no idea|not sure|i'm not sure|unknown|n/?a|none|null|no answer|no response"
    r"|i don'?t know|i do not know|don'?t know|do not know|no comment|unanswerable|not answerable|cannot answer|can't answer"
    r"|unable to answer|not found|no information|no results?(?: found)?|no data|not available|not applicable|insufficient (?:information|context|data)"
    r"|not specified|not mentioned|not stated|not provided|not in (?:the )?(?:context|documents?|passages?)|keine ahnung|weiß ich nicht"
    r"|ich weiß (?:es )?nicht|je ne sais pas|no (?:lo )?sé|non (?:lo )?so|não sei|ik weet het niet)",
    re.IGNORECASE,
)

_ADVICE = (
    r"\b(?:you (?:may|might|can|could|should|will need to|would need to)|i (?:would |can |'d )?(?:suggest|recommend|advise)"
    r"|(?:it is|it's|it would be|it may be|it might be) (?:\w+ )?(?:best|recommended|advisable|better|helpful|necessary)|try|best to|is to)\b"
)
#: Apologies, questions back, offers and pointers elsewhere: they neither decline nor answer.
FILLERS = re.compile(
    r"\?\W*$"
    r"|^\W*(?:but |however,? |so |and )?(?:(?:i'm|i am|we're|we are) (?:\w+ )?(?:sorry|afraid)|sorry|apologies|i apologi[sz]e|unfortunately)\b[^a-z]*(?:(?:for|about) .{0,80}|to hear .{0,80}|i .{0,30})?$"
    r"|^\W*(?:but |however,? |so |and |if .{3,80}, )?(?:please|kindly|feel free|let me know|let us know|can you|could you)\b"
    r"|^\W*(?:but |however,? |so |and )?if (?:you|there) .{0,120}\b(?:please|let me know|i can|i'll|i will|i'd|i would|happy to|glad to|able to assist|it is best to)\b"
    rf"|{_ADVICE}.{{0,40}}\b(?:contact(?:ing)?|consult(?:ing)?|refer(?:ring)?|reach(?:ing)? out|ask(?:ing)?|speak(?:ing)? (?:to|with)|seek(?:ing)?|retry)\b"
    rf"|{_ADVICE}.{{0,40}}\b(?:check(?:ing)?|visit(?:ing)?|see|look(?:ing)?|search(?:ing)?|review(?:ing)?|call(?:ing)?)\b.{{0,80}}\b(?:manual|guide|support|website|websites|site|sites|dealer|professional|mechanic|documentation|team|expert|manufacturer|provider|administrator|source|sources|online|doctor|lawyer|centers?|centres?)\b"
    r"|\b(?:provide|give|share|clarify|supply) (?:me )?(?:with )?(?:more|additional|further|the)\b.{0,60}\b(?:so|help|assist|context|information|details?)\b"
    r"|\b(?:happy|glad|here) to (?:help|assist)\b|\bhelp center\b|\brequest id\b",
    re.IGNORECASE,
)
#: Sentences that say what the sources hold instead of answering from them.
ABOUT_THE_CONTEXT = re.compile(
    rf"^\W*(?:but |however,? |instead,? |rather,? |in fact,? |while |although |the |these |this |provided |given )*"
    rf"(?:(?:it|they)|{_SOURCE})(?: (?:that )?(?:you )?(?:provided|given))?,? (?:do |does |did )?(?:\w+ly )?(?:only |just )?"
    r"(?:mentions?|states?|provides?|discuss(?:es)?|talks?|covers?|describes?|focus(?:es)?|contains?|refers?|explains?|notes?|says?"
    r"|lists?|address(?:es)?|includes?|deals?|(?:is|are) (?:only |just |mainly |mostly )?(?:about|limited to|mentioned|stated))\b"
    r"|^\W*(?:but |however,? )?it (?:is|was) (?:only |also )?(?:mentioned|stated|noted)\b",
    re.IGNORECASE,
)
#: What opens an answer after a decline.
CONTRAST = re.compile(
    r"\W*(?:but|however|though|still|nevertheless|nonetheless|that said|having said|in general|generally|typically"
    r"|usually|instead|based on|from (?:my|general)|as a general|here|aber|jedoch|cependant|mais|sin embargo|pero)\b",
    re.IGNORECASE,
)
