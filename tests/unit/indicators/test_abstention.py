"""Declining: wholly, in part, or only apparently."""
# ruff: noqa: E501 - one case, one line

from __future__ import annotations

import pytest

from tests.unit.indicators.build import indicate

FULL = [
    "I can’t find that in the provided documents.",
    "I can't find any information about the X200 in the documents.",
    "IDK",
    "idk.",
    "I don't know.",
    "Sorry, I don't know the answer to that.",
    "N/A",
    "No information available.",
    "Unfortunately, the context does not mention the warranty period.",
    "The provided passages do not contain the answer to this question.",
    "There is no mention of a fee in the given context.",
    "It is not specified whether the fee is refunded.",
    "The opening hours are not provided in the given context.",
    "Based on the provided documents, the price cannot be determined.",
    "I'm sorry, but I need more context to answer your question. Could you please say which model you mean?",
    "As an AI language model, I do not have access to live data.",
    "I'm not able to answer that question.",
    "I am unable to help with that.",
    "I don't have enough information to answer. Please contact support.",
    "I do not have specific information about version 6.16.0.",
    "The documents don't cover this topic. You may want to consult the manual.",
    "That question is outside the scope of the provided documents.",
    "The passage does not give a number. However, it does mention that the range is limited.",
    "Sorry, I cannot answer this because of some technical issue.",
    "Das steht nicht im Text: Die Dokumente enthalten keine Angaben dazu.",
    "Je ne sais pas.",
    "No puedo responder a esa pregunta con los documentos.",
    "申し訳ありませんが、その情報は見つかりませんでした。",
]
PARTIAL = [
    "The given context does not mention how to lift the hood. However, most cars have a lever under the dashboard:"
    " pull it, walk to the front, slide the latch aside and raise the hood until the strut locks.",
    "I don't have information about that model. In general, such batteries last two to three years.",
    "The documents do not cover this, but most laptops reset by holding the power button for ten seconds.",
    "I couldn't find the fee in the documents. However, express shipping usually costs about twelve dollars.",
    "The form is on the second page [1]. The deadline is not mentioned in the provided documents.",
    "I'm sorry, but the context does not say. Typically, a lease runs for twelve months and renews by itself.",
    "As an AI, I cannot give legal advice. However, tenants generally must give thirty days of notice in writing [2].",
    "It is not clear what ABC refers to in this context. However, load reduction starts when the sensor detects low charge.",
    "Without more details it is difficult to give a specific answer. However, a flashing lamp often means low brake fluid.",
    "I am not able to compose music. However, here are the notes of the C major scale for your melody: C D E F G A B.",
]
NONE = [
    "I'm sorry to hear that. Your parcel arrives on Friday [2].",
    "Sorry for the delay! The refund was sent on Monday [1].",
    "We apologize for the trouble. Restart the router and wait two minutes.",
    'The manual warns: "I cannot open when hot." Wait ten minutes [1].',
    "The sign says “We do not have information here”. Ask at the desk on the second floor.",
    "> I don't know\n\nThat is what the caller said; the call lasted nine minutes [1].",
    "If you cannot find a suitable surface, wait until conditions improve.",
    "You don't have the required access in the account, or the code expired.",
    "It is not possible to separate them by simple distillation because an azeotrope forms [1].",
    "This could be because those stations are not available in the current location.",
    "No, it is not recommended to use cruise control when towing.",
    "The parcel was not found at the depot, so a new one was sent [1].",
    "The pump labels show that the fuel does not contain ethanol [1].",
    "Unfortunately, the fee is not refundable [3].",
    "Penguins cannot fly because their wings are too short [1].",
    "The store does not offer gift wrapping [2].",
    "There is no fee for returns within thirty days [1].",
    "Don't open the valve before the pressure is gone [1].",
]
HEDGED = [
    "Without the logs I can't name the exact cause, but most often the valve is shut [2].",
    "I can't be certain, but the symptoms point to a worn belt [1].",
    "While the context does not name a method, the approach should be gradual [1] and reviewed weekly [2].",
    "According to the results, it works with iron catalysts[2]. However, I could not find information about powder.",
]


@pytest.mark.parametrize("answer", FULL)
def test_an_answer_that_declines_is_an_abstention(answer: str) -> None:
    got = indicate(answer, ["The X100 has a warranty."]).abstention
    assert (got.kind, got.abstained, got.source) == ("full", True, "phrase")


@pytest.mark.parametrize("answer", PARTIAL)
def test_declining_and_then_answering_is_partial(answer: str) -> None:
    got = indicate(answer, ["Something else."]).abstention
    assert (got.kind, got.abstained, got.source) == ("partial", False, "phrase")


@pytest.mark.parametrize("answer", NONE)
def test_look_alikes_do_not_abstain(answer: str) -> None:
    got = indicate(answer, ["Something."]).abstention
    assert (got.kind, got.abstained, got.source) == ("none", False, "none")


@pytest.mark.parametrize("answer", HEDGED)
def test_hedged_help_is_no_abstention(answer: str) -> None:
    assert not indicate(answer, ["Something."]).abstention.abstained


@pytest.mark.parametrize("answer", ["", " ", "\n\t", "\u00a0", "\u2003\u3000"])
def test_an_empty_answer_abstains(answer: str) -> None:
    assert indicate(answer, ["Something."]).abstention.abstained


@pytest.mark.parametrize(
    ("answer", "answerable", "kind"),
    [
        ("Please ask your administrator about this one.", False, "full"),
        ("The warranty lasts ten years.", False, "full"),
        ("I don't know.", True, "none"),
        ("The warranty lasts ten years.", True, "none"),
    ],
)
def test_the_apps_own_flag_wins(answer: str, answerable: bool, kind: str) -> None:
    got = indicate(answer, ["Codes."], answerable=answerable).abstention
    assert (got.kind, got.source) == (kind, "flag")
