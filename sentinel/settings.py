"""The tree of settings: one parameter class a component, gathered under its section's name."""

from __future__ import annotations

from dataclasses import dataclass, field

from sentinel.errors import ConfigurationError
from sentinel.indicators.params import IndicatorParams
from sentinel.leading.params import LeaderParams
from sentinel.learning.params import LearningParams
from sentinel.monitoring.params import MonitoringParams
from sentinel.pipeline.deduplication import DeduplicationParams
from sentinel.pipeline.domain_caps import DomainParams
from sentinel.pipeline.params import PipelineParams
from sentinel.pipeline.redaction_pool import RedactionPoolParams
from sentinel.redaction import RedactionParams
from sentinel.reporting.params import ReportParams
from sentinel.review.params import ReviewParams
from sentinel.sampling.design import SamplingParams
from sentinel.store.database import StoreParams
from sentinel.store.retention import RetentionParams
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.limits import DecodeLimits
from sentinel.stream.publication import PublicationParams
from sentinel.telemetry.http import HttpParams
from sentinel.telemetry.logs import LogParams
from sentinel.telemetry.metrics import MetricsParams


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Where answers come from: `kafka`, `file:PATH` or `file:-`."""

    source: str = "kafka"
    kafka: KafkaParams = field(default_factory=KafkaParams)

    def __post_init__(self) -> None:
        kind, separator, path = self.source.partition(":")
        if self.source != "kafka" and not (kind == "file" and separator and path):
            raise ValueError(f"source {self.source!r} is unknown: give kafka, file:PATH or file:-")


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Metrics, health and logs of a process."""

    http: HttpParams = field(default_factory=HttpParams)
    logs: LogParams = field(default_factory=LogParams)
    metrics: MetricsParams = field(default_factory=MetricsParams)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set. `store` is a SQLAlchemy URL."""

    store: str = "sqlite:///sentinel.db"
    source: SourceSettings = field(default_factory=SourceSettings)
    limits: DecodeLimits = field(default_factory=DecodeLimits)
    indicators: IndicatorParams = field(default_factory=IndicatorParams)
    domains: DomainParams = field(default_factory=DomainParams)
    sampling: SamplingParams = field(default_factory=SamplingParams)
    learning: LearningParams = field(default_factory=LearningParams)
    redaction: RedactionParams = field(default_factory=RedactionParams)
    redaction_pool: RedactionPoolParams = field(default_factory=RedactionPoolParams)
    publication: PublicationParams = field(default_factory=PublicationParams)
    deduplication: DeduplicationParams = field(default_factory=DeduplicationParams)
    pipeline: PipelineParams = field(default_factory=PipelineParams)
    database: StoreParams = field(default_factory=StoreParams)
    retention: RetentionParams = field(default_factory=RetentionParams)
    review: ReviewParams = field(default_factory=ReviewParams)
    report: ReportParams = field(default_factory=ReportParams)
    monitoring: MonitoringParams = field(default_factory=MonitoringParams)
    leader: LeaderParams = field(default_factory=LeaderParams)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)

    def __post_init__(self) -> None:
        if self.publication.topic is None:
            return
        if self.redaction.scope != "all":
            raise ConfigurationError("publication.topic: gets every answer; set redaction.scope: all")
        if self.publication.topic == self.source.kafka.topic:
            raise ConfigurationError("publication.topic: is the topic that is consumed; name another one")
