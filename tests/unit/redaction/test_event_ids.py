"""Ids that are personal data are refused; ids that are merely numbers pass."""

from __future__ import annotations

import pytest

from sentinel.redaction import personal_data_in_id


@pytest.mark.parametrize(
    ("event_id", "kind"),
    [
        ("4106161576868454", "a card number"),
        ("id-4106161576868454", "a card number"),
        ("4106-1615-7686-8454", "a card number"),
        ("4106 1615 7686 8454", "a card number"),
        ("order_5500005555555559_x", "a card number"),
        ("378282246310005", "a card number"),
        ("3782-822463-10005", "a card number"),
        ("30569309025904", "a card number"),
        ("4106\u200b161576868454", "a card number"),
        ("４１０６１６１５７６８６８４５４", "a card number"),
        ("DE70897112369905809230", "an IBAN"),
        ("de70 8971 1236 9905 8092 30", "an IBAN"),
        ("pay:GB82WEST12345698765432", "an IBAN"),
        ("NL91-ABNA-0417-1643-00", "an IBAN"),
        ("id-427-12-1001", "a social security number"),
        ("427-12-1001", "a social security number"),
        ("ssn:427-12-1001/2", "a social security number"),
        ("427%2D12%2D1001", "a social security number"),
        ("zoe@corp.test", "an e-mail address"),
        ("x-zoe%40corp.test", "an e-mail address"),
        ("zoe＠corp.test", "an e-mail address"),
        ("zoe&#64;corp.test", "an e-mail address"),
        ("zoe[at]corp[.]test", "an e-mail address"),
    ],
)
def test_personal_data_in_ids(event_id: str, kind: str) -> None:
    assert personal_data_in_id(event_id) == kind


@pytest.mark.parametrize(
    "event_id",
    [
        "evt-1", "1700000000000", "1700000000000000", "1700000000000000000", "66.183.89.39", "v1.2.3.4",
        "4106161576868455", "DE70897112369905809231", "2024-11-18", "2024-11-1801", "a@b", "427-12-10011",
        "000-12-1001", "666-12-1001", "427-00-1001", "4111111111111111111", "65a4106161576868454fbeef",
        "018f3b1a-7c3e-7b1a-9c3e-1234567890ab", "01J9Z3K8Q4T5V6W7X8Y9Z0A1B2", "topic-3-4500012345",
        "0000000000000000", "order 12 of 2024",
    ],
)  # fmt: skip
def test_ids_that_pass(event_id: str) -> None:
    assert personal_data_in_id(event_id) is None
