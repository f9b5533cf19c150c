"""Citations: what counts as one, which passage it leads to, what leads nowhere."""

from __future__ import annotations

import pytest

from sentinel.indicators import AppIndicatorParams, IndicatorParams
from sentinel.records import Citation
from tests.unit.indicators.build import indicate

FOUR = ("one", "two", "three", "four")


@pytest.mark.parametrize(
    ("answer", "valid", "invalid"),
    [
        ("Thirty days [[4]] with a receipt [1, 3][1][9].", "d4 d1 d3", ["9"]),
        ("Both hold [1][2].", "d1 d2", []),
        ("Both hold [1] [2].", "d1 d2", []),
        ("All hold [1-3].", "d1 d2 d3", []),
        ("All hold [2–4].", "d2 d3 d4", []),
        ("Mixed [1; 4] and [2 and 3].", "d1 d4 d2 d3", []),
        ("Beyond the end [3-5].", "d3 d4", ["5"]),
        ("Footnotes[^1] and carets[^2^].", "d1 d2", []),
        ("Named [doc1] [doc 2] [Document 3] [Source 4] [doc9].", "d1 d2 d3 d4", ["doc9"]),
        ("Zero [0] is no position.", "", ["0"]),
        ("Repeated [2] and [2] and [7] and [7].", "d2", ["7"]),
        ("Spaced [ 1 ] and non-breaking [\u00a02\u00a0].", "d1 d2", []),
        ("Arabic digits [٣].", "d3", []),
        ("Raised to the text.¹ Another word²", "d1 d2", []),
        ("Carets ^1^ and <sup>2</sup>.", "d1 d2", []),
        ("Linked [1](https://x.test/a) number.", "d1", []),
    ],
)
def test_positions(answer: str, valid: str, invalid: list[str]) -> None:
    got = indicate(answer, FOUR).citations
    assert (" ".join(got.valid), list(got.invalid), got.missing) == (valid, invalid, False)


@pytest.mark.parametrize(
    "answer",
    [
        "The limit is 50 [km/h], see [the form](https://x.test/f.pdf) and `arr[1]` in code.",
        "The text reads so [sic] and is unchanged.",
        "- [x] packed the bag\n- [ ] called the office",
        "Write to [Your Name] about the matter at hand.",
        "He said it […] and [...] left.",
        "Values lie in [0, 1] and [0.5, 1.5] always.",
        "![a chart](chart.png) shows the growth of sales.",
        "[1]: https://x.test/a is the list of links",
        "Emphasis [emphasis added] was put in later.",
        "An area of 20 m² or 3 km² or 10³ is enough.",
        "Use ``a[1] ` b[2]`` for both of them.",
        "```\na[1]\nb[2]\n```\nThat prints both of them.",
        "~~~python\nx = a[2]\n~~~\nThat prints both of them.",
        "See the code:\n```\nx[1] = y[9]",
        "The case is reported at [2019] EWCA Civ 20.",
        "Press [Ctrl] and [Enter] at the same time.",
        "The parcel (1) arrives and (2) is signed for.",
    ],
)
def test_brackets_that_are_no_citations(answer: str) -> None:
    got = indicate(answer, FOUR).citations
    assert (got.markers, got.valid, got.invalid, got.missing) == (0, (), (), True)


@pytest.mark.parametrize(
    ("answer", "valid", "invalid"),
    [
        ("1[1]. Education matters.\n2[2]. Literacy matters for work[3].", "d1 d2 d3", []),
        ("1. Rest[4].\n2. Sleep[1].", "d4 d1", []),
        ("🙂🙂 It is open 👨‍👩‍👧 [1] today [5].", "d1", ["5"]),
        ("مفتوح اليوم [2].", "d2", []),
        ("今日は営業中です[1]。", "d1", []),
        ("Use the first [1]:\n```python\nx = a[2]\n```\nThen stop [3].", "d1 d3", []),
        ("**Bold**[2], *slanted*[3]: “quoted”[4]", "d2 d3 d4", []),
        ("| cell | [1] |\n|---|---|\n| other | [2] |", "d1 d2", []),
        ("Glued [1]to[2]words.", "d1 d2", []),
        ("Escaped \\[1\\] brackets.", "d1", []),
    ],
)
def test_markers_wherever_they_stand(answer: str, valid: str, invalid: list[str]) -> None:
    got = indicate(answer, FOUR).citations
    assert (" ".join(got.valid), list(got.invalid)) == (valid, invalid)


@pytest.mark.parametrize(
    ("answer", "valid", "invalid"),
    [
        (
            "Push-ups help (mentioned in passage 2), dips too, according to passage 5.",
            ["passage 2"],
            ["passage 5"],
        ),
        ("See Passage 1 for rest.", ["passage 1"], []),
        ("Passages 1 and 3 agree.", ["passage 1", "passage 3"], []),
        ("Passages 1, 2, and 3 agree.", ["passage 1", "passage 2", "passage 3"], []),
        ("(passage 3) says so.", ["passage 3"], []),
        ("[passage 2] says so.", ["passage 2"], []),
        ("[Passage 2, Passage 4] say so.", ["passage 2"], ["Passage 4"]),
        ("As document 2 says, do dips.", ["passage 2"], []),
        ("Source 7 says so.", [], ["Source 7"]),
        ("Passage 2: do push-ups.", ["passage 2"], []),
    ],
)
def test_prose_citations(answer: str, valid: list[str], invalid: list[str]) -> None:
    evidence = [(f"passage {n}", text) for n, text in enumerate(("Rest.", "Push-ups help.", "Stretch."), 1)]
    got = indicate(answer, evidence).citations
    assert (list(got.valid), list(got.invalid)) == (valid, invalid)


@pytest.mark.parametrize(
    ("ids", "answer", "valid", "invalid"),
    [
        (["D3"], "Section H1 on vitamin D3 [D3].", ["D3"], []),
        (["D3"], "Vitamin D3 [d3] and [D4].", ["D3"], ["D4"]),
        (
            ["returns-v3", "hours"],
            "So [returns-v3] and [hours] and [returns-v9].",
            ["returns-v3", "hours"],
            ["returns-v9"],
        ),
        (["returns-v3", "hours"], "So (returns-v3; hours) it is.", ["returns-v3", "hours"], []),
        (
            ["refund-policy"],
            "So [refund-policy] but not [shipping-policy].",
            ["refund-policy"],
            ["shipping-policy"],
        ),
        (["10", "20"], "By id [20], so [1] is none.", ["20"], ["1"]),
        (["10", "20"], "A long id [1000].", [], ["1000"]),
        (["2", "1"], "Ids win over places [1].", ["1"], []),
        (["a/b.md#4"], "See [a/b.md#4] and [a/b.md#5].", ["a/b.md#4"], ["a/b.md#5"]),
        (["returns-v3", "hours"], "It is so.\n\nSources: returns-v3, hours.", ["returns-v3", "hours"], []),
        (["returns-v3"], "It is so. **Source:** returns-v3", ["returns-v3"], []),
        (["returns-v3"], "It is so. Source: our own experience", [], []),
        (["faq, part 2"], "See [faq, part 2].", ["faq, part 2"], []),
        (["DOC-1", "doc-1"], "Case decides [doc-1].", ["doc-1"], []),
        (["doc_7"], "Returns [doc_7, doc_8].", ["doc_7"], ["doc_8"]),
        (["x"], "- [x] A checkbox is an id only here.", ["x"], []),
    ],
)
def test_document_ids(ids: list[str], answer: str, valid: list[str], invalid: list[str]) -> None:
    got = indicate(answer, [(identity, "text") for identity in ids]).citations
    assert (list(got.valid), list(got.invalid)) == (valid, invalid)


URL = "https://docs.test/returns"


@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        (f"Use the [returns form]({URL}) today.", [URL]),
        (f"Use the [returns form]({URL}/) today.", [URL]),
        (f'Use the [returns form]({URL} "Returns") today.', [URL]),
        (f"Use the [returns form](<{URL}>) today.", [URL]),
        (f"Use the [returns form]({URL}#step-2) today.", [URL]),
        (f"See {URL}.", [URL]),
        (f"See <{URL}> or ({URL}).", [URL]),
        (f"See [{URL}].", [URL]),
        (f"See [1]({URL}).", [URL]),
        ("See [the shop](https://shop.test/) instead of this.", []),
        ("See https://shop.test/returns instead of this.", []),
    ],
)
def test_links(answer: str, valid: list[str]) -> None:
    got = indicate(answer, [(URL, "Use the returns form within 30 days.")]).citations
    assert (list(got.valid), got.invalid, got.missing) == (valid, (), not valid)


def test_a_link_with_round_brackets_in_its_address() -> None:
    url = "https://en.wikipedia.test/wiki/Mercury_(planet)"
    assert indicate(f"It is [hot]({url}) there.", [(url, "Hot.")]).citations.valid == (url,)


@pytest.mark.parametrize(
    ("answer", "cited", "valid", "invalid"),
    [
        ("Closed Mondays【4:0†source】【4:2†hours.pdf】.", ["hours-v1"], ["hours-v1"], ["4:2†hours.pdf"]),
        ("Closed【4:2†source】and【4:2†source】again.", ["hours-v1"], ["hours-v1"], []),
        ("Closed【4:0†hours-v1】.", [], ["hours-v1"], []),
        ("Closed【4:0†source】.", [], ["hours-v1"], []),
        ("Closed【4:5†source】.", [], [], ["4:5†source"]),
        ("Closed【1†source】and【7†source】.", [], ["hours-v1"], ["7†source"]),
        ("Closed【1】.", [], ["hours-v1"], []),
        ("Closed【hours-v1】.", [], ["hours-v1"], []),
        ("Closed【4:0†a】【4:1†b】【4:2†c】.", ["hours-v1"], ["hours-v1"], ["4:1†b", "4:2†c"]),
        ("Closed【see the notice】today, all of it.", [], [], []),
    ],
)
def test_file_search_marks(answer: str, cited: list[str], valid: list[str], invalid: list[str]) -> None:
    got = indicate(answer, [("hours-v1", "Closed on Mondays.")], citations=cited).citations
    assert (list(got.valid), list(got.invalid)) == (valid, invalid)
    assert got.markers == answer.count("【") - ("see the" in answer)


def test_file_search_marks_where_retrieval_is_unknown() -> None:
    got = indicate("Closed【4:0†source】【4:2†hours.pdf】.", None, citations=["file-1"]).citations
    assert (got.markers, got.valid, got.invalid, got.missing) == (2, ("file-1",), ("4:2†hours.pdf",), False)


@pytest.mark.parametrize(
    ("answer", "cited", "valid", "invalid"),
    [
        ("Express shipping is $12.", ["shipping-2031"], [], ["shipping-2031"]),
        ("Express shipping is $12.", ["d1"], ["d1"], []),
        ("Express shipping [2] is $12.", ["d1"], ["d2", "d1"], []),
        ("Express shipping [9] is $12.", ["d1", "zz"], ["d1"], ["9", "zz"]),
        ("Express shipping is $12.", ["d1", "d1", "d3"], ["d1", "d3"], []),
        ("Express shipping is $12.", [Citation(id="d2", quote="two", start=0, end=7)], ["d2"], []),
    ],
)
def test_structured_citations(answer: str, cited: list[str], valid: list[str], invalid: list[str]) -> None:
    got = indicate(answer, FOUR, citations=cited).citations
    assert (list(got.valid), list(got.invalid), got.missing) == (valid, invalid, False)


def test_nothing_is_known_of_a_marker_without_retrieval() -> None:
    got = indicate("It lasts ten years [1].", None).citations
    assert (got.markers, got.valid, got.invalid, got.missing) == (1, (), (), False)


def test_a_list_of_cited_addresses_is_what_positions_count_in() -> None:
    got = indicate("So [2] and [3].", None, citations=["https://a.test", "https://b.test"]).citations
    assert (got.valid, got.invalid) == (("https://b.test", "https://a.test"), ("3",))


def test_every_marker_leads_nowhere_when_nothing_was_retrieved() -> None:
    assert indicate("It lasts ten years [1].", ()).citations.invalid == ("1",)


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("The warranty lasts ten years.", True),
        ("It is 12.", True),
        ("You're welcome!", False),
        ("Hello! How can I help you today?", False),
        ("Which model do you have?", False),
        ("I can't find that in the documents.", False),
        ("IDK", False),
        ("Yes.", False),
        ("", False),
        ("The warranty lasts ten years [9].", False),
    ],
)
def test_missing_citation(answer: str, missing: bool) -> None:
    assert indicate(answer, FOUR).citations.missing is missing


def test_settings_per_app() -> None:
    params = IndicatorParams(
        apps={
            "chat": AppIndicatorParams(citations_expected=False),
            "ids": AppIndicatorParams(citation_resolution="id"),
            "places": AppIndicatorParams(citation_resolution="position"),
        }
    )
    evidence = [("2", "two"), ("1", "one")]
    assert not indicate("The warranty lasts ten years.", FOUR, app="chat", params=params).citations.missing
    assert indicate("The warranty lasts ten years.", FOUR, app="other", params=params).citations.missing
    assert indicate("So [1].", FOUR, app="ids", params=params).citations.invalid == ("1",)
    assert indicate("So [1].", evidence, app="places", params=params).citations.valid == ("2",)
    assert indicate("So [1].", evidence, params=params).citations.valid == ("1",)


def test_a_mention_in_round_brackets_counts_once() -> None:
    got = indicate("Push-ups help (passage 2).", [("passage 1", "Rest."), ("passage 2", "Push-ups help.")])
    assert (got.citations.markers, got.citations.valid) == (1, ("passage 2",))
