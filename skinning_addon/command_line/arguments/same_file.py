"""Whether two paths are one file."""

from __future__ import annotations

from pathlib import Path


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Tell whether both are there and are one file, by whatever links."""
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        # One isn't there, or no file can have such a name.
        return False
