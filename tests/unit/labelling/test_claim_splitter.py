"""Claims as they are proposed: word for word, nothing lost that decides a label."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.labelling.claim_splitter import LONGEST_CLAIM, MOST_CLAIMS, split_claims


def texts(answer: str) -> list[str]:
    return [one.text for one in split_claims(answer)]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("", []),
        ("  \n\n ", []),
        ("Yes.", ["Yes."]),
        ("It takes 3.5 days. It costs 12 euro.", ["It takes 3.5 days.", "It costs 12 euro."]),
        ("You cannot return it. You can swap it.", ["You cannot return it.", "You can swap it."]),
        ("See e.g. the manual. Dr. Smith wrote it.", ["See e.g. the manual.", "Dr. Smith wrote it."]),
        ("Call No. 7 first. Then wait.", ["Call No. 7 first.", "Then wait."]),
        ("The answer is no. Wait for it.", ["The answer is no.", "Wait for it."]),
        ("It is free [1][2]. It is fast [3].", ["It is free [1][2].", "It is fast [3]."]),
        ("It is free. [1] It is fast. [2]", ["It is free. [1]", "It is fast. [2]"]),
        (
            "The fee is 12 euro, and the limit is 50 km/h.",
            ["The fee is 12 euro", "and the limit is 50 km/h."],
        ),
        (
            "The fee is 12 euro; it is due at once.",
            ["The fee is 12 euro", "it is due at once."],
        ),
        ("Salt and pepper are cheap.", ["Salt and pepper are cheap."]),
        ("It covers theft but not loss.", ["It covers theft but not loss."]),
        ("It is free, but only if you order today.", ["It is free, but only if you order today."]),
        (
            "It is free unless the item is over 30 kg, and the label is included.",
            ["It is free unless the item is over 30 kg", "and the label is included."],
        ),
        ("- One is red.\n- Two is blue,\n  not green.", ["One is red.", "Two is blue,\n  not green."]),
        ("1. First\n2. Second", ["First", "Second"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("One line\ngoes on here.\n\nNext.", ["One line\ngoes on here.", "Next."]),
        ("受付は月曜日。休みは火曜日。", ["受付は月曜日。", "休みは火曜日。"]),
        ("Visit sentinel.example. Done!", ["Visit sentinel.example.", "Done!"]),
        ("<PERSON_1> said so. <EMAIL_1> is right.", ["<PERSON_1> said so.", "<EMAIL_1> is right."]),
        ("It opens at 9 a.m. on Mondays. It closes late.",
         ["It opens at 9 a.m. on Mondays.", "It closes late."]),
        ("Really? Yes! Sure…", ["Really?", "Yes!", "Sure…"]),
        ("The tax (which is 7 %, and it is fixed) applies.",
         ["The tax (which is 7 %, and it is fixed) applies."]),
    ],
)  # fmt: skip
def test_claims_are_the_answers_own_statements(answer: str, claims: list[str]) -> None:
    assert texts(answer) == claims


@given(st.text(alphabet=st.sampled_from("ab1 .,;!?\n-*[](){}and butis 🙂é"), max_size=300))
def test_no_letter_or_digit_is_lost_and_spans_point_at_their_words(answer: str) -> None:
    spans = split_claims(answer)
    assert all(answer[one.start : one.end] == one.text for one in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    covered = "".join(one.text for one in spans)
    marks = r"(?m)^[ \t]*(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+"
    wanted = sum(map(str.isalnum, re.sub(marks, "", answer)))
    assert sum(map(str.isalnum, covered)) >= wanted


@pytest.mark.parametrize("word", ["not", "never", "no", "without", "only", "usually", "at most", "about"])
def test_qualifiers_stay_in_their_claim(word: str) -> None:
    claims = texts(f"The refund is {word} 30 days long [1]. Nothing else holds.")
    assert claims[0] == f"The refund is {word} 30 days long [1]."


def test_places_count_code_points() -> None:
    spans = split_claims("🙂🙂 It is free. It is fast.")
    assert (spans[1].start, spans[1].text) == (15, "It is fast.")


@pytest.mark.parametrize(
    "answer", ["A is b. " * 100_000, "a" * 1_000_000, "word " * 200_000, "- a\n" * 99_999]
)
def test_a_huge_answer_is_proposed_in_bounded_pieces(answer: str) -> None:
    spans = split_claims(answer)
    assert 1 < len(spans) <= MOST_CLAIMS
    assert max(len(one.text) for one in spans) <= LONGEST_CLAIM
    assert all(answer[one.start : one.end] == one.text for one in spans)


def test_a_long_statement_is_cut_between_words() -> None:
    spans = split_claims("many words " * 1_000)
    assert all(one.text.startswith(("many", "words")) for one in spans)
    assert " ".join(one.text for one in spans) == ("many words " * 1_000).strip()
