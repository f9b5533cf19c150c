"""The soaks: a long stream with deaths and a rebalance, fifty deaths, and outages of a minute."""

from __future__ import annotations

import random
import signal
import threading
import time

from tests.fault.processes import Run, readiness
from tests.services.ports import free_port
from tests.soak.progress import check
from tests.soak.stand import PARTITIONS, Stand, resident_megabytes
from tests.soak.traffic import expected, produce

_STEP = 100_000
KILLS = 50


def stream(stand: Stand, events: int) -> None:
    """One per cent poison, three kill -9 and one rebalance, resident memory at each 100,000th record."""
    sent = expected(events)
    stand.progress.show(f"writing {sent.records:,} records: {sent}")
    produce(stand.kafka.bootstrap, stand.topic, 0, events, PARTITIONS, stand.progress)
    first = stand.start()
    due = _STEP

    def seen(at: int) -> None:
        nonlocal due
        if at < due:
            return
        sizes = ", ".join(f"{resident_megabytes(run.pid):.0f} MB" for run in alive)
        stand.progress.show(f"{at:,} records done; resident {sizes}")
        due = (at // _STEP + 1) * _STEP

    alive = [first]
    stand.wait_for(sent.records * 2 // 10, alive, seen)
    first = _killed(stand, first)
    alive[:] = [first]
    stand.wait_for(sent.records * 4 // 10, alive, seen)
    second = stand.start()
    stand.progress.show("a second agent joins: the group rebalances")
    alive.append(second)
    stand.wait_for(sent.records * 6 // 10, alive, seen)
    second = _killed(stand, second)
    alive[:] = [first, second]
    stand.wait_for(sent.records * 8 // 10, alive, seen)
    first = _killed(stand, first)
    alive[:] = [first, second]
    stand.wait_for(sent.records, alive, seen)
    _stopped(stand, alive)
    stand.compare(sent)


def kills(stand: Stand, events: int) -> None:
    """Fifty kill -9 at random places of the stream, each after the agent has got further."""
    sent = expected(events)
    produce(stand.kafka.bootstrap, stand.topic, 0, events, PARTITIONS, stand.progress)
    chosen = random.Random(20261130)
    places = sorted(chosen.randrange(sent.records * 95 // 100) for _ in range(KILLS))
    # Small batches, so that there is something left for the next life; a name in the group that is taken
    # over at once, so that fifty sessions need not run out.
    sections = {"pipeline": {"batch_records": max(5, events // 1000)}}
    settings = stand.settings("soak", **sections)
    settings["source"]["kafka"]["group_instance_id"] = "soak-0"
    for number, place in enumerate(places, 1):
        run = stand.start(fresh=False, **sections, source=settings["source"])
        before = stand.position()
        at = stand.wait_for(max(place, before + 1), [run])
        time.sleep(0.05 * chosen.random())
        check(at < sent.records, f"the stream ended before death {number}: give it more EVENTS")
        run.send(signal.SIGKILL)
        run.ends()
        if number % 5 == 0:
            stand.progress.show(f"{number} deaths, {at:,} records done")
    last = stand.start(fresh=False, source=settings["source"])
    stand.wait_for(sent.records, [last])
    _stopped(stand, [last])
    stand.compare(sent)


def outages(stand: Stand, events: int, seconds: float = 60.0) -> None:
    """Database and broker restarted, and each away for a minute: not ready, bounded, nothing lost."""
    sent = expected(events)
    parts = [events * part // 5 for part in range(6)]
    port = free_port()
    run = stand.start(telemetry={"http": {"port": port}})
    written = 0

    def write(part: int) -> None:
        nonlocal written
        produce(stand.kafka.bootstrap, stand.topic, parts[part], parts[part + 1], PARTITIONS, stand.progress)
        written = expected(parts[part + 1]).records

    write(0)
    stand.wait_for(written, [run])
    before = resident_megabytes(run.pid)

    stand.progress.show(f"PostgreSQL away for {seconds:.0f} s while records arrive")
    stand.postgres.stop()
    arriving = threading.Thread(target=write, args=(1,))
    arriving.start()
    _not_ready(stand, run, port, "store", seconds)
    arriving.join()
    most = stand.most_megabytes
    stand.postgres.start()
    stand.wait_for(written, [run])
    stand.progress.show(f"caught up; resident {before:.0f} MB before, at most {most:.0f} MB meanwhile")

    stand.progress.show("PostgreSQL restarted")
    stand.postgres.stop()
    stand.postgres.start()
    write(2)
    stand.wait_for(written, [run])

    stand.progress.show(f"broker away for {seconds:.0f} s")
    stand.kafka.kill()
    _not_ready(stand, run, port, "source", seconds)
    stand.kafka.start()
    write(3)
    stand.wait_for(written, [run])

    stand.progress.show("broker restarted")
    stand.kafka.stop()
    stand.kafka.start()
    write(4)
    stand.wait_for(written, [run])
    status, reasons = readiness(port)
    check(status == 200, f"not ready at the end: {reasons}")
    _stopped(stand, [run])
    check(run.summary["duplicates"] == sent.repeats, "something was read twice")
    stand.compare(sent)


def _not_ready(stand: Stand, run: Run, port: int, part: str, seconds: float) -> None:
    """Watch the agent through an outage: it lives, and says which part it waits for."""
    ends = time.monotonic() + seconds
    said = ""
    while time.monotonic() < ends:
        time.sleep(0.2)
        check(run.lives, f"the agent died: {run.log}")
        stand.most_megabytes = max(stand.most_megabytes, resident_megabytes(run.pid))
        status, reasons = readiness(port)
        if status == 503 and part in reasons:
            said = reasons[part]
    check(bool(said), f"it never said that the {part} was away")
    stand.progress.show(f"not ready: {part}: {said}")


def _killed(stand: Stand, run: Run) -> Run:
    run.send(signal.SIGKILL)
    run.ends()
    stand.progress.show(f"kill -9 at {stand.position():,} records; started again")
    return stand.start()


def _stopped(stand: Stand, alive: list[Run]) -> None:
    for run in alive:
        run.send(signal.SIGTERM)
        check(run.ends() == 0, run.log)
    stand.progress.show(f"stopped in order; largest resident size seen {stand.most_megabytes:.0f} MB")
