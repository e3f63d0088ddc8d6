"""Generates src/mighty/v1 from the .proto files; to be run after they change.

The code is committed, so that installing the package needs no compiler; a test says when it is out of date.
"""

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
PROTO = PACKAGE.parent.parent / "proto"


def generate(out: Path) -> None:
    """Writes messages and their types, and for the services the stubs and theirs."""
    # The plugins of mypy-protobuf lie beside the interpreter of the virtual environment.
    beside = Path(sys.executable).parent
    compiler = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"-I{PROTO}",
        f"--plugin=protoc-gen-mypy={beside / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={beside / 'protoc-gen-mypy_grpc'}",
    ]
    messages = [f"--python_out={out}", f"--mypy_out=quiet:{out}"]
    stubs = [f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}"]
    files = sorted((PROTO / "mighty" / "v1").glob("*.proto"))
    services = [file for file in files if file.stem.endswith("_service") and "\nservice " in file.read_text()]
    subprocess.run([*compiler, *messages, *map(str, files)], check=True)
    subprocess.run([*compiler, *stubs, *map(str, services)], check=True)


if __name__ == "__main__":
    generate(PACKAGE / "src")
