"""Rules for what the extension's zip must and must not contain, given a checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

TOP_FILES = {"LICENSE", "__init__.py", "blender_manifest.toml"}
WHOLE_FOLDERS = ("docs/rules", "gpu_shaders", "skinning_addon")
"""Every file below these is shipped."""

NOT_FOR_USERS = {
    "a test": r"(^|/)(tests?|conftest\.py|test_[^/]*)(/|$)",
    "a benchmark": r"(^|/)benchmarks(/|$)",
    "a cache": r"(^|/)(__pycache__|[^/]*_cache)/|\.py[co]$",
    "a backup": r"\.blend\d+$|\.(bak|orig|rej|swp)$|~$",
    "a file that a run leaves": r"\.(blend|log|tmp|zip|npz|prof)$",
    "hidden": r"(^|/)\.",
}
"""File types that are useless in an installed extension, tracked or not: patterns of their paths."""


def files_to_ship(checkout: Path, opened_pages: set[str]) -> set[str]:
    """Return the paths, below `checkout`, of everything the zip must contain; it contains nothing else.

    opened_pages: pages of docs/ that the interface opens; a translated page brings along its original.
    """
    pages = {f"docs/{page}" for page in opened_pages}
    pages |= {f"docs/{PurePosixPath(page).name}" for page in opened_pages}
    whole = {
        name for name in files_of(checkout) if name.startswith(tuple(f"{one}/" for one in WHOLE_FOLDERS))
    }
    return TOP_FILES | pages | whole


def files_of(checkout: Path) -> set[str]:
    """Return a checkout's files: those that git tracks or, without git, everything that isn't litter."""
    if (checkout / ".git").exists() and shutil.which("git"):
        # By default git refuses a checkout owned by another user, as in a container.
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=checkout, check=True, capture_output=True
        )
        return {name for name in listed.stdout.decode().split("\0") if name}
    names = {one.relative_to(checkout).as_posix() for one in checkout.rglob("*") if one.is_file()}
    return {name for name in names if unfit(name) is None}


def unfit(name: str) -> str | None:
    """Return the kind of unneeded file at this path, or None if it may be shipped."""
    return next((kind for kind, pattern in NOT_FOR_USERS.items() if re.search(pattern, name)), None)
