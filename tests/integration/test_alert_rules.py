"""The alert rules in the hands of promtool: valid, and each one fires and keeps quiet when it should."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.services.missing import skip_or_fail

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "grafana/alerts/sentinel.rules.yaml"
CASES = sorted((ROOT / "tests/integration/alerts").glob("*.test.yaml"))


@pytest.fixture(scope="module")
def promtool() -> str:
    found = os.environ.get("SENTINEL_TEST_PROMTOOL") or shutil.which("promtool")
    if not found:
        skip_or_fail("promtool is not installed (Debian package prometheus)")
    return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_rules_are_valid(promtool: str) -> None:
    done = run(promtool, "check", "rules", str(RULES))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_each_alert_fires_and_keeps_quiet(promtool: str, case: Path) -> None:
    done = run(promtool, "test", "rules", str(case))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case_that_fires_and_one_that_does_not() -> None:
    fires, quiet = set(), set()
    for path in CASES:
        for case in yaml.safe_load(path.read_text())["tests"]:
            for check in case.get("alert_rule_test", []):
                (fires if check["exp_alerts"] else quiet).add(check["alertname"])
    alerts = {
        rule["alert"]
        for group in yaml.safe_load(RULES.read_text())["groups"]
        for rule in group["rules"]
        if "alert" in rule
    }
    assert fires == alerts
    assert quiet == alerts


@pytest.mark.parametrize("change", [("== 0\n", "== -1\n"), ("> 1000", "> 1e9"), ("4 * sqrt", "400 * sqrt")])
def test_the_cases_notice_a_broken_rule(promtool: str, tmp_path: Path, change: tuple[str, str]) -> None:
    broken = RULES.read_text().replace(*change)
    assert broken != RULES.read_text()
    (tmp_path / "sentinel.rules.yaml").write_text(broken)
    minutes = next(path for path in CASES if path.name == "minutes.test.yaml").read_text()
    case = tmp_path / "case.yaml"
    case.write_text(minutes.replace("../../../grafana/alerts/sentinel.rules.yaml", "sentinel.rules.yaml"))
    assert run(promtool, "test", "rules", str(case)).returncode == 1
