"""sentinel: a sampling and monitoring agent for LLM applications."""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """Return `__version__` when it is asked for: looking it up takes longer than the process may be deaf."""
    if name != "__version__":
        raise AttributeError(f"module 'sentinel' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("sentinel-sampling")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"
