"""The referee lies beside, and a server runs for all tests."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "referee"))

import place


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server with a small page size, so that pages are turned."""
    with place.server(tmp_path_factory.mktemp("server"), "--page-size", "3", "--no-ladder") as port:
        yield port
