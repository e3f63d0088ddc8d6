"""Plays with care: `python cautious_bot.py --name bob --ladder`. The policy is `mighty/bots/cautious_bot.py`."""

import sys

from mighty.bots import CautiousBot
from mighty.cli import main

if __name__ == "__main__":
    sys.exit(main(make_bot=CautiousBot))
