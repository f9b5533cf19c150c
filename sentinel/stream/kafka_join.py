"""A join of the consumer group that ends between two polls is kept, not begun anew.

The client (kafka-python 3.0.12) waits for a join within `poll` only. One that ended after `poll` gave up
waiting is thrown away at the next `poll` and another one sent; from the group's leader that starts a new
rebalance for every worker. A busy worker can go round like this for minutes, and nothing is read
meanwhile. The result of a join is therefore kept here until the client takes it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from kafka import KafkaConsumer


@dataclass(slots=True)
class _Finished:
    """The assignment of one generation of the group, as long as the client has not taken it."""

    generation: Any = None
    assignment: bytes | None = None


def keep_finished_joins(consumer: KafkaConsumer) -> None:
    """Let `consumer` take the result of a join that ended while nobody polled.

    Both steps run on the client's own thread. Whatever happened to the group since then is found out as
    after any other join: by the next heartbeat.
    """
    coordinator = consumer._coordinator
    join: Callable[[], Awaitable[bytes]] = coordinator._do_join_and_sync_async
    complete: Callable[..., Awaitable[None]] = coordinator._on_join_complete_async
    finished = _Finished()

    async def join_once() -> bytes:
        if finished.assignment is None or finished.generation != coordinator._generation:
            finished.assignment = None
            finished.assignment = await join()
            finished.generation = coordinator._generation
        return finished.assignment

    async def complete_and_forget(*arguments: Any) -> None:
        finished.assignment = None
        await complete(*arguments)

    coordinator._do_join_and_sync_async = join_once
    coordinator._on_join_complete_async = complete_and_forget
