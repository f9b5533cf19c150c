"""Whether an answer declines: wholly, in part, or not at all."""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from sentinel.indicators.phrases import (
    ABOUT_THE_CONTEXT,
    ASKS_BACK,
    CONDITION,
    CONTRAST,
    DECLINES,
    FILLERS,
    NOT_SAID,
    SHORT_DECLINES,
    TRIGGERS,
)
from sentinel.indicators.phrases_abroad import ABROAD, CONDITION_ABROAD, OTHER_SCRIPT, TRIGGERS_ABROAD
from sentinel.indicators.sentences import iter_sentences, sentences_of, without_code
from sentinel.indicators.wording import BARE_WORDS, DECLINING_WORDS, Wording
from sentinel.indicators.words import UNSPACED, content_words, folded
from sentinel.records import AbstentionIndicators, AbstentionKind

#: A decline is looked for in the first sentences only: a later one is a caveat within an answer.
LEADING_SENTENCES = 3
#: After a contrast (`However, …`) so many content words answer; without one, an explanation of the
#: decline may take up to `EXPLANATION_WORDS`.
CONTRAST_WORDS = 4
EXPLANATION_WORDS = 14
#: So many content words before the decline are an answer already.
PRECEDING_WORDS = 4
#: After a decline, so many quoted words are what was asked for (a text written on demand).
QUOTED_WORDS = 12
#: In scripts without spaces so many letters say about as much as one content word.
_LETTERS_A_WORD = 4
_MOST_CHARACTERS = 4000
_LEADING_CHARACTERS = 1200
#: A question back is short; a longer text of questions is what was asked for.
_ASKING_CHARACTERS = 400
_SHORT_CHARACTERS = 200
_QUOTED = re.compile(
    r"\"[^\"\n]{3,400}\"|“[^”\n]{3,400}”|«[^»\n]{3,400}»|»[^«\n]{3,400}«|„[^“”\n]{3,400}[“”]|「[^」\n]{2,400}」"
    r"|『[^』\n]{2,400}』|‹[^›\n]{3,400}›|^>.*$|(?<!\w)[‘‚](?! )[^‘\n]{3,400}?(?<! )[’‘](?!\w)|(?<!\w)'(?! )[^\n]{3,400}?(?<! )'(?!\w)"
    r"|<(?:q|blockquote)>[^<]{3,400}</",
    re.MULTILINE,
)
_QUOTES = ('"', "“", "‘", "‚", "„", "«", "»", "「", "『", "‹", "<q>", "<blockquote>", "\n>", "`")
_CLAUSE = re.compile(
    r"(?<!help)[,;]?\s+(?=(?:but|however|though|aber|jedoch|mais|cependant|pero|sin embargo|però|tuttavia|mas|porém|maar|echter|ale|jednak)\b)"
    r"|(?<=,)\s+(?=(?:so|yet)\b)|\s+[-–—]\s+|;\s+|(?=しかし|ただし|但是|不过)",
    re.IGNORECASE,
)
#: Without one of these, a dash or a semicolon a sentence of ASCII letters is one clause.
_DIVIDING_WORDS = frozenset(
    b"""but however though aber jedoch mais cependant pero sin tuttavia mas maar echter ale jednak so yet
    while although even whereas""".split()
)
_CONCESSION = re.compile(r"\W*(?:while|although|though|even though|whereas)\b[^,]{3,240},\s*", re.IGNORECASE)
_MARKS_AROUND = " \t\n*_\"'`.!…[](){}<>:#。！|-—"
_SPOKEN_SPACES = re.compile(r"[ \t]{2,}")
#: Apostrophes left out (`cant`) and marks that no one sees.
_BARE_NOT = re.compile(r"\b(ca|do|wo|could|is|does|did|are|was|were|have|has|would)nt\b", re.IGNORECASE)
#: Before an English word: *Im Kontext* is German.
_BARE_I = re.compile(
    r"\bim\b(?= (?:so |very |really |just |still |currently |only |also )?(?:sorry|afraid|not|unable|un\w{3,9}|an?|having|going|happy|glad|here|able|missing|lacking)\b)",
    re.IGNORECASE,
)
#: An apostrophe that may open a quotation; most stand within a word.
_OPENING_APOSTROPHE = re.compile(r"'(?<!\w')")
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_MORE_THAN_A_TRIGGER = max(map(len, DECLINING_WORDS)) + 1
_CITED = re.compile(r"\[\^?\d{1,3}|【|\[doc", re.IGNORECASE)
#: `it says that …` with a citation answers; `it only says something of …` describes a source.
_REPORTS = re.compile(r"^.{0,60}?\b(?:says?|states?|notes?|explains?) that\b", re.IGNORECASE)


#: What is said of nearly all answers.
_DECLINES_NOT = AbstentionIndicators("none", "none")


def abstention_indicators(
    wording: Wording, answerable: bool | None, *, has_words: bool
) -> AbstentionIndicators:
    """Classify an answer by its wording; an empty one is `full`, the app's own flag decides otherwise.

    `partial`: declines and answers as well. Apologies, quoted speech and hedged help do not decline.
    `has_words`: the answer holds a letter or a digit, which is not looked for again.
    """
    if not has_words:
        return AbstentionIndicators("full", "none" if answerable is not False else "flag")
    if answerable is not None:
        return AbstentionIndicators("none" if answerable else "full", "flag")
    kind = _kind(wording)
    return _DECLINES_NOT if kind == "none" else AbstentionIndicators(kind, "phrase")


def _kind(wording: Wording) -> AbstentionKind:
    answer = wording.text
    head = answer[:_MOST_CHARACTERS]
    is_plain = head.isascii()
    if not is_plain:
        head = unicodedata.normalize("NFKC", _UNSEEN.sub("", head))
    if len(answer) < _SHORT_CHARACTERS and _is_short_decline(head):
        return "full"
    are_known = is_plain or (head == answer and len(answer) <= _LEADING_CHARACTERS)
    if not (_leading_triggers(wording) if are_known else _triggers(head[:_LEADING_CHARACTERS])):
        return "full" if _only_asks_back(answer, head) else "none"
    text = _spoken(_unquoted(head), _knows_no_bare_words(wording))
    sentences = list(islice(iter_sentences(text[:_LEADING_CHARACTERS]), LEADING_SENTENCES))
    # Most that hold such a word hold it further on, and then nothing has to be taken apart.
    first = next((number for number, sentence in enumerate(sentences) if _one_declines(sentence)), None)
    if first is None:
        return "full" if _only_asks_back(answer, head) else "none"
    leading = [piece for sentence in sentences for piece in _clauses(sentence)]
    first = next(number for number, piece in enumerate(leading) if _declines(piece))
    if any(_states(piece, PRECEDING_WORDS) for piece in leading[:first]):
        return "partial"
    if len(head.split()) - len(text.split()) > QUOTED_WORDS:
        return "partial"
    rest = [piece for sentence in sentences_of(text)[LEADING_SENTENCES:] for piece in _clauses(sentence)]
    return "partial" if _answers(leading[first + 1 :] + rest) else "full"


def _one_declines(sentence: str) -> bool:
    """Return whether a clause of a sentence declines."""
    # A clause has only words of its sentence, unless the sentence is so long that it is cut.
    if len(sentence) < _LEADING_CHARACTERS - len("but ") and not _triggers(sentence):
        return False
    return any(_declines(piece) for piece in _clauses(sentence))


def _clauses(sentence: str) -> list[str]:
    """Split a sentence; what follows `while …,` or `although …,` stands in contrast to it."""
    has_no_sign = sentence.isascii() and ";" not in sentence and "-" not in sentence
    if has_no_sign and _DIVIDING_WORDS.isdisjoint(folded(sentence).split()):
        return [sentence]
    conceding = _CONCESSION.match(sentence)
    if conceding is None:
        return _CLAUSE.split(sentence)
    return [conceding[0], *_CLAUSE.split("but " + sentence[conceding.end() :])]


def _is_short_decline(head: str) -> bool:
    """Return whether nothing is there but a fixed phrase or word, as apps are told to answer (`NO_ANSWER`)."""
    bare = _spoken(head.strip(_MARKS_AROUND)).replace("_", " ").replace(": ", " ").replace("?", "")
    if SHORT_DECLINES.fullmatch(bare.strip()):
        return True
    return "-" in bare and SHORT_DECLINES.fullmatch(bare.replace("-", " ")) is not None


def _only_asks_back(answer: str, head: str) -> bool:
    """Return whether a short answer is a request for clarification and nothing else."""
    if len(answer) > _ASKING_CHARACTERS:
        return False
    sentences = sentences_of(_spoken(head))
    asking = [sentence for sentence in sentences if ASKS_BACK.match(sentence)]
    return bool(asking) and all(sentence in asking or FILLERS.found_in(sentence) for sentence in sentences)


def _unquoted(text: str) -> str:
    """Take quoted speech and code out, unless nothing else is there."""
    quoted = text.startswith(">") or any(mark in text for mark in _QUOTES)
    if not quoted and "'" not in text:
        return text
    unquoted = without_code(text)
    if quoted or _OPENING_APOSTROPHE.search(unquoted):
        unquoted = _QUOTED.sub(" ", unquoted)
    return unquoted if len(unquoted.split()) > 1 else text


def _spoken(text: str, no_bare_words: bool = False) -> str:
    """Return a text with straight apostrophes, single spaces and no emphasis; `cant` as `can't`.

    `no_bare_words`: it is known that none of `BARE_WORDS` is there.
    """
    text = text.replace("’", "'").replace("‘", "'").replace("*", "")
    if not no_bare_words and not (text.isascii() and BARE_WORDS.isdisjoint(folded(text).split())):
        if "nt" in text:
            text = _BARE_NOT.sub(r"\1n't", text)
        text = _BARE_I.sub("i'm", text)
    return _SPOKEN_SPACES.sub(" ", text) if "  " in text or "\t" in text else text


def _knows_no_bare_words(wording: Wording) -> bool:
    """Return whether the words that are known already settle it: nothing joins or cuts them."""
    text = wording.text
    is_whole = text.isascii() and len(text) <= _MOST_CHARACTERS and "*" not in text
    return is_whole and wording.telling.isdisjoint(BARE_WORDS)


def _triggers(text: str) -> bool:
    """Return whether a text holds a word without which nothing declines; cheap, and mostly false."""
    if not DECLINING_WORDS.isdisjoint(folded(text).split()):
        return True
    return _in_other_script(text)


def _in_other_script(text: str) -> bool:
    return not text.isascii() and OTHER_SCRIPT.search(text) is not None


def _leading_triggers(wording: Wording) -> bool:
    """Return `_triggers` of the leading characters from the words that are known already.

    For a text of no more than these characters, and where they are ASCII.
    """
    has_none = wording.telling.isdisjoint(DECLINING_WORDS)
    if len(wording.text) <= _LEADING_CHARACTERS:
        return not has_none or _in_other_script(wording.text)
    leading = wording.folded[:_LEADING_CHARACTERS]
    # None in the whole text, then none here, unless it is a word that is cut off.
    words = leading[-_MORE_THAN_A_TRIGGER:].split()[-1:] if has_none else leading.split()
    return not DECLINING_WORDS.isdisjoint(words)


def _declines(piece: str) -> bool:
    """Return whether a clause declines by itself: not under a condition, not as what someone is to say."""
    piece = piece[:_LEADING_CHARACTERS]
    words = folded(piece).split()
    if not TRIGGERS.isdisjoint(words) and _said(piece):
        return True
    if not TRIGGERS_ABROAD.isdisjoint(words) or _in_other_script(piece):
        # Only few decline: under which condition is asked of those.
        return ABROAD.found_in(piece) and ABROAD.found_in(CONDITION_ABROAD.sub("", piece, count=1))
    return False


def _said(piece: str) -> bool:
    condition = CONDITION.match(piece)
    if condition is not None:
        piece = piece[condition.end() :]
    start = DECLINES.first(piece)
    return start is not None and NOT_SAID.search(piece[:start]) is None


def _content_words(piece: str) -> int:
    """Return a clause's content words; none where it asks, points elsewhere or describes sources."""
    if FILLERS.found_in(piece):
        return 0
    if ABOUT_THE_CONTEXT.search(piece) and not (_REPORTS.search(piece) and _CITED.search(piece)):
        return 0
    if not piece.isascii() and UNSPACED.search(piece):
        return len(content_words(UNSPACED.sub(" ", piece))) + len(UNSPACED.findall(piece)) // _LETTERS_A_WORD
    return len(content_words(piece))


def _states(piece: str, enough: int) -> bool:
    """Return whether a clause states something of its own: cited, or with enough content words."""
    words = _content_words(piece)
    return words >= enough or (words > 0 and _CITED.search(piece) is not None)


def _answers(pieces: list[str]) -> bool:
    """Return whether the clauses after a decline are an answer of its own."""
    explained = 0
    for piece in pieces:
        if _declines(piece):
            continue
        if _states(piece, CONTRAST_WORDS if CONTRAST.match(piece) else EXPLANATION_WORDS + 1):
            return True
        explained += _content_words(piece)
        if explained > EXPLANATION_WORDS:
            return True
    return False
