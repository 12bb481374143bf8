"""Folder names for objects: unique, and valid on every file system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LONGEST_FOLDER = 100

DEVICES_OF_WINDOWS = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]")


def folder_names(objects: Sequence[str]) -> list[str]:
    """Make a folder name from each object's name: lower-case ASCII, numbered if two would be the same.

    Short enough for every file system, and never a Windows device name.
    """
    names: list[str] = []
    for name in objects:
        ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:LONGEST_FOLDER].rstrip("-") or "mesh"
        if DEVICES_OF_WINDOWS.fullmatch(slug):
            slug += "-mesh"
        number, candidate = 1, slug
        while candidate in names:
            number += 1
            candidate = f"{slug}-{number}"
        names.append(candidate)
    return names
