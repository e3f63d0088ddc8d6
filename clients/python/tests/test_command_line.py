"""The command line, the bots that come with the package, and the bot of the README."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path

import grpc
import pytest

from fake_server import FakeServer, Seat, plays, telling, whole_hand
from mighty import Bot
from mighty.bots import CautiousBot, RandomBot
from mighty.cli import load_bot, main

PACKAGE = Path(__file__).resolve().parent.parent
EXAMPLES = PACKAGE.parent.parent / "bots" / "python"


async def start_python(*arguments: str) -> asyncio.subprocess.Process:
    """Starts Python with this package."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """How a process ended: exit code, output and errors."""
    out, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def python(*arguments: str) -> tuple[int, str, str]:
    """Runs Python with this package to its end."""
    return await ended(await start_python(*arguments))


async def not_wanted(seat: Seat) -> None:
    """A story: the bot is sent away."""
    await seat.hello()
    await seat.breaks(grpc.StatusCode.NOT_FOUND, "there is no table t1")


@pytest.mark.parametrize("bot", ["random", "cautious"])
async def test_a_bot_plays_from_the_command_line(bot: str) -> None:
    async with telling(whole_hand) as server:
        arguments = ["--server", server.address, "--name", "bob", "--bot", bot, "--table", "t1", "--json"]
        code, out, err = await python("-m", "mighty", *arguments)
    assert code == 0, err
    stopped = json.loads(out)
    assert stopped["why"] == "finished"
    assert stopped["counts"] == dict.fromkeys(("refused", "stale", "errors", "defaults", "reconnects"), 0) | {
        "turns": 6
    }
    assert stopped["results"][0]["totals"] == [1.0, 2.0, 7.5, -4.0, 0.0]


@pytest.mark.parametrize("file", ["random_bot.py", "cautious_bot.py"])
async def test_an_example_is_a_command(file: str) -> None:
    async with telling(whole_hand) as server:
        arguments = ["--server", f"http://{server.address}", "--name", "bob", "--ladder"]
        code, out, err = await python(str(EXAMPLES / file), *arguments)
    assert code == 0, err
    assert out == ("match m1: +7.5 points, place 1, record r1\nfinished: the server has no further match (6 turns)\n")


async def test_a_signal_lets_the_bot_leave() -> None:
    playing = asyncio.Event()

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("7D"), "7D")
        await seat.answer()
        playing.set()
        assert (await seat.reads()).WhichOneof("message") == "leave"

    async with telling(story) as server:
        process = await start_python("-m", "mighty", "--server", server.address, "--name", "bob", "--table", "t1")
        await asyncio.wait_for(playing.wait(), 10)
        process.send_signal(signal.SIGINT)
        code, out, err = await ended(process)
    assert (code, out) == (0, "left: left, as was asked (1 turn)\n"), err


@pytest.mark.parametrize("is_silenced", [False, True])
async def test_a_program_without_logging_says_once_that_no_server_answers(is_silenced: bool) -> None:
    async with telling() as server:
        pass
    code = f"""
import logging
from mighty import Bot, Identity, Ladder, Limits, run

if {is_silenced}:
    logging.getLogger("mighty").setLevel("ERROR")
limits = Limits(first_backoff=0.01, longest_backoff=0.05, patience=0.5)
for stopped in run(Bot, Identity("bob"), Ladder(), server="{server.address}", seats=2, limits=limits):
    print(stopped.why.value)
"""
    exit_code, out, err = await python("-c", code)
    assert (exit_code, out) == (0, "unreachable\nunreachable\n"), err
    said = (
        rf"no server answers at {server.address}; start one with `make ladder` or `mighty-server`; "
        r"trying again until \d\d:\d\d:\d\d\n"
    )
    assert re.fullmatch("" if is_silenced else said, err), err


async def test_a_program_without_logging_says_once_what_it_waits_for() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.waits()
        await seat.waits()
        await seat.starts()
        await seat.ends_match()

    async with telling(story) as server:
        code = f'from mighty import *; run(Bot, Identity("bob"), Ladder(), server="{server.address}")'
        exit_code, _, err = await python("-c", code)
    assert (exit_code, err) == (0, "bob waits: three seats are open\n")


def bot_of_the_readme() -> str:
    [code] = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert isinstance(code, str) and len(code.splitlines()) <= 22
    return code


async def run_readme(server: FakeServer) -> tuple[int, str, str]:
    """Runs the bot of the README as a program."""
    code = bot_of_the_readme()
    assert "127.0.0.1:7435" in code
    return await python("-c", code.replace("127.0.0.1:7435", server.address))


def test_the_bot_of_the_readme_is_loaded_without_being_played(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(bot_of_the_readme(), encoding="utf-8")
    bold = load_bot(f"{file}:Bold")
    assert isinstance(bold, type) and issubclass(bold, Bot)


async def test_the_bot_of_the_readme_is_short_and_plays() -> None:
    async with telling(whole_hand) as server:
        code, out, err = await run_readme(server)
    assert (code, out) == (0, "finished [7.5]\n"), err


async def test_the_bot_of_the_readme_exits_with_one_when_it_was_not_wanted() -> None:
    async with telling(not_wanted) as server:
        code, out, err = await run_readme(server)
    assert (code, out) == (1, "rejected []\n"), err


async def test_the_bot_without_the_sdk_plays() -> None:
    async def story(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 1
        await seat.waits()
        await seat.starts()
        await seat.turn(1, plays("7D"), "7D")
        answer = (await seat.reads()).answer
        assert (answer.match_id, answer.turn, answer.structured.play.card) == ("m1", 1, 32)
        await seat.accepts(1, "7D")
        await seat.ends_match()

    async with telling(story) as server:
        code, out, err = await python(str(EXAMPLES / "raw_bot.py"), server.address, "bob")
    assert code == 0, err
    assert out.splitlines()[-1] == "totals: [1.0, 2.0, 7.5, -4.0, 0.0]"


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    shown = capsys.readouterr().out
    options = ["server", "name", "bot-version", "token", "bot", "ladder", "table", "seat", "matches", "seats", "json"]
    for option in options:
        assert f"--{option}" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--ladder", "the following arguments are required: --name"),
        ("--name bob", "one of the arguments --ladder --table is required"),
        ("--name bob --ladder --seat 2", "--seat needs --table"),
        ("--name bob --table t1 --seat 2 --seats 2", "--seat names one seat"),
        ("--name bob --table t1 --seat 5", "invalid choice: 5"),
        ("--name bob --ladder --seats 0", "'0' is no whole number from 1 on"),
        ("--name bob --ladder --matches -1", "no whole number from 0 on"),
        (
            "--name bob --ladder --bot clever",
            "'clever' is no bot: write random, cautious, path.py or path.py:ClassName",
        ),
        ("--name bob --ladder --server tcp://here:1", "'tcp://here:1' is no server: write host:port"),
        ("--name bob --ladder --server here", "'here' is no server: write host:port"),
        ("--name bob --ladder --bot gone.py:Bot", "there is no file gone.py"),
    ],
)
def test_wrong_arguments_are_explained(arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    assert sentence in capsys.readouterr().err


def test_a_bot_is_loaded_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own_bot.py"
    file.write_text("from mighty import Bot\n\nclass Own(Bot):\n    pass\n\nclass Other:\n    pass\n")
    assert load_bot("random") is RandomBot and load_bot("cautious") is CautiousBot
    for name in (f"{file}:Own", str(file)):
        made = load_bot(name)
        assert isinstance(made, type) and issubclass(made, Bot) and made.__name__ == "Own"
    assert load_bot(str(EXAMPLES / "cautious_bot.py")) is CautiousBot
    for name in ("Other", "Missing", "Bot"):
        with pytest.raises(ValueError, match=f"has no class {name} that is derived from mighty.Bot; it has: Own"):
            load_bot(f"{file}:{name}")
    file.write_text("from mighty.bots import CautiousBot, RandomBot\n")
    with pytest.raises(ValueError, match=r"has not one class .* it has: CautiousBot, RandomBot"):
        load_bot(str(file))


async def test_a_bot_that_was_not_wanted_exits_with_one() -> None:
    async with telling(not_wanted) as server:
        arguments = ["--server", server.address, "--name", "bob", "--table", "t1"]
        code, out, _ = await python("-m", "mighty", *arguments)
    assert (code, out) == (1, "rejected: NOT_FOUND: there is no table t1 (nothing happened)\n")
