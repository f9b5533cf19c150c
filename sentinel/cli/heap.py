"""How the C library gives memory back: at once, for this process lives for months.

glibc learns from the first large block that is freed to keep such blocks in its heap. A stream frees blocks
of megabytes all the time, and small ones that live on end up between them: over a million events resident
size then wavered by a tenth.
"""

from __future__ import annotations

import ctypes
import os

#: Options of `mallopt`, as glibc's malloc.h numbers them.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENA_MAX = -8
#: Blocks from this size on are mapped by themselves; so much free memory at the heap's end is given back.
_BYTES = 128 * 1024
#: The threads beside the main one allocate little.
_ARENAS = 2


def settle_heap() -> None:
    """Set glibc's allocator, unless the environment does (`MALLOC_…_`) or it is another one."""
    if any(name.startswith("MALLOC_") for name in os.environ):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return
    mallopt(_MMAP_THRESHOLD, _BYTES)
    mallopt(_TRIM_THRESHOLD, _BYTES)
    mallopt(_ARENA_MAX, _ARENAS)
