"""A sampling design: everything frozen that enters π besides the numbers of a schedule row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from sentinel.sampling.allocation import size_measure, uniform_and_multiplier
from sentinel.sampling.budget import Budget
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, REFERENCE_RISKS, RISK_VERSION, RiskModel
from sentinel.sampling.schedule import BEGINNING, ScheduleRow

#: The expected share of answers drawn where neither `rate` nor `budget` is set.
DEFAULT_RATE = 0.02
#: Signals that are always taken, unless a schedule row caps them.
TAKE_ALL_SIGNALS = ("safety_incident", "user_correction", "unsupported_citation_report")


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """What an operator sets about the draw.

    `rate` is the expected share of answers drawn on traffic like the design's reference distribution;
    in its place `budget` may say how many reviews to expect, and the leader steers the share. Without
    either the rate is `DEFAULT_RATE`. `salt` is a secret; who knows it can tell which answers will be
    drawn. After it was changed the old ones stay in `earlier_salts`: answers of their time are still
    drawn with them. `uniform_share` is the defensive part of the mixture, `floor` the least π of any
    answer, `base_rate` the case rate the allocation is made for. `novelty_units` reviews are expected of
    each new model, prompt version or document class within `novelty_days`.
    """

    salt: str = field(default="", repr=False)
    earlier_salts: tuple[str, ...] = field(default=(), repr=False)
    rate: float | None = None
    budget: Budget | None = None
    uniform_share: float = 0.3
    floor: float = 0.0001
    base_rate: float = 0.1
    novelty_units: float = 30.0
    novelty_days: float = 7.0

    def __post_init__(self) -> None:
        if self.rate is not None and self.budget is not None:
            raise ValueError("rate and budget exclude each other: set one of them and leave the other out")
        for name, low, high in (
            ("rate", 0.0, 1.0),
            ("uniform_share", 0.0, 1.0),
            ("floor", 0.0, 1.0),
            ("base_rate", 0.0, 1.0),
        ):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise ValueError(f"{name} {value} is not in [{low:g}, {high:g}]")
        if self.rate == 0.0 or self.floor == 0.0:
            raise ValueError(
                "rate and floor must be above 0: an answer that cannot be drawn biases every rate"
            )
        if self.novelty_units < 0 or self.novelty_days <= 0:
            raise ValueError("novelty_units must not be negative and novelty_days must be positive")

    @property
    def fixed_rate(self) -> float | None:
        """Return the rate that stands until somebody changes it; None where a budget steers it."""
        if self.budget is not None:
            return None
        return DEFAULT_RATE if self.rate is None else self.rate

    @property
    def start_rate(self) -> float:
        """Return the rate a new design begins with."""
        return self.budget.start_rate if self.budget is not None else self.rate or DEFAULT_RATE


@dataclass(frozen=True)
class Design:
    """The frozen parts of π: their hash is the design id.

    `indicators` names the version and settings of the indicators (they feed the risk), `salt_id`
    the salt without telling it. `reference_risks` are quantiles of the model's predictions on the traffic
    that the design is made for. `rate` None: the leader steers it from row to row, within a budget.
    """

    risk_model: RiskModel
    base_rate: float
    uniform_share: float
    floor: float
    rate: float | None
    take_all: tuple[tuple[str, float], ...]
    indicators: str
    salt_id: str
    reference_risks: tuple[float, ...] = REFERENCE_RISKS

    def specification(self) -> dict[str, Any]:
        """Return the design as JSON-ready values, as stored under its id."""
        return asdict(self)

    @cached_property
    def design_id(self) -> str:
        """Return the first 12 hex digits of the SHA-256 of the canonical specification."""
        canonical = json.dumps(self.specification(), sort_keys=True, separators=(",", ":"))
        return "d" + hashlib.sha256(canonical.encode()).hexdigest()[:12]

    def reference_sizes(self) -> list[float]:
        """Return the size measures of the design's reference distribution."""
        return [size_measure(risk, self.base_rate) for risk in self.reference_risks]

    def first_row(self, reason: str, start_rate: float = DEFAULT_RATE) -> ScheduleRow:
        """Return the schedule row this design starts with, from its reference distribution.

        `start_rate` counts where the design has no rate of its own.
        """
        rate = start_rate if self.rate is None else self.rate
        uniform, multiplier = uniform_and_multiplier(self.reference_sizes(), rate, self.uniform_share)
        return ScheduleRow(
            id=0,
            effective_at=BEGINNING,
            design_id=self.design_id,
            uniform_probability=uniform,
            multiplier=multiplier,
            floor=self.floor,
            take_all=self.take_all,
            rules=(),
            reason=reason,
        )


def configured_design(params: SamplingParams, salt_id: str, indicators: str) -> Design:
    """Return the design an operator's settings ask for, with the default risk model."""
    return Design(
        risk_model=DEFAULT_RISK_MODEL,
        base_rate=params.base_rate,
        uniform_share=params.uniform_share,
        floor=params.floor,
        rate=params.fixed_rate,
        take_all=tuple((signal, 1.0) for signal in TAKE_ALL_SIGNALS),
        indicators=indicators,
        salt_id=salt_id,
    )


def design_from(specification: Mapping[str, Any]) -> Design:
    """Return the design a stored specification describes.

    Raises KeyError or TypeError where it is of another version, with parts missing or unknown.
    """
    model = RiskModel(**specification["risk_model"])
    if model.version != RISK_VERSION:
        raise KeyError(f"risk model {model.version}")
    return Design(
        risk_model=model,
        base_rate=specification["base_rate"],
        uniform_share=specification["uniform_share"],
        floor=specification["floor"],
        rate=specification["rate"],
        take_all=tuple((signal, probability) for signal, probability in specification["take_all"]),
        indicators=specification["indicators"],
        salt_id=specification["salt_id"],
        reference_risks=tuple(specification["reference_risks"]),
    )


def with_learned(configured: Design, last: Design) -> Design:
    """Return the configured design with what `last` had learned, where that still applies.

    A learned model goes with the indicators it was fitted to; under others it means nothing.
    """
    if last.indicators != configured.indicators:
        return configured
    return replace(configured, risk_model=last.risk_model, reference_risks=last.reference_risks)
