"""What the extension modules of the indicators were built from; read by `setup.py` without the package."""

from __future__ import annotations

import hashlib
from pathlib import Path


def source_digest(folder: Path) -> str:
    """Return the SHA-256 of the Python sources in a folder, with their names.

    An installed package has no C beside them, so that C is left out.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
