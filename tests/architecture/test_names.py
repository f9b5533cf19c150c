"""Names that stand in two rooms, which may not import each other, are the same names."""

from __future__ import annotations

from sentinel.indicators import INDICATOR_NAMES
from sentinel.sampling.design import TAKE_ALL_SIGNALS
from sentinel.stream.decode import REASONS
from sentinel.telemetry import catalogue


def test_every_indicator_and_signal_has_its_metric_label() -> None:
    assert set(INDICATOR_NAMES) | set(TAKE_ALL_SIGNALS) | {"thumbs_down"} == set(catalogue.INDICATOR_NAMES)


def test_every_reason_of_the_decoder_has_its_series_from_the_start() -> None:
    assert set(REASONS) <= set(catalogue.PARKED_REASONS)
