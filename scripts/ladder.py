"""Plays a ladder on this machine: a server, bots in Rust and in Python, progress, standings.

Started by `make ladder`. On a terminal it then leaves the server running until Enter; elsewhere it ends.
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 7435


@dataclass(frozen=True)
class Entrant:
    """A bot of the ladder, as a command line without its server."""

    name: str
    command: list[str]


def entrants(binaries: Path) -> list[Entrant]:
    """The bots of both languages that play."""
    rust = [str(binaries / "mighty-bot")]
    python = ROOT / "bots/python"
    return [
        Entrant("rust-cautious", [*rust, "--bot", "cautious"]),
        Entrant("rust-random", [*rust, "--bot", "random"]),
        Entrant("python-cautious", [sys.executable, str(python / "cautious_bot.py")]),
        Entrant("python-random", [sys.executable, str(python / "random_bot.py")]),
        Entrant("rust-cautious-2", [*rust, "--bot", "cautious"]),
        Entrant("python-cautious-2", [sys.executable, str(python / "cautious_bot.py")]),
    ]


def free_port(wanted: int) -> int:
    """The wanted port of the loopback address, or another one when it is taken."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    sys.exit("no port is free on 127.0.0.1: stop a server and try again")


class Ladder:
    """The processes of a ladder, which all end with it."""

    def __init__(self, stack: ExitStack, binaries: Path, data: Path, port: int) -> None:
        """A ladder that has not begun: everything that it starts is ended by the stack."""
        self.stack = stack
        self.binaries = binaries
        self.data = data
        self.address = f"127.0.0.1:{port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, command: list[str]) -> None:
        """Starts a process whose output goes to a log, and which ends with the ladder."""
        log = self.stack.enter_context((self.data / "logs" / f"{name}.log").open("wb"))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes[name] = process
        self.stack.callback(stop, process)

    def ask(self, *words: str) -> dict[str, Any] | None:
        """What `mighty` answers in JSON; nothing while the server does not."""
        answer = subprocess.run(
            [self.binaries / "mighty", *words, "--json", "--server", f"http://{self.address}"],
            capture_output=True,
            check=False,
        )
        if answer.returncode != 0:
            return None
        result: dict[str, Any] = json.loads(answer.stdout)
        return result

    def fail(self, name: str) -> None:
        """Ends with the last lines of a log."""
        log = self.data / "logs" / f"{name}.log"
        lines = log.read_text(errors="replace").splitlines()[-15:]
        sys.exit("\n".join([f"{name} ended too early; the end of {log}:", *lines]))

    def check_server(self) -> None:
        """Ends with an explanation when the server has."""
        if self.processes["server"].poll() is not None:
            self.fail("server")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Asks a process to end, asks again (a server then ends at once), and at last makes it end."""
    for ask in (process.terminate, process.terminate, process.kill):
        if process.poll() is not None:
            return
        ask()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue


def wait_for_server(ladder: Ladder) -> None:
    """Waits until the server answers."""
    for _ in range(150):
        ladder.check_server()
        if ladder.ask("status") is not None:
            return
        time.sleep(0.2)
    ladder.fail("server")


def show_progress(ladder: Ladder, matches: int) -> None:
    """Shows how many matches are finished until all are."""
    terminal = sys.stdout.isatty()
    shown = -1
    while shown < matches:
        ladder.check_server()
        for name, process in ladder.processes.items():
            if process.poll() not in (None, 0):
                ladder.fail(name)
        status = ladder.ask("status") or {}
        finished = min(int(status.get("finished", 0)), matches)
        if finished != shown:
            shown = finished
            filled = 40 * shown // matches
            bar = f"[{'#' * filled}{'.' * (40 - filled)}] {shown}/{matches} matches"
            print(f"\r{bar}" if terminal else bar, end="" if terminal else "\n", flush=True)
        else:
            time.sleep(0.5)
    if terminal:
        print()


def port(text: str) -> int:
    """A port of the command line."""
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is no port: write a number from 0 to 65535")


def matches(text: str) -> int:
    """A number of matches of the command line."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is no number of matches: write 1 or more")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="make ladder",
        description=__doc__,
        usage='make ladder [LADDER="OPTIONS"]',
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    profiles = ["classic", "hunter", "ripper", "korean"]
    parser.add_argument("--matches", type=matches, default=20, help="how many matches are played")
    parser.add_argument("--profile", choices=profiles, default="korean", help="the rules")
    parser.add_argument("--port", type=port, default=DEFAULT_PORT, help="the port; another one when it is taken")
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/debug", help="where the programs lie")
    parser.add_argument("--data", type=Path, default=ROOT / "data/ladder", help="where each run gets a folder")
    return parser.parse_args()


def here(path: Path) -> Path:
    """The path as one would type it here."""
    path = path.resolve()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def new_folder(data: Path) -> Path:
    """A folder of its own for this run, so that the records of earlier ones stay."""
    run = data / datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")
    (run / "logs").mkdir(parents=True)
    return run


def main() -> None:
    """Plays the ladder."""
    options = arguments()
    data = new_folder(options.data)
    store = data / "ladder.sqlite"
    port = free_port(options.port)
    mighty = here(options.binaries / "mighty")
    server_flag = "" if port == DEFAULT_PORT else f" --server http://127.0.0.1:{port}"
    with ExitStack() as stack:
        ladder = Ladder(stack, options.binaries, data, port)
        ladder.start(
            "server",
            [
                str(options.binaries / "mighty-server"),
                *("--listen", ladder.address, "--store", str(store)),
                *("--ladder-profile", options.profile),
                *("--ladder-matches", str(options.matches)),
            ],
        )
        wait_for_server(ladder)
        print(f"The server listens on {ladder.address}.")
        print(f"Watch a table in another terminal: {mighty} watch{server_flag}", flush=True)
        bots = entrants(options.binaries)
        for bot in bots:
            server = ["--server", f"http://{ladder.address}", "--name", bot.name, "--ladder"]
            ladder.start(bot.name, [*bot.command, *server])
        print(f"{len(bots)} bots play {options.matches} matches of {options.profile} Mighty.")
        show_progress(ladder, options.matches)
        print(flush=True)
        subprocess.run([options.binaries / "mighty", "standings", "--server", f"http://{ladder.address}"], check=True)
        print(f"\nThe records lie in {here(store)}.")
        if sys.stdin.isatty() and sys.stdout.isatty():
            print(f"Look at them:  {mighty} record list{server_flag}")
            print(f"Verify one:    {mighty} record get ID{server_flag} | {mighty} verify --quiet -")
            input("The server goes on for you to look around. Press Enter to end it. ")
    print("Everything has ended. To look at the records and the standings again:")
    print(f"  {here(options.binaries / 'mighty-server')} --no-ladder --store {here(store)}")
    print(f"  {mighty} record list")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        print("\nInterrupted: everything is ended.", file=sys.stderr)
        sys.exit(130)
