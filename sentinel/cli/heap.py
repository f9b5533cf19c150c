"""How the C library keeps freed memory: for the next fetch takes the same megabytes again.

A fetch of Kafka is copied several times, in blocks of its whole size. glibc maps such blocks by themselves
and gives them back, and then each of their pages is a fault, and zeroed, at the next fetch. Kept in the heap
they are the same pages every time. What that leaves free between blocks that live on is given back every few
seconds.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Options of `mallopt`, as glibc's malloc.h numbers them.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENA_MAX = -8
#: Only larger blocks are mapped by themselves: the most that glibc allows.
_MAPPED_BYTES = 32 * 1024 * 1024
#: So much free memory at the heap's end is kept: a fetch and its copies.
_KEPT_BYTES = 64 * 1024 * 1024
#: The second is the client's own thread's, with its fetches: nothing that lives on ends up between them.
_ARENAS = 2
#: A trim takes some milliseconds, and the next fetch finds its pages gone.
_SECONDS = 2.0


def settle_heap() -> None:
    """Set glibc's allocator, unless the environment does (`MALLOC_…_`) or it is another one."""
    mallopt = None if _is_set_outside() else _function("mallopt")
    if mallopt is None:
        return
    mallopt(_MMAP_THRESHOLD, _MAPPED_BYTES)
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_ARENA_MAX, _ARENAS)


@contextmanager
def tended_heap() -> Iterator[None]:
    """Give back, every few seconds while the block runs, what lies free between blocks that live on.

    Nothing is done where the environment sets the allocator or it is another one than glibc's.
    """
    trim = None if _is_set_outside() else _function("malloc_trim")
    if trim is None:
        yield
        return
    done = threading.Event()

    def tend() -> None:
        while not done.wait(_SECONDS):
            trim(0)

    thread = threading.Thread(target=tend, name="heap", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _is_set_outside() -> bool:
    return any(name.startswith("MALLOC_") for name in os.environ)


def _function(name: str) -> Callable[..., int] | None:
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):  # not glibc
        return None
    return found
