"""Single names that the words beside them give away, where a list knows the word for a name.

The phrases here stand beside firms and programs as well ("Ford argues", "ask Jenkins"): they count only
for words that are a given name or a surname and no ordinary word, place, product or known firm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sentinel.redaction import phrases
from sentinel.redaction.lexicon import (
    folded,
    is_also_given,
    is_common_word,
    is_given_name,
    is_proper_noun,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.mentions import Range, Word, is_name_word
from sentinel.redaction.namesakes import ONE_WORD_FIRMS, PLACES, PRODUCTS, begins_place

_WORK = (
    r"(?:nurse|doctor|coach|judge|officer|detective|inspector|captain|sergeant|teacher|pastor|rabbi|imam"
    r"|colleague|co-worker|coworker|classmate|roommate|flatmate|housemate|neighbou?r|attorney|lawyer"
    r"|barrister|solicitor|plumber|electrician|midwife|paramedic|surgeon|dentist|therapist|supervisor"
    r"|secretary|technician|trainee|intern|referee|sheriff|constable|warden|professor|principal|chairman"
    r"|chairwoman|councillor|delegate|driver|babysitter|nanny|goalkeeper|striker|midfielder|defender"
    r"|teammate|novelist|poet|painter|composer|singer|actor|actress|drummer|guitarist|witness|patient"
    r"|Coach|Referee|Constable|Sheriff|Pastor|Rabbi|Imam|Councillor|Paramedic|Midwife|Pt)"
)
_KIN = (
    r"(?:wife|husband|son|daughter|brother|sister|friend|boss|mother|father|uncle|aunt|cousin|nephew|niece"
    r"|partner|spouse|fianc[ée]e?|mum|mom|dad|grandma|grandpa|kids?|child|children|twins|girlfriend"
    r"|boyfriend|colleagues?|friends|sons|daughters|brothers|sisters|cousins)"
)
# A person comes next, be the name an ordinary word as well.
_STRONG_BEFORE = re.compile(
    rf"(?:\b(?:my|his|her|our|their|your) (?:\w+ )?{_KIN},? (?:\w+ and )?|\b{_WORK}"
    r"|\b(?:tell|remind|inform|notify|ask(?:ed)? for|thanks to you,|in the name of|booked by|booking under"
    r"|reservation (?:under|for)|table for|lunch with|dinner with|coffee with|interview with"
    r"|regards to|greetings to|greetings from|birthday,?|congratulations,?|welcome back,?|welcome,"
    r"|(?:kids|children|sons|daughters|twins|parents|friends|colleagues),? \w+ and|sent from"
    r"|rest in peace,?|goodbye,?|good night,?"
    r"|surname ?:|forename ?:|family name ?:|given name ?:"
    r"|yours,|love,|best,|br,|rgds,|warmly,|xoxo,?|thx,?|ty,?))\s+\Z",
    re.IGNORECASE,
)
# A person or a firm comes next.
_WEAK_BEFORE = re.compile(
    r"(?:\b(?:ask|asks|let|reservation under|praised|thanked|blamed|accused|sued|married|hired|fired|greeted"
    r"|invited|interviewed|introduced|kissed|hugged|met|told|reminded|informed|notified|phoned|emailed"
    r"|e-mailed|texted|called|replaced by|beaten by|won against|lost to|defeated|outran|scored by|goal from"
    r"|according to|that|when|while|because|where|if|since|does|did|has|is|was|can|could|with|from|for|by"
    r"|cc|c/o|fao|attn|signed|signed by|assigned to|taken by|given by|written by|reply to|message from"
    r"|call from|letter from|mail from|email from)|\b(?i:surname|forename|family name|given name|assignee"
    r"|reporter|requester|requested by|reported by|approved by|prepared by|reviewed[ -]by|signed[ -]off[ -]by"
    r"|co-authored-by|assigned to|booked by|sold by|issued to|nurse|teacher|driver|doctor|gp|pilot|student"
    r"|participants?|attendees?|present|absent|apologies|payee|payer|complainant|deceased|spouse|parent"
    r"|c/o|fao|kind regards,|regards,) ?:?|@)\s*\Z",
    re.IGNORECASE,
)
# Only people do these.
_PERSON_AFTER = re.compile(
    r",? (?:resigned|smiled|laughed|wept|cried|nodded|sighed|shrugged|whispered|frowned|apologi[sz]ed|died"
    r"|passed away|retired|fainted|fell asleep|woke up|hung up|grinned|blushed|yelled|muttered|mumbled"
    r"|giggled|who (?:lives|died|works|is my|was my)|and I\b|and (?:his|her) (?:wife|husband|kids|children"
    r"|son|daughter|mother|father|brother|sister|dog|friends?)|et al\b|is (?:on|off) (?:sick|annual|parental"
    r"|maternity) leave|called in sick|can(?:no|['’])t come|wo(?:uld|['’])n[o'’]t come|cannot come"
    r"|is pregnant|was pregnant|is my (?:\w+ )?(?:wife|husband|son|daughter|brother|sister|friend|boss"
    r"|mother|father|colleague|neighbou?r|flatmate|partner)|was my)\b"
    r"|['’]s (?:wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad|birthday|iPhone|iPad"
    r"|laptop|desk|flat|bedroom|kids|family|boss|girlfriend|boyfriend|friend|funeral|wedding|handwriting"
    r"|signature|email|e-mail|phone|inbox|calendar|passport)\b"
)
# People do these, firms and programs too.
_ACTOR_AFTER = re.compile(
    r",? (?:argue[sd]?|disagree[sd]?|agree[sd]?|insist(?:s|ed)?|complain(?:s|ed)?|claim(?:s|ed)?|think(?:s)?"
    r"|thought|believe[sd]?|hope[sd]?|fear(?:s|ed)?|repl(?:ies|ied)|answer(?:s|ed)|ask(?:s|ed)|say(?:s)|said"
    r"|wrote|writes|told|tells|knows|knew|wants|wanted|loves|loved|hates|hated|likes|liked|feels|felt"
    r"|promised|forgot|remembers|remembered|called|phoned|rang|emailed|texted|visited|went|came|left|arrived"
    r"|sat|stood|walked|ran|drove|moved|lives|lived|studied|teaches|taught|married|joined|scored|missed"
    r"|signed|paid|won|lost|took|gave|got|made|found|met|saw|heard|asked|agreed|refused|admitted|denied"
    r"|confirmed|noticed|noted|explained|suggested|decided|needs|needed|has been|had been|was born|was seen"
    r"|was diagnosed)\b|[.,]? (?:will|can|could) you\b|, (?:can|could|would|will|please)\b"
)
# … these hardly ever.
_SAYS_AFTER = re.compile(
    r",? (?:argue[sd]?|disagree[sd]?|insist(?:s|ed)?|complain(?:s|ed)?|said|asked|replied|answered|wrote"
    r"|told (?:me|us|him|her|them)|forgot|remembered|called me|phoned|rang|texted|walked|sat|stood|smoked"
    r"|married|and (?:I|he|she))\b"
)
# A verb that no order has ("Garner support") stands behind a name that opens a sentence.
_VERB_AFTER = re.compile(r"['’]s\b| (?:is|was|has|had|will|did|does|[a-z]{2,}ed|[a-z]{3,}[^s]s)\b")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;\n\"“”>|*•-])\s*\Z")
_NAMELESS = PRODUCTS | phrases.LABELS | phrases.TITLE_WORDS | phrases.OF_PLACES


def beside(
    text: str, words: Sequence[Word], candidates: Sequence[int], labelled: set[int], others: Sequence[Range]
) -> Iterator[Range]:
    """Yield single known names that the words before or behind them give away.

    `candidates`: the words that are `notable`; `labelled`: the places in the text that the model holds for
    something that is no person; `others`: the ranges of several words among them, whose words are no names
    of their own.
    """
    for index in candidates:
        word = words[index]
        if not _may_name(word.text):
            continue
        alone = not _neighbours(words, index)
        if alone and _told(text, word, labelled=word.start in labelled, inside=_is_inside(word, others)):
            yield word.start, word.end


def _may_name(word: str) -> bool:
    if (
        len(word) < 3
        or word.isupper()
        or not is_name_word(word)
        or folded(word) in _NAMELESS
        or begins_place(word)
    ):
        return False
    if is_common_word(word):
        return is_also_given(word)
    if "-" in word and not is_given_name(word):  # "Mon-Fri", "Pay-As-You-Go"
        return all(len(part) > 3 and _is_rare_name(part) for part in word.split("-"))
    return _is_rare_name(word)


def _is_rare_name(word: str) -> bool:
    return not is_common_word(word) and (may_be_given(word) or may_be_surname(word))


def _neighbours(words: Sequence[Word], index: int) -> bool:
    """Return whether another capitalised word stands right behind, or a part of a longer name before."""
    after = words[index + 1] if index + 1 < len(words) else None
    if after is not None and after.gap in {" ", "-", " & "} and after.text[0].isupper():
        return True
    before = words[index - 1] if index and words[index].gap in {" ", "-", " & "} else None
    return before is not None and is_name_word(before.text) and not _opens(before.text)


def _opens(word: str) -> bool:
    """Return whether a capitalised word before a name is none of its parts ("Tell", "Coach")."""
    return is_common_word(word) or word.lower() in phrases.TITLE_WORDS | phrases.LABELS


def _is_inside(word: Word, others: Sequence[Range]) -> bool:
    return any(low <= word.start < high and (low, high) != (word.start, word.end) for low, high in others)


def _told(text: str, word: Word, *, labelled: bool, inside: bool) -> bool:
    if phrases.OF_THINGS.match(text, word.end) or phrases.IN_TOKEN_AFTER.match(text, word.end):
        return False
    low = max(0, word.start - 40)
    strong = _STRONG_BEFORE.search(text, low, word.start) is not None
    place = folded(word.text) in PLACES
    opens = _SENTENCE_START.search(text, low, word.start) is not None
    if is_common_word(word.text):
        return strong and (not opens or text[low : word.start].rstrip().endswith(","))
    if strong or _PERSON_AFTER.match(text, word.end):
        return not place or is_given_name(word.text)
    if inside:
        return False
    firm = folded(word.text) in ONE_WORD_FIRMS
    if place or firm or (labelled and is_proper_noun(word.text)):
        return False
    given = may_be_given(word.text)
    before = _WEAK_BEFORE.search(text, low, word.start) is not None
    after = _ACTOR_AFTER.match(text, word.end) is not None
    if text.strip(" .!?\n") == word.text:
        return True
    told = before or given or _SAYS_AFTER.match(text, word.end) is not None
    if after and (told or not labelled):
        return True
    if phrases.ARTICLE.search(text, low, word.start) or phrases.IN_PLACE.search(text, low, word.start):
        return False
    if labelled:
        return given and not opens
    if is_proper_noun(word.text):
        return before and given
    return not opens or (given and (before or _VERB_AFTER.match(text, word.end) is not None))
