"""Quick ways through plain texts lead where the general way does."""
# ruff: noqa: E501, SIM905 - lists of pieces

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.indicators import abstention, compute, named_ids, names, numerals, word_sets
from sentinel.indicators.citations import text_references
from sentinel.indicators.length import length_indicators
from sentinel.indicators.markers import TELLING_WORDS, mentions, references_in
from sentinel.indicators.resolver import Resolver
from sentinel.indicators.sentences import without_code
from sentinel.indicators.signs import look_at
from sentinel.indicators.wording import BARE_WORDS, DECLINING_WORDS, Wording
from sentinel.indicators.words import STOP_WORDS, folded
from sentinel.records import Passage

PIECES = st.sampled_from(
    [
        "foo", "Bar", "NOT", "not", "nothing", "no", "cannot", "can't", "cant", "ca*nt", "may", "May", "thirty", "minus",
        "passage 2", "Passages 1 and 3", "documents 4", "resources 5", "quelle 6", "_source 7", "[1]", "[1][2]", "[3, 4]",
        "[1.2]", "[d1]", "(d1)", "12", "1,200", "7%", "X200", "3rd", "1) ", "2) ", ".", "!", "?", "\n", "\t", "\x1c", "\x0b",
        "press", " key ", " index [2]", " [2]", " : [2]", " [1]-[3]", "items", "=", "Ann", "Annual", "O'Neil", "of the",
        "  ", " ", "but", "so", ",", ";", " - ", "While", "é", "’", "日本", "ﬁ", "İ", "\u3164", "`", "```", "<code>", "</code>", "½",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(PIECES, max_size=60).map("".join),
    st.lists(PIECES, max_size=60).map(" ".join),
    st.text(alphabet=st.characters(max_codepoint=127), max_size=80),
    st.text(max_size=80),
)
LONG = st.builds(
    lambda start, piece, length, rest: (start + (piece + " ") * 400)[:length] + rest,
    TEXTS,
    st.sampled_from(["word", "a", "longer words", "x.", "No"]),
    st.integers(1180, 1210),
    TEXTS,
)
#: Every sign may be there.
ALL = -1
MANY = settings(max_examples=400, deadline=None)


@given(TEXTS)
@MANY
def test_words_are_counted_as_by_splitting(text: str) -> None:
    if text.isascii() and any(map(str.isalnum, text)):
        assert length_indicators(text).words == len(text.split())


@given(TEXTS)
@MANY
def test_the_wording_holds_what_its_text_does(text: str) -> None:
    wording = Wording(text)
    words = set(folded(text).split())
    needed = DECLINING_WORDS | TELLING_WORDS | numerals.NUMBER_WORDS | BARE_WORDS
    assert len(wording.words) == len(words)
    assert wording.telling == words & needed
    assert wording.telling_content() == (words - STOP_WORDS) & needed


@given(TEXTS)
@MANY
def test_every_number_is_met(text: str) -> None:
    pattern = numerals._NUMBER_ASCII if text.isascii() else numerals._NUMBER
    expected = [match.span() for match in pattern.finditer(text)]
    assert [match.span() for match in numerals._number_matches(text)] == expected


@given(st.integers(0, 10**6), st.sampled_from(["", " ", "-"]), st.sampled_from(sorted(numerals._TELLING)))
@MANY
def test_a_word_that_leads_on_to_nothing_is_not_read_on_from(number: int, gap: str, word: str) -> None:
    text = f"{number}{gap}{word} 1/2"
    if word not in numerals._LEADING_ON and text[len(str(number))] not in numerals.POWER_SIGNS:
        assert numerals._of_several(text, 0, len(str(number)), str(number), word) is None


@given(TEXTS)
@MANY
def test_every_capitalised_word_stands_in_a_run(text: str) -> None:
    for run, capitalised in ((names._NAME, names._CAPITALISED), (word_sets._RUN, word_sets._CAPITALISED)):
        assert capitalised.findall("\n".join(run.findall(text))) == capitalised.findall(text)


@given(
    st.lists(st.sampled_from(["Ann", "ann", "O'Neil", "A", "of", "the", "Bank", ".", "#", "\n", " - "])).map(
        " ".join
    )
)
@MANY
def test_names_are_found_in_ascii_as_in_any_text(text: str) -> None:
    missing = {b"ann", b"neil", b"bank"}
    found = names.ungrounded_names(text, missing)
    # What is not ASCII at the end is read by the other pattern.
    assert names.ungrounded_names(text + " é", missing) == found


@given(st.one_of(TEXTS, LONG))
@MANY
def test_leading_triggers_are_found_as_in_the_text_itself(text: str) -> None:
    if text.isascii() or len(text) <= 1200:
        assert abstention._leading_triggers(Wording(text)) == abstention._triggers(text[:1200])


@given(st.one_of(TEXTS, LONG))
@MANY
def test_a_sentence_is_passed_over_only_where_no_clause_declines(text: str) -> None:
    expected = any(abstention._declines(piece) for piece in _clauses(text))
    assert abstention._one_declines(text) == expected
    assert abstention._clauses(text) == _clauses(text)


def _clauses(sentence: str) -> list[str]:
    conceding = abstention._CONCESSION.match(sentence)
    if conceding is None:
        return abstention._CLAUSE.split(sentence)
    return [conceding[0], *abstention._CLAUSE.split("but " + sentence[conceding.end() :])]


@given(TEXTS)
@MANY
def test_bare_words_are_known_to_be_missing_only_where_they_are(text: str) -> None:
    if abstention._knows_no_bare_words(Wording(text)):
        unquoted = abstention._unquoted(text)
        assert abstention._spoken(unquoted, no_bare_words=True) == abstention._spoken(unquoted)


@given(TEXTS)
@MANY
def test_mentions_are_found_by_the_words_of_the_answer(text: str) -> None:
    readable = without_code(text)
    signs, _ = look_at(text)
    assert references_in(readable, Wording(text).telling, signs) == references_in(
        readable, TELLING_WORDS, ALL
    )


MENTIONING = st.sampled_from(
    """passage Passages document documento documentos DOC sources excerpts snippet contexten chunk reference citations
    dokumenten quelle Quellen textstelle auszug extraits fuentes pasaje fragmento fragments referencia fonte passaggio
    brano trecho passagem bron bronnen the 1 2 12 123 1234 #3 no|4 no.|5 Nr.|6 numbers|7 IDS:|8 id|9 2,|and - to
    2% 2.5 x . _ [""".split()
).map(lambda piece: piece.replace("|", " "))  # fmt: skip


@given(
    st.one_of(st.lists(MENTIONING, max_size=12).map(" ".join), st.lists(MENTIONING, max_size=12).map("".join))
)
@MANY
def test_mentions_are_found_in_ascii_as_in_any_text(text: str) -> None:
    anyhow = text + "\né"  # not a space: a `the` at the end would be one between two
    assert mentions(text, Wording(text).telling, look_at(text)[0]) == mentions(
        anyhow, Wording(anyhow).telling, look_at(anyhow)[0]
    )


SOURCES = """source Sources reference REFS ref citation cited Quelle quellen Fuente fonti fonte fontes bron bronnen
źródło doc|id doc|ids document|id ſource sourceſ 出典 note id""".split()


@given(
    st.sampled_from(["", "see ", "x", "\u0131", "my_", "words and "]),
    st.sampled_from([word.replace("|", " ") for word in SOURCES]),
    st.sampled_from(["", "s", " ids", "*", "**", "***", "_*", " "]),
)
@MANY
def test_what_stands_before_a_colon_is_read_as_by_the_pattern(start: str, word: str, end: str) -> None:
    text = start + word + end + ": d1"
    place = text.index(":")
    match = named_ids._SOURCE_BEFORE.search(text, max(0, place - 14), place)
    assert named_ids._ends_with_source(text, place) == (match is not None)


@given(TEXTS)
@MANY
def test_citations_that_hold_no_word_leave_words_and_sentences_as_they_were(text: str) -> None:
    resolver = Resolver((Passage(id="d1"), Passage(id="d2")), (), "auto")
    references = text_references(text, resolver, TELLING_WORDS, ALL)
    if compute._hold_no_word(text, references):
        prose = compute._without_references(text, references)
        assert _sentences(prose) == _sentences(text)


def _sentences(text: str) -> list[list[bytes]]:
    return [sentence.split() for sentence in folded(text).split(b"\n")]
