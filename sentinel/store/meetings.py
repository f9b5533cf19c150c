"""What a later arrival of a drawn answer makes of its unit: larger π, more signals, more reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.characters import clean_text
from sentinel.records import SampledUnit, Signals
from sentinel.store.columns import stored_event_id
from sentinel.store.schema import units

_CHUNK = 500
_MERGED = ("inclusion_probability", "raised_under_row", "reasons", "signals", "arrivals")


def meet_units(conn: Connection, met: Sequence[SampledUnit], *, counts_arrivals: bool) -> None:
    """Merge later arrivals into the units they meet, whose rows stay locked until the commit.

    π becomes the largest (`raised_under_row` names the row that raised it), `reasons` the union with the
    stored ones first, and a signal once true stays true. With `counts_arrivals` each is one arrival.
    """
    later: dict[str, list[SampledUnit]] = {}
    for unit in met:
        later.setdefault(stored_event_id(unit.facts.event_id), []).append(unit)
    event_ids = sorted(later)
    for start in range(0, len(event_ids), _CHUNK):
        stored = _locked(conn, event_ids[start : start + _CHUNK])
        rows = [{"met_id": row.id} | _merged(row, later[row.event_id], counts_arrivals) for row in stored]
        conn.execute(_UPDATE, rows)


_UPDATE = (
    sa.update(units)
    .where(units.c.id == sa.bindparam("met_id", type_=units.c.id.type))
    .values({name: sa.bindparam(f"met_{name}", type_=units.c[name].type) for name in _MERGED})
)


def _locked(conn: Connection, event_ids: Sequence[str]) -> Sequence[sa.Row[Any]]:
    """Return the rows in the order in which every writer takes their locks."""
    order: sa.ColumnElement[Any] = units.c.event_id
    if conn.dialect.name == "postgresql":
        # The server's own collation may sort otherwise than the writers that insert do.
        order = sa.collate(units.c.event_id, "C")
    columns = (units.c.id, units.c.event_id, *(units.c[name] for name in _MERGED))
    query = sa.select(*columns).where(units.c.event_id.in_(event_ids)).order_by(order)
    return conn.execute(query.with_for_update()).all()


def _merged(row: sa.Row[Any], later: Sequence[SampledUnit], counts_arrivals: bool) -> dict[str, Any]:
    probability, raised_under = row.inclusion_probability, row.raised_under_row
    signals = msgspec.convert(row.signals, Signals)
    reasons = dict.fromkeys(row.reasons)
    for unit in later:
        if unit.decision.inclusion_probability > probability:
            probability, raised_under = unit.decision.inclusion_probability, unit.decision.schedule_row
        signals = merged_signals(signals, unit.facts.signals)
        reasons |= dict.fromkeys(clean_text(reason) for reason in unit.decision.reasons)
    return {
        "met_inclusion_probability": probability,
        "met_raised_under_row": raised_under,
        "met_reasons": tuple(reasons),
        "met_signals": msgspec.to_builtins(signals),
        "met_arrivals": row.arrivals + len(later) * counts_arrivals,
    }


def merged_signals(first: Signals, second: Signals) -> Signals:
    """Return what two arrivals together observed, whichever came first.

    True outlives false and `down` outlives `up`; both outlive unknown.
    """
    given: list[Mapping[str, Any]] = [msgspec.to_builtins(one) for one in (first, second)]
    found: dict[str, Any] = {}
    for name in given[0]:
        known = [one[name] for one in given if one[name] is not None]
        if known:
            weighs_more = "down" if name == "thumbs" else True
            found[name] = weighs_more if weighs_more in known else known[0]
    return Signals(**found)
