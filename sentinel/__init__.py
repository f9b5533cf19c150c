"""sentinel: a sampling and monitoring agent for LLM applications."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("sentinel-sampling")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
