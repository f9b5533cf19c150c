"""The life of alarms, comparisons of versions, and detectors that were written and read."""

import json
from collections.abc import Mapping

import numpy as np
import pytest

from sentinel.detection.charts import threshold
from sentinel.detection.detector import Detector
from sentinel.detection.document import from_documents, to_documents
from sentinel.detection.params import ShiftParams

IS_RATE = np.array([True, True, False])
NAMES = ("a", "b", "c")
PARAMS = ShiftParams(accept_after_hours=6.0)
ALARM_AT = threshold(3, PARAMS)
START = 20_419 * 1440


class Stream:
    """Minutes of three series with the rates of the moment."""

    def __init__(self, seed: int = 1, per_minute: float = 60.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.per_minute = per_minute
        self.minute = START
        self.detector = Detector.empty(IS_RATE, ALARM_AT, PARAMS)
        self.seen: list[tuple[str, str, int, int]] = []

    def sums(self, rates: tuple[float, float, float], per_minute: float) -> np.ndarray:
        count = float(self.rng.poisson(per_minute))
        first, second = (float(self.rng.binomial(int(count), rate)) for rate in rates[:2])
        total = count * rates[2] + self.rng.normal() * 0.7 * count**0.5
        squares = count * 0.49 + total**2 / max(count, 1.0)
        return np.array([[count] * 3, [first, second, total], [first, second, squares]])

    def run(
        self,
        minutes: int,
        rates: tuple[float, float, float] = (0.05, 0.3, 4.6),
        versions: Mapping[str, tuple[float, tuple[float, float, float]]] | None = None,
    ) -> list[tuple[str, str, int, int]]:
        """Go on; return (version, kind, series, minutes from here) of what changed."""
        first, found = self.minute, []
        for self.minute in range(first, first + minutes):
            parts = {v: self.sums(r, self.per_minute * share) for v, (share, r) in (versions or {}).items()}
            rest = 1.0 - sum(share for share, _ in (versions or {}).values())
            whole = self.sums(rates, self.per_minute * rest) + sum(parts.values())
            for version, changes in self.detector.add_minute(self.minute, whole, parts).items():
                found += [(version, c.kind, c.series, self.minute - first + 1) for c in changes]
        self.minute += 1
        return found


@pytest.fixture(scope="module")
def settled() -> Stream:
    stream = Stream()
    assert stream.run(3 * 1440) == []
    return stream


def again(stream: Stream) -> Stream:
    copy = Stream(seed=int(stream.rng.integers(1 << 30)))
    copy.minute = stream.minute
    copy.detector = reread(stream.detector)
    return copy


def reread(detector: Detector, names: tuple[str, ...] = NAMES, params: ShiftParams = PARAMS) -> Detector:
    profile, state = json.loads(json.dumps(to_documents(detector, NAMES)))
    return from_documents(profile, state, names, IS_RATE[: len(names)], ALARM_AT, params)


@pytest.mark.parametrize(
    ("rates", "series", "direction"),
    [
        ((0.12, 0.3, 4.6), 0, 1),
        ((0.0, 0.3, 4.6), 0, -1),
        ((0.05, 0.5, 4.6), 1, 1),
        ((0.05, 0.1, 4.6), 1, -1),
        ((0.05, 0.3, 4.9), 2, 1),
        ((0.05, 0.3, 4.3), 2, -1),
    ],
)
def test_an_alarm_begins_and_ends(
    settled: Stream, rates: tuple[float, float, float], series: int, direction: int
) -> None:
    stream = again(settled)
    began = stream.run(40, rates)
    assert [(version, kind, place) for version, kind, place, _ in began] == [("", "begin", series)]
    assert stream.detector.watch.direction[series] == direction
    ended = stream.run(60)
    assert [(kind, place) for _, kind, place, _ in ended] == [("end", series)]
    assert stream.run(600) == []


def test_an_alarm_stays_while_the_shift_does(settled: Stream) -> None:
    stream = again(settled)
    stream.run(40, (0.12, 0.3, 4.6))
    assert stream.run(300, (0.12, 0.3, 4.6)) == []


def test_silence_neither_ends_nor_begins_an_alarm(settled: Stream) -> None:
    stream = again(settled)
    stream.run(40, (0.12, 0.3, 4.6))
    stream.per_minute = 0.0
    assert stream.run(200) == []
    assert stream.detector.watch.alarmed.tolist() == [True, False, False]


def test_a_shift_that_stays_becomes_the_new_normal(settled: Stream) -> None:
    stream = again(settled)
    stream.run(40, (0.12, 0.3, 4.6))
    found = stream.run(6 * 60, (0.12, 0.3, 4.6))
    assert [(kind, place) for _, kind, place, _ in found] == [("accepted", 0)]
    assert stream.detector.baseline.mean[0] == pytest.approx(0.12, rel=0.1)
    assert stream.run(1440, (0.12, 0.3, 4.6)) == []
    assert [(kind, place) for _, kind, place, _ in stream.run(60)] == [("begin", 0)]


def test_a_shift_does_not_enter_the_baseline(settled: Stream) -> None:
    stream = again(settled)
    stream.run(300, (0.3, 0.3, 4.6))
    assert stream.detector.baseline.mean[0] == pytest.approx(0.05, rel=0.1)


def test_a_canary_is_compared_with_what_was_before(settled: Stream) -> None:
    stream = again(settled)
    stream.detector.compare("v2", stream.minute)
    found = stream.run(120, versions={"v2": (0.1, (0.4, 0.3, 4.6))})
    assert ("v2", "begin", 0) in {(version, kind, place) for version, kind, place, _ in found}
    assert all(version == "v2" or place == 0 for version, _, place, _ in found)


def test_a_version_that_is_no_worse_raises_nothing_and_its_comparison_ends(settled: Stream) -> None:
    stream = again(settled)
    stream.detector.comparisons.clear()
    stream.detector.compare("v2", stream.minute)
    stream.detector.comparisons["v2"].until = stream.minute + 500
    assert stream.run(600, versions={"v2": (0.3, (0.05, 0.3, 4.6))}) == []
    assert stream.detector.comparisons == {}


@pytest.mark.parametrize("every", [1, 7, 61])
def test_pieces_give_what_one_run_gives(settled: Stream, every: int) -> None:
    one, pieces = again(settled), again(settled)
    pieces.rng = np.random.default_rng(9)
    one.rng = np.random.default_rng(9)
    one.detector.compare("v2", one.minute)
    pieces.detector.compare("v2", pieces.minute)
    shift = {"v2": (0.2, (0.2, 0.3, 4.9))}
    whole = one.run(183, versions=shift)
    cut = []
    for start in range(0, 183, every):
        pieces.detector = reread(pieces.detector)
        found = pieces.run(min(every, 183 - start), versions=shift)
        cut += [(version, kind, series, minutes + start) for version, kind, series, minutes in found]
    assert whole == cut
    assert whole
    assert to_documents(one.detector, NAMES) == to_documents(pieces.detector, NAMES)


def test_a_series_that_is_new_begins_from_nothing_and_the_others_go_on(settled: Stream) -> None:
    profile, state = to_documents(settled.detector, ("a", "b", "c"))
    is_rate = np.array([True, True, False, True])
    read = from_documents(profile, state, ("b", "new", "c", "a")[:4], is_rate[[0, 1, 2, 3]], ALARM_AT, PARAMS)
    assert read.baseline.ready.tolist() == [True, False, True, True]
    assert read.baseline.mean[3] == pytest.approx(settled.detector.baseline.mean[0])


def test_other_settings_leave_the_history_in_place(settled: Stream) -> None:
    changed = ShiftParams(odds_ratios=(1.5, 3.0), mean_shifts=(0.2, 0.5), settled_hours=3)
    read = reread(settled.detector, params=changed)
    assert read.baseline.mean[0] == pytest.approx(settled.detector.baseline.mean[0])
    assert read.watch.charts.evidence.shape == (3, 2, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"false_alarms_per_30_days": 0},
        {"least_rate": 0.6},
        {"settled_hours": 0},
        {"dispersion": 0.5},
        {"odds_ratios": (2.0,)},
        {"odds_ratios": (), "mean_shifts": ()},
        {"odds_ratios": (0.5, 2, 3, 4)},
        {"warm_up_answers": -1},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must|lists|least|above"):
        ShiftParams(**wrong)  # type: ignore[arg-type]
