"""The engine against a plain referee that shares nothing with it: fresh hands and matches under random rules.

`REFEREE_LINES` sets how many (default 1500 hands, and a fiftieth of that in matches), `REFEREE_SEED` which.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MIGHTY = Path(os.environ.get("MIGHTY_BIN", ROOT / "target" / "debug" / "mighty"))
LINES = int(os.environ.get("REFEREE_LINES", "1500"))
SEED = os.environ.get("REFEREE_SEED", "1")


def referee(*words: str) -> str:
    """What the referee writes."""
    command = [sys.executable, str(HERE / "referee.py"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def verify(lines: str) -> subprocess.CompletedProcess[str]:
    """What `mighty verify` says of the lines."""
    command = [str(MIGHTY), "verify", "--quiet", "-"]
    return subprocess.run(command, input=lines, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "kind", [["--count", str(LINES)], ["--matches", "--count", str(max(LINES // 50, 1))]], ids=["hands", "matches"]
)
def test_engine_and_referee_agree(kind: list[str]) -> None:
    verdict = verify(referee("generate", "--seed", SEED, *kind))
    assert verdict.returncode == 0, f"seed {SEED}: {verdict.stderr[-2000:]}"


def test_a_wrong_outcome_is_found() -> None:
    lines = referee("generate", "--seed", SEED, "--count", "40").replace('"taken": 1', '"taken": 2')
    assert verify(lines).returncode == 1


@pytest.mark.parametrize("name", ["vectors.jsonl", "matches.jsonl"])
def test_the_referee_agrees_with_the_written_hands(name: str) -> None:
    assert referee("check", str(ROOT / "rules" / "tests" / "data" / name)) is not None
