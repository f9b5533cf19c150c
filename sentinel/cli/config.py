"""`sentinel config check`: is this configuration one the product can run with?"""

from __future__ import annotations

import typer

from sentinel.cli.options import Config
from sentinel.cli.secrets import check_salts
from sentinel.config import load_settings
from sentinel.pipeline.redaction_model import require_model
from sentinel.store.database import Database
from sentinel.stream.kafka_security import check_access


def check(config: Config = None) -> None:
    """Validate a configuration file together with the environment; exit 2 names what is wrong.

    Example: [bold]sentinel config check --config sentinel.yaml[/bold]
    """
    settings = load_settings(config)
    require_model(settings.redaction)
    Database(settings.store, settings.database).close()
    check_salts(settings)
    if settings.source.source == "kafka":
        check_access(settings.source.kafka.security)
    origin = str(config) if config else "defaults and environment"
    salt = "set" if settings.sampling.salt else "not set"
    source, sampling = settings.source.source, settings.sampling
    drawn = f"budget {sampling.budget.name}" if sampling.budget else f"rate {sampling.start_rate:g}"
    typer.echo(f"{origin}: valid (source {source}, sampling.{drawn}, salt {salt})")
