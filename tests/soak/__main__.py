"""`python -m tests.soak stream|kills|outages --events N [--seconds S]`: exits 1 where a promise broke."""

from __future__ import annotations

import argparse
import sys

from tests.services.missing import MissingServiceError
from tests.soak.progress import Progress, SoakError
from tests.soak.scenarios import kills, outages, stream
from tests.soak.stand import standing


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("scenario", choices=["stream", "kills", "outages"])
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long an outage lasts")
    given = parser.parse_args()
    progress = Progress()
    try:
        with standing(progress) as stand:
            if given.scenario == "outages":
                outages(stand, given.events, given.seconds)
            else:
                {"stream": stream, "kills": kills}[given.scenario](stand, given.events)
    except (SoakError, MissingServiceError) as error:
        progress.show(f"FAILED: {error}")
        return 1
    progress.show(f"passed: {given.scenario} over {given.events:,} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
