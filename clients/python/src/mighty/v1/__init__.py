"""The generated code of mighty.v1, the wire. `scripts/generate.py` makes it."""
