"""The generated code is that of the .proto files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def test_the_generated_code_is_up_to_date(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate", PACKAGE / "scripts" / "generate.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.generate(tmp_path)
    fresh = texts(tmp_path / "mighty" / "v1")
    committed = texts(PACKAGE / "src" / "mighty" / "v1")
    del committed["__init__.py"]
    assert sorted(fresh) == sorted(committed), "run scripts/generate.py, and delete what it no longer makes"
    stale = [name for name in fresh if fresh[name] != committed[name]]
    assert not stale, f"run scripts/generate.py: {stale} are out of date"


def texts(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.py*") if file.is_file()}
