"""Bots to play against, to start from, and to measure one's own by."""

from .cautious_bot import CautiousBot
from .random_bot import RandomBot

__all__ = ["CautiousBot", "RandomBot"]
