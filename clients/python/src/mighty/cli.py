"""The command line: plays a bot at a table or in the ladder."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .bot import Bot
from .bots import CautiousBot, RandomBot
from .place import Identity, Ladder, Place, Table
from .runner import DEFAULT_SERVER, MakeBot, run
from .stopped import Stopped
from .stream import read_server

BUILT_IN: dict[str, MakeBot] = {"random": RandomBot, "cautious": CautiousBot}


def main(arguments: Sequence[str] | None = None, make_bot: MakeBot | None = None) -> int:
    """Plays as the arguments say; with a bot of one's own there is no `--bot`. Returns 0 when all ended well."""
    parser = _parser(with_bot=make_bot is None)
    options = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.DEBUG if options.verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    if options.seat is not None and options.table is None:
        parser.error("--seat needs --table: the ladder gives the seats itself")
    if options.seat is not None and options.seats > 1:
        parser.error("--seat names one seat: leave it out to take several")
    try:
        read_server(options.server)
        chosen = make_bot or load_bot(options.bot)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    place: Place = Ladder(options.matches) if options.table is None else Table(options.table, options.seat)
    identity = Identity(options.name, options.bot_version, options.token)
    stopped = run(chosen, identity, place, server=options.server, seats=options.seats)
    for each in stopped:
        print(_as_json(each) if options.json else _as_text(each))
    return 0 if all(each.is_well for each in stopped) else 1


def load_bot(name: str) -> MakeBot:
    """A bot that comes with the package, or a class of a file: `path.py:ClassName`, `path.py` where it has only one."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    path, _, class_name = (name, "", "") if name.endswith(".py") else name.rpartition(":")
    if not path.endswith(".py"):
        raise ValueError(f"{name!r} is no bot: write {', '.join(BUILT_IN)}, path.py or path.py:ClassName")
    bots = _bots_of(Path(path))
    if not class_name and len(bots) == 1:
        [class_name] = bots
    if class_name not in bots:
        found = ", ".join(bots) or "none"
        wanted = f"no class {class_name}" if class_name else "not one class"
        raise ValueError(f"{path} has {wanted} that is derived from mighty.Bot; it has: {found}")
    return bots[class_name]


def _bots_of(file: Path) -> dict[str, type[Bot]]:
    """The classes of bots that a file defines or imports, by name."""
    if not file.is_file():
        raise ValueError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value is not Bot
    }


def _parser(with_bot: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mighty-py-bot" if with_bot else None,
        description="Plays Mighty: takes seats at a table or in the ladder, and plays them with a bot.",
        epilog="Ctrl-C leaves: a house bot plays on at the seat. A second Ctrl-C breaks off. "
        "The exit code is 0 when every seat ended well, 1 when one did not, 2 for wrong arguments.",
    )
    parser.add_argument(
        "--server",
        default=os.environ.get("MIGHTY_SERVER", DEFAULT_SERVER),
        metavar="HOST:PORT",
        help="https://HOST:PORT for TLS; default: %(default)s",
    )
    name = os.environ.get("MIGHTY_NAME")
    parser.add_argument(
        "--name",
        default=name,
        required=name is None,
        help="the bot's name: 1 to 32 letters, digits, and any of - _ .; default: MIGHTY_NAME in the environment",
    )
    parser.add_argument("--bot-version", default="", metavar="VERSION", help="the bot's version; default: none")
    parser.add_argument(
        "--token",
        default=os.environ.get("MIGHTY_TOKEN", ""),
        help="the bot's secret token, for a server that asks for one; better given as MIGHTY_TOKEN in the environment",
    )
    if with_bot:
        parser.add_argument(
            "--bot",
            default="cautious",
            metavar="BOT",
            help="random, cautious, or a class of your own as path.py:ClassName (path.py where it has only one); "
            "default: %(default)s",
        )
    where = parser.add_mutually_exclusive_group(required="MIGHTY_LADDER" not in os.environ)
    where.add_argument(
        "--ladder", action="store_true", help="play in the ladder; so does MIGHTY_LADDER in the environment"
    )
    where.add_argument("--table", metavar="ID", help="play the match of this table")
    parser.add_argument(
        "--seat",
        type=int,
        choices=range(5),
        metavar="N",
        help="the seat at the table, 0 to 4; default: the first open one",
    )
    parser.add_argument(
        "--matches",
        type=_natural,
        default=0,
        metavar="N",
        help="how many matches of the ladder each seat plays; default: as many as there are",
    )
    parser.add_argument(
        "--seats",
        type=_positive,
        default=os.environ.get("MIGHTY_SEATS", "1"),
        metavar="N",
        help="how many seats to play at once, each with a bot of its own; default: %(default)s",
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each seat at the end")
    parser.add_argument("--verbose", action="store_true", help="log more")
    return parser


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _as_json(stopped: Stopped) -> str:
    return json.dumps({**dataclasses.asdict(stopped), "why": stopped.why.name.lower()})


def _as_text(stopped: Stopped) -> str:
    counts = ", ".join(_counted(count, what) for what, count in dataclasses.asdict(stopped.counts).items() if count)
    lines = [
        f"match {each.match_id}: {each.points:+g} points, place {each.place}, record {each.record_id}"
        for each in stopped.results
    ]
    return "\n".join([*lines, f"{stopped.why.value}: {stopped.message} ({counts or 'nothing happened'})"])


def _counted(count: int, what: str) -> str:
    return f"{count} {what.removesuffix('s') if count == 1 else what}"
