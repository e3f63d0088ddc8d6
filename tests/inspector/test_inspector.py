"""Whole matches from outside: all that five seats and two spectators are told, against the referee.

`INSPECTOR_MATCHES` sets how many (default 48), `INSPECTOR_SEED` the number of the first.
"""

from __future__ import annotations

import asyncio
import copy
import os
from collections import Counter
from collections.abc import Callable

import pytest

from inspector import Checker, Log
from mighty.v1 import card_pb2
from story import SPECTATOR
from table import Inspected, inspect

MATCHES = int(os.environ.get("INSPECTOR_MATCHES", "48"))
FIRST = int(os.environ.get("INSPECTOR_SEED", "0"))
seen: Counter[str] = Counter()


@pytest.mark.parametrize("number", range(FIRST, FIRST + MATCHES))
def test_everybody_is_told_what_the_rules_say(port: int, number: int) -> None:
    found = asyncio.run(inspect(port, number))
    seen.update(found.counts)
    assert not found.problems, "\n".join([found.title, *found.problems[:20]])


def test_answers_of_many_kinds_were_inspected() -> None:
    """Whether the matches above were worth something."""
    wanted = {"accepted", "repeated", "snapshot", "CONFLICT", "UNKNOWN_TURN", "UNREADABLE", "MALFORMED", "MUST_FOLLOW"}
    assert MATCHES < 24 or not wanted - set(seen)


@pytest.fixture(scope="module")
def match(port: int) -> Inspected:
    """A match in which nobody errs, so that whatever is found was put there."""
    return asyncio.run(inspect(port, 4))


def drop_an_event(log: Log) -> None:
    del log.events[5]


def swap_a_card(log: Log) -> None:
    dealt = next(event.dealt for event in log.events if event.HasField("dealt"))
    dealt.cards[0] = card_pb2.CARD_AS if dealt.cards[0] != card_pb2.CARD_AS else card_pb2.CARD_2S


def offer_another_number(log: Log) -> None:
    log.turns[0].turn.choices.count += 1


def show_what_was_buried(log: Log) -> None:
    log.turns[0].turn.observation.buried.append(card_pb2.CARD_JK)


def forget_a_turn(log: Log) -> None:
    log.turns[0].told -= 1


def another_default(log: Log) -> None:
    log.turns[0].turn.default_text = "20N"


@pytest.mark.parametrize(
    "spoil", [drop_an_event, swap_a_card, offer_another_number, show_what_was_buried, forget_a_turn, another_default]
)
def test_a_wrong_message_is_found(match: Inspected, spoil: Callable[[Log], None]) -> None:
    copies = [copy_of(log) for log in match.logs]
    spoil(next(log for log in copies if log.viewer != SPECTATOR and not log.without_observation))
    checker = Checker(match.options, copies)
    checker.check(match.seed)
    assert checker.problems


def test_a_right_match_is_found_right(match: Inspected) -> None:
    checker = Checker(match.options, [copy_of(log) for log in match.logs])
    checker.check(match.seed)
    assert not checker.problems


def copy_of(log: Log) -> Log:
    return copy.deepcopy(log)
