"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="A YAML file of settings.", dir_okay=False, show_default=False),
]
Store = Annotated[
    str | None,
    typer.Option("--store", help="Where everything is kept: a SQLAlchemy URL.", show_default="from config"),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="A file instead of standard output.")]
