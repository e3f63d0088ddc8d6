"""Plays anything: `python random_bot.py --name bob --ladder`. The policy is `mighty/bots/random_bot.py`."""

import sys

from mighty.bots import RandomBot
from mighty.cli import main

if __name__ == "__main__":
    sys.exit(main(make_bot=RandomBot))
