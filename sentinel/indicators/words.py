"""Words that carry content, brought to a form in which an answer and its evidence can be compared."""

from __future__ import annotations

import re

#: Scripts that put no spaces between words: kana, Han, Thai, Lao, Khmer, Burmese.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

#: Words are compared by their first letters: the cheapest stemming, and inflection of most European
#: languages sits at the end.
STEM_LETTERS = 6

_WORD = re.compile(r"[^\W\d_]{3,}")
_WORD_UNSPACED = re.compile(f"{UNSPACED.pattern}|[^\\W\\d_{UNSPACED.pattern[1:-1]}]{{3,}}")

_STOP_WORDS = """
a about above according additional additionally after again against all along also although always among an and
another any anyone anything are around as aside at away based be became because become been before being below
between both but by came can cannot could did didn does doesn doing don done down due during each either else
especially etc even ever every example few find first following for from further furthermore gave general generally
get given gives giving goes going got had has hasn have haven having hence her here hers herself him himself his
how however include included includes including indeed instead into isn its itself just keep let like likely made
mainly make makes making many may mean means might more moreover most much must need needs neither never next non
nor not now off often one ones only onto other others otherwise our ours out over overall own particular per
perhaps please possible provide provided provides rather really regarding regardless said same say says second see
seem seems seen several shall she should similar similarly simply since some someone something sometimes somewhat
specific specifically still such take taken takes than that the their theirs them themselves then there therefore
these they thing things this those though three through throughout thus together too toward towards two typically
under unless unlike until upon use used uses using usually various very want was wasn way ways well went were weren
what whatever when where whereas whether which while who whole whom whose why will with within without won would
yes yet you your yours yourself
""".split()
STOP_STEMS = frozenset(word[:STEM_LETTERS] for word in _STOP_WORDS if len(word) > 2)


def words_of(text: str) -> list[str]:
    """Return the lower-cased words of three letters and more, in order, repeats included."""
    if not text.isascii() and UNSPACED.search(text):
        return _WORD_UNSPACED.findall(text.lower())
    return _WORD.findall(text.lower())


def content_stems(words: frozenset[str] | set[str] | list[str]) -> set[str]:
    """Return the stems of the words that carry content."""
    return {word[:STEM_LETTERS] for word in words} - STOP_STEMS
