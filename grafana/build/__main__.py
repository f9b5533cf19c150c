"""`python -m grafana.build` writes all files; with `--check` it names the stale ones and ends with 1."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grafana.build.boards import BOARDS
from grafana.build.frame import built
from grafana.build.prometheus import rule_file
from grafana.build.provisioning import provisioning_file

ROOT = Path(__file__).resolve().parents[2]


def files() -> dict[str, str]:
    """Return the text of every file by its path below the repository."""
    rules = rule_file()
    boards = {
        f"grafana/dashboards/{board.uid}.json": json.dumps(built(board), indent=2, ensure_ascii=False) + "\n"
        for board in BOARDS
    }
    return boards | {
        "grafana/alerts/sentinel.rules.yaml": rules,
        "helm/sentinel/files/sentinel.rules.yaml": rules,
        "grafana/provisioning/alerting/sentinel.yaml": provisioning_file(),
    }


def stale(root: Path = ROOT) -> list[str]:
    """Return the files that building would change, and those of dashboards that nothing builds."""
    wanted = files()
    found = {f"grafana/dashboards/{path.name}" for path in (root / "grafana/dashboards").glob("*")}
    changed = {
        path
        for path, text in wanted.items()
        if not (root / path).is_file() or (root / path).read_text() != text
    }
    return sorted(changed | (found - wanted.keys()))


def main() -> int:
    """Write what is stale, or only name it."""
    paths = stale()
    for path in paths:
        sys.stderr.write(f"{path}\n")
    if "--check" in sys.argv[1:]:
        return 1 if paths else 0
    wanted = files()
    for path in paths:
        target = ROOT / path
        if path not in wanted:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
