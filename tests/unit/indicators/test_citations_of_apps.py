"""Citations as apps write them: lists of sources, files and their pages, ranges, formulas, units, addresses."""
# ruff: noqa: E501 - sentences stay whole

from __future__ import annotations

import pytest

from tests.unit.indicators.build import indicate

CASES = [
    ("Refunds take thirty days *[2]*, a receipt is needed _[3]_.", ["d1", "d2", "d3"], ["d2", "d3"], []),
    ("Closed on Mondays [4:0†source].", ["a", "b"], ["a"], []),
    ("Refunds take thirty days (ref. 1).", ["d1", "d2", "d3"], ["d1"], []),
    ("Refunds take thirty days, as stated in documents 1-3.", ["d1", "d2", "d3"], ["d1", "d2", "d3"], []),
    ("Refunds take thirty days.\n\nSources:\n- d1\n- d3", ["d1", "d2", "d3"], ["d1", "d3"], []),
    (
        "Refunds take thirty days (handbook.pdf, p. 12).",
        ["handbook.pdf", "leaflet.pdf"],
        ["handbook.pdf"],
        [],
    ),
    ("Refunds take thirty days [brochure.pdf].", ["handbook.pdf", "leaflet.pdf"], [], ["brochure.pdf"]),
    (
        "Refunds take thirty days ([docs](https://docs.test/returns?utm_source=chatgpt.com)).",
        ["https://docs.test/returns"],
        ["https://docs.test/returns"],
        [],
    ),
    ("For x in [1, 3] the function is positive.", ["d1", "d2", "d3"], [], []),
    ("Use $x_{[1]}$ in the formula for it.", ["d1", "d2", "d3"], [], []),
    ("The closed interval \\([1, 2]\\) is compact and $[0,1]$ too.", ["d1", "d2", "d3"], [], []),
    ("x ∈ [1, 2] holds for all solutions.", ["d1", "d2", "d3"], [], []),
    ("The 95% CI [1, 3] excludes zero.", ["d1", "d2", "d3"], [], []),
    ("The odds ratio was 2 (95% CI [1, 3]) overall.", ["d1", "d2", "d3"], [], []),
    ("The speed is 50 km/h[1].", ["d1", "d2", "d3"], ["d1"], []),
    ("Refunds take thirty days [Politique d’échange].", ["Politique d'échange"], ["Politique d'échange"], []),
    ("It runs at 3 m/s[3].", ["d1", "d2", "d3"], ["d3"], []),
    ("For n in [1, 2] the claim holds.", ["d1", "d2", "d3"], [], []),
    ("It is __[2]__ here.", ["d1", "d2", "d3"], ["d2"], []),
    ("It is __bold__[2] here.", ["d1", "d2", "d3"], ["d2"], []),
    ("It is _slow_[1] and my_list[2] is not.", ["d1", "d2", "d3"], ["d1"], []),
    ("Inline $$[1, 2]$$ maths.", ["d1", "d2", "d3"], [], []),
    ("Let \\(a \\in [1, 2]\\) be given [3].", ["d1", "d2", "d3"], ["d3"], []),
    ("Refunds are slow (95% CI [1, 3]) [2].", ["d1", "d2", "d3"], ["d2"], []),
    ("A confidence interval of [1, 2] was found.", ["d1", "d2", "d3"], [], []),
    ("Refunds are slow (see documents 1–3).", ["d1", "d2", "d3"], ["d1", "d2", "d3"], []),
    ("As per sources 1 to 3, refunds are slow.", ["d1", "d2", "d3"], ["d1", "d2", "d3"], []),
    ("Refunds are slow (refs. 1, 2).", ["d1", "d2", "d3"], ["d1", "d2"], []),
    ("Refunds are slow (Ref 2).", ["d1", "d2", "d3"], ["d2"], []),
    ("Refunds are slow.\n\nSources:\n1. d1\n2. d3", ["d1", "d2", "d3"], ["d1", "d3"], []),
    ("Refunds are slow.\n\n**Sources:**\n* d2\n* d3", ["d1", "d2", "d3"], ["d2", "d3"], []),
    ("Refunds are slow.\n\nSources:\n• d2", ["d1", "d2", "d3"], ["d2"], []),
    ("Refunds are slow.\n\n### References\n- d1", ["d1", "d2", "d3"], ["d1"], []),
    ("Refunds are slow [4:1†source].", ["d1", "d2", "d3"], ["d2"], []),
    ("Refunds are slow (handbook.pdf, page 3).", ["handbook.pdf", "leaflet.pdf"], ["handbook.pdf"], []),
    (
        "Refunds are slow [handbook.pdf p.3][other.pdf p.4].",
        ["handbook.pdf", "leaflet.pdf"],
        ["handbook.pdf"],
        ["other.pdf p.4"],
    ),
    ("Refunds are slow [other.pdf].", ["handbook.pdf", "leaflet.pdf"], [], ["other.pdf"]),
    (
        "See [it](https://docs.test/returns?lang=en&utm_source=openai) for refunds.",
        ["https://docs.test/returns?lang=en"],
        ["https://docs.test/returns?lang=en"],
        [],
    ),
    (
        "See https://docs.test/returns?utm_source=chatgpt.com&lang=en for refunds.",
        ["https://docs.test/returns?lang=en"],
        ["https://docs.test/returns?lang=en"],
        [],
    ),
    ("Cost is $5 [1] or $7 [2] now.", ["d1", "d2", "d3"], ["d1", "d2"], []),
    ("We get $x[1]$ and $5 [2] fee plus $6 [3].", ["d1", "d2", "d3"], ["d2", "d3"], []),
    ("Refunds are slow.\n\nItems:\n- d1\n- d2", ["d1", "d2"], [], []),
    ("Refunds are slow.\n\nSources:\n- the handbook\n- d2", ["d1", "d2"], [], []),
    ("Refunds are slow.\n\nReferences:\n1. d2 – Handbook of refunds\n2. elsewhere", ["d1", "d2"], ["d2"], []),
    ("Upload [your-file.pdf] to the portal now.", ["handbook.pdf"], [], []),
    ("See [notes.txt] for refunds.", ["handbook.pdf"], [], []),
    ("Bring p. 12 (p. 12) of it.", ["handbook.pdf"], [], []),
    ("As shown in [1, 3], refunds are slow.", ["d1", "d2", "d3"], ["d1", "d3"], []),
    ("The CI server [1, 2] is green.", ["d1", "d2", "d3"], ["d1", "d2"], []),
    ("Let the clerk in [1, 2] sign it.", ["d1", "d2", "d3"], ["d1", "d2"], []),
    ("The value x[1] is read first, then x[2].", ["d1", "d2", "d3"], [], []),
    ("It is _slow_[1] and my_list[2] is not.", ["d1", "d2", "d3"], ["d1"], []),
    ("Give passage 1 to 3 people.", ["d1", "d2", "d3"], ["d1"], []),
    ("See it (ref. 7).", ["d1", "d2", "d3"], [], []),
    ("See https://docs.test/a?id=1&utm_source=x for it.", ["https://docs.test/a?id=2"], [], []),
    (
        "See https://docs.test/a?utm_source=x&utm_medium=y for it.",
        ["https://docs.test/a"],
        ["https://docs.test/a"],
        [],
    ),
]


@pytest.mark.parametrize(("answer", "ids", "valid", "invalid"), CASES)
def test_what_is_cited(answer: str, ids: list[str], valid: list[str], invalid: list[str]) -> None:
    got = indicate(answer, [(identity, "Refunds take thirty days.") for identity in ids]).citations
    assert (list(got.valid), list(got.invalid)) == (valid, invalid)
