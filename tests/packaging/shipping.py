"""What the extension's zip has to hold, and what it must not, as rules about the checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

TOP_FILES = {"LICENSE", "__init__.py", "blender_manifest.toml"}
WHOLE_FOLDERS = ("gpu_shaders", "skinning_addon")
"""Every file below these is shipped."""

NOT_FOR_USERS = {
    "a test": r"(^|/)(tests?|conftest\.py|test_[^/]*)(/|$)",
    "a benchmark": r"(^|/)benchmarks(/|$)",
    "a cache": r"(^|/)(__pycache__|[^/]*_cache)/|\.py[co]$",
    "a backup": r"\.blend\d+$|\.(bak|orig|rej|swp)$|~$",
    "a file that a run leaves": r"\.(blend|log|tmp|zip|npz|prof)$",
    "hidden": r"(^|/)\.",
}
"""Kinds of files that are of no use in an installed extension, tracked or not: patterns of their paths."""


def files_to_ship(checkout: Path, opened_pages: set[str]) -> set[str]:
    """Return the paths, below `checkout`, of all that the zip has to hold, and holds nothing beside.

    opened_pages: pages of docs/ that the interface opens; with a translated one goes the page that it is a
    translation of.
    """
    pages = {f"docs/{page}" for page in opened_pages}
    pages |= {f"docs/{PurePosixPath(page).name}" for page in opened_pages}
    whole = {
        name for name in files_of(checkout) if name.startswith(tuple(f"{one}/" for one in WHOLE_FOLDERS))
    }
    return TOP_FILES | pages | whole


def files_of(checkout: Path) -> set[str]:
    """Return the files that belong to a checkout: those that git tracks or, without git, all that are not
    litter.
    """
    if (checkout / ".git").exists() and shutil.which("git"):
        # A checkout that another user owns, as in a container, is refused by default.
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=checkout, check=True, capture_output=True
        )
        return {name for name in listed.stdout.decode().split("\0") if name}
    names = {one.relative_to(checkout).as_posix() for one in checkout.rglob("*") if one.is_file()}
    return {name for name in names if unfit(name) is None}


def unfit(name: str) -> str | None:
    """Say which kind of file a user has no use for is at this path; None: one that may be shipped."""
    return next((kind for kind, pattern in NOT_FOR_USERS.items() if re.search(pattern, name)), None)
