"""The name under which an annotator is stored."""

from __future__ import annotations

import hmac
import re

_PSEUDONYM = re.compile(r"annotator-[a-p]{20}")
#: Letters alone: digits of a hash would be taken for a telephone number by the next redaction.
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


#: What an annotation tool calls its users: no spaces, no address, no letters but the plain ones.
_OPAQUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")


def looks_opaque(name: str) -> bool:
    """Return whether a name is written like an id and not like a person's name or address."""
    return _OPAQUE_ID.fullmatch(name) is not None


def is_pseudonym(name: str) -> bool:
    """Return whether a name is a pseudonym already, as an exported label carries it."""
    return _PSEUDONYM.fullmatch(name) is not None


def annotator_pseudonym(name: str, key: bytes) -> str:
    """Return what stands for an annotator whose name may be personal: the same name, the same pseudonym.

    HMAC-SHA-256 of the name without case and outer space, 80 bits of it as letters a to p.

    Raises:
        ValueError: if the key is empty: an unkeyed hash of a name can be reversed by trial.
    """
    if not key:
        raise ValueError("a pseudonym needs a key")
    message = b"annotator\x00" + " ".join(name.casefold().split()).encode("utf-8", "surrogatepass")
    return "annotator-" + hmac.new(key, message, "sha256").hexdigest()[:20].translate(_LETTERS)
