"""`python -m skinscope`."""

from __future__ import annotations

from .cli import start

if __name__ == "__main__":
    start()
