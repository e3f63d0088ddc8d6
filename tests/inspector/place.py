"""A server of its own for the inspection, on a free port of the loopback address."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINARIES = Path(os.environ.get("MIGHTY_BINARIES", ROOT / "target" / "debug"))
PATIENCE = 30.0


@contextmanager
def server(data: Path, *options: str) -> Iterator[int]:
    """Starts a server with these options; its port."""
    port_file = data / "port"
    port_file.unlink(missing_ok=True)
    command = [str(BINARIES / "mighty-server"), "--listen", "127.0.0.1:0", "--port-file", str(port_file)]
    command += ["--drain", "1s", *options]
    with (data / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        end = time.monotonic() + PATIENCE
        while not port_file.exists() or not port_file.read_text().strip():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((data / "server.log").read_text())
            time.sleep(0.02)
        yield int(port_file.read_text())
    finally:
        process.terminate()
        process.wait(PATIENCE)


def verify(line: str) -> subprocess.CompletedProcess[str]:
    """What `mighty verify` says of a record."""
    command = [str(BINARIES / "mighty"), "verify", "-"]
    return subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=False)
