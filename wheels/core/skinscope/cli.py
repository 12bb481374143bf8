"""The command `skinscope` of an installed package: finds a Blender, then runs the program with it.

The Blender is the desktop one that `--blender PATH` or SKINSCOPE_BLENDER names, or else Blender as a Python
module (`bpy`). If there is neither, or it doesn't load, one sentence says what to do.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .skinning_addon.command_line.program.own_environment import own_environment  # pyright: ignore[reportMissingImports]

# Before numpy, which looks once, is loaded below.
os.environ.update(own_environment())

from .skinning_addon.command_line.arguments.parser import WITHOUT_BLENDER  # pyright: ignore[reportMissingImports]
from .skinning_addon.command_line.main import main as run  # pyright: ignore[reportMissingImports]
from .skinning_addon.command_line.program.ending import end_process  # pyright: ignore[reportMissingImports]
from .skinning_addon.command_line.program.own_program import choose_blender, own_program  # pyright: ignore[reportMissingImports]

OPTION = "--blender"
VARIABLE = "SKINSCOPE_BLENDER"

WRONG_USE = 2

PYTHONS = {(3, 11): "4.2 to 4.5", (3, 13): "5.2"}
"""The versions of Blender as a module for each version of Python."""

REPORTS_BY_ITSELF = ("check", "report", "watch")
"""Commands that report from this process, and open files in others."""

LIBRARIES = "libegl1 libgl1 libice6 libsm6 libx11-6 libxext6 libxfixes3 libxi6 libxrender1 libxkbcommon0"
"""Debian's and Ubuntu's packages of what Blender as a module needs."""


def start() -> None:
    """Run the program as a process of its own."""
    end_process(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run the program; return its exit status."""
    arguments = list(argv)
    try:
        blender = _named_blender(arguments)
        asks_for_help = {"-h", "--help"} & set(arguments) or not arguments
        needs_one = not asks_for_help and arguments[0] not in WITHOUT_BLENDER
        if blender is None and needs_one:
            _require_module()
    except LookupError as error:
        print(f"skinscope: {error.args[0]}", file=sys.stderr)
        return WRONG_USE
    choose_blender(blender)
    if blender is None or not needs_one or arguments[0] in REPORTS_BY_ITSELF:
        return run(arguments)
    return _run_in(arguments)


def _named_blender(arguments: list[str]) -> str | None:
    """Take the option out of the arguments; return the desktop Blender that it or the environment names.

    Raises:
        LookupError: there is no such program.
    """
    named = os.environ.get(VARIABLE, "")
    for place, one in enumerate(arguments):
        if one == "--":
            break
        name, separator, value = one.partition("=")
        if name == OPTION:
            if not separator and place + 1 == len(arguments):
                raise LookupError(f"{OPTION} needs the path of a Blender.")
            named = value if separator else arguments[place + 1]
            del arguments[place : place + (1 if separator else 2)]
            break
    if not named:
        return None
    found = shutil.which(named)
    if found is None:
        raise LookupError(
            f"'{named}' is no program that can be run; name a Blender 4.2 or newer with {OPTION} or "
            f"{VARIABLE}."
        )
    return found


def _require_module() -> None:
    """Make sure that Blender as a module can be loaded, without loading it here.

    Raises:
        LookupError: it can't; what is lacking.
    """
    instead = f"or name a desktop Blender 4.2 or newer with {OPTION} PATH or {VARIABLE}"
    version = sys.version_info[:2]
    if version not in PYTHONS:
        known = " or ".join(f"{major}.{minor}" for major, minor in PYTHONS)
        raise LookupError(
            f"There is no Blender as a module for Python {version[0]}.{version[1]}; use Python {known}, "
            f"{instead}."
        )
    if find_spec("bpy") is None:
        if platform.system() == "Linux" and platform.machine() not in {"x86_64", "AMD64"}:
            raise LookupError(
                f"There is no Blender as a module for Linux on {platform.machine()}, only for x86-64; use such "
                f"a machine, {instead}."
            )
        raise LookupError(
            f"There is no Blender here; install it with 'pip install skinscope', which brings Blender "
            f"{PYTHONS[version]} as a module (400 MB), {instead}."
        )
    # In a process of its own: this one reports, and must outlive a Blender that crashes.
    tried = subprocess.run(
        [sys.executable, "-P", "-c", "import bpy"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode:
        *_, reason = tried.stderr.strip().splitlines() or [f"it ended with status {tried.returncode}"]
        lacking = ".so" in reason and "cannot open shared object" in reason
        remedy = (
            f"install the system's libraries ('apt-get install {LIBRARIES}' on Debian or Ubuntu)"
            if lacking
            else "install it again with 'pip install --force-reinstall bpy'"
        )
        raise LookupError(f"Blender as a module does not load ({reason}); {remedy}, {instead}.")


def _run_in(arguments: Sequence[str]) -> int:
    """Run the program in the chosen desktop Blender; return its exit status."""
    sys.stdout.flush()
    if os.name == "posix":
        report = os.dup(sys.stdout.fileno())
        # Our own program; no shell reads the arguments.
        return subprocess.run(  # noqa: S603
            [*own_program(), *arguments],
            env=os.environ | {"SKINSCOPE_REPORT": str(report)},
            stdout=subprocess.DEVNULL,
            pass_fds=[report],
            check=False,
        ).returncode
    with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
        file = Path(folder) / "report"
        file.touch()
        status = subprocess.run(  # noqa: S603
            [*own_program(), *arguments],
            env=os.environ | {"SKINSCOPE_REPORT": str(file)},
            stdout=subprocess.DEVNULL,
            check=False,
        ).returncode
        sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.flush()
        return status
