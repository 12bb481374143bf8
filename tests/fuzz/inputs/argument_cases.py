"""Arguments: right and wrong values of every option, odd names, and unwritable locations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.core.text.errors import SkinscopeError
from tests.fuzz.inputs.bundle import whole_bundle
from tests.fuzz.inputs.case import Case, must_be_refused, must_come_to
from tests.fuzz.program import Ran, run_program, what_is_wrong

Random = np.random.Generator

DIGITS = "9" * 5000
FRAMES_WRONG = ["", "a:b", "5:1", "1:2:0", "1:2:-1", "1:2:3:4", "1e3", "0:99999999999999999999", "-99999999999:0", "0:1000000:0.00001", "nan", ":", "1:", f"0:{DIGITS}", DIGITS, "\x1b[31m1:2", "1:2\n::error::x"]  # fmt: skip
TOLERANCE_WRONG = ["", "mm", "-1mm", "0", "nan", "inf", "1e999", "1e-999", "1 parsec", "1e-323%", "1e308km", DIGITS, "1mm\x1b[31m", "1\n::error::mm"]  # fmt: skip
NAMES_WRONG = ["", "no such", "\x1b[31mred", "a\n::error::b", "x" * 50_000, "\udcff", "%s", "{0}", "{name}"]
WHOLE_WRONG = ["", "0", "-1", "1.5", "1e3", "a", "²", DIGITS, "0x10", "\x1b[31m"]
NUMBER_WRONG = ["", "a", "nan", "inf", "1e3", "--", "0x1", "\x1b[31m1", "1\n2"]

OPTIONS: dict[str, dict[str, tuple[list[str], list[str]]]] = {
    "check": {
        "--frames": (["1:40", "-5:5:0.5", "7"], FRAMES_WRONG),
        "--tolerance": (["1mm", "0.1%", "1e-5"], TOLERANCE_WRONG),
        "--visibility": (["render"], NAMES_WRONG),
        "--device": (["cpu", "auto"], NAMES_WRONG),
        "--format": (["json", "sarif"], NAMES_WRONG),
        "--profile": (["threejs"], [*NAMES_WRONG, "no.toml", "x" * 5000 + ".toml", "/dev/null/x.toml", "."]),
        "--clips": (["all", "Walk,Run"], ["", ",", "a,,b"]),
        "--jobs": (["1", "16"], WHOLE_WRONG),
    },
    "export": {
        "--frames": (["1:40"], FRAMES_WRONG),
        "--device": (["cpu"], NAMES_WRONG),
        "--profile": (["unity-4"], NAMES_WRONG),
        "--clips": (["all"], ["", ","]),
    },
    "render": {
        "--frame": (["1", "-2.5"], [*NUMBER_WRONG, "99999999999999999999", DIGITS]),
        "--display": (["deviation"], NAMES_WRONG),
        "--technique": (["software"], NAMES_WRONG),
        "--joints": (["60", "341"], [*WHOLE_WRONG, "342"]),
        "--profile": (["threejs"], NAMES_WRONG),
    },
    "play": {
        "--transition": (["0", "0.3"], [*NUMBER_WRONG, "-1", DIGITS]),
        "--speed": (["2", "-0.5"], [*NUMBER_WRONG, "0", "1001", DIGITS]),
        "--rate": (["30"], [*NUMBER_WRONG, "0", "-1", "1001", DIGITS]),
        "--reduce": (["1mm"], TOLERANCE_WRONG),
        "--root-motion": (["extract"], NAMES_WRONG),
        "--clips": (["all"], ["", ","]),
        "--device": (["cpu"], NAMES_WRONG),
    },
    "learn": {
        "--vertex": (["0", "7"], [*WHOLE_WRONG[2:], "", "99999999999999999999"]),
        "--frame": (["1", "-2.5"], [*NUMBER_WRONG, "99999999999999999999", DIGITS]),
        "--section": (["offset"], NAMES_WRONG),
        "--joints": (["2", "341"], [*WHOLE_WRONG, "342"]),
        "--profile": (["d3d9-26"], NAMES_WRONG),
    },
    "diff": {
        "--tolerance": (["1mm"], TOLERANCE_WRONG),
        "--format": (["junit"], NAMES_WRONG),
    },
}
NEEDED = {"check": ["missing.blend"], "export": ["missing.blend", "--output", "out"], "render": ["missing.blend", "--output", "o.png"], "play": ["missing.blend", "--output", "o.npz"], "diff": ["bundle", "engine.npz"], "learn": ["--rig", "missing.blend"]}  # fmt: skip

STRAY: list[list[str]] = [
    [], [""], ["chekc"], ["\x1b[31m"], ["a\n::error::b"], ["x" * 50_000], ["--no-such"], ["-"], ["--"], ["check"],
    ["check", "--output"], ["check", "a.blend", "--no-such=5"], ["check", "a.blend", "--\x1b[31m"],
    ["check", "a.blend", "--" + "x" * 50_000], ["export", "a.blend"], ["diff", "a"], ["diff", "a", "b", "c"],
    ["render", "a.blend", "b.blend", "--output", "x.png"], ["play"], ["check", "a.blend", "--frames"], ["{0}"], ["%s"],
]  # fmt: skip


def argument_case(random: Random, _: Path) -> Case:
    """Choose a value, right or wrong, for one option, or arguments that aren't a command."""
    if random.random() < 0.2:
        argv = STRAY[random.integers(len(STRAY))]
        return Case("arguments: no command", argv, must_be_refused(""), run_until_read)
    command = str(random.choice(list(OPTIONS)))
    option = str(random.choice(list(OPTIONS[command])))
    good, bad = OPTIONS[command][option]
    right = random.random() < 0.2
    values = good if right else bad
    value = values[random.integers(len(values))]
    argv = [command, *NEEDED[command]]
    argv += [f"{option}={value}"] if random.random() < 0.7 or value.startswith("-") else [option, value]
    name = f"arguments: {command} {option}"
    if right:
        return Case(name, argv, must_come_to(0), run_until_read)
    return Case(f"{name}, wrong", argv, must_be_refused(""), run_until_read)


def run_until_read(argv: Sequence[str]) -> Ran:
    """Parse the arguments; those refused go through the program itself, the rest give status 0."""
    try:
        parse_arguments(argv)
    except SkinscopeError:
        return run_program(argv)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the seed is there to find
        return Ran(-1, "", (), "", f"{type(error).__name__}: {str(error)[:300]}")
    return Ran(0, "", (), "")


def output_case(random: Random, folder: Path) -> Case:
    """Write a comparison's report to a location, which may be invalid."""
    written = whole_bundle(random)
    bundle, positions = written.write(folder, "engine.npz")
    (folder / "is a folder").mkdir()
    (folder / "is a file").write_text("old", encoding="utf-8")
    wrong = {
        "a folder": str(folder / "is a folder"),
        "inside a file": str(folder / "is a file" / "report.json"),
        "a long name": str(folder / ("x" * 300)),
        "a full device": "/dev/full",
        "inside a device": "/dev/null/report.json",
        "of the system": "/proc/report.json",
        "a folder's name with a slash": str(folder / "is a folder") + "/",
    }
    whole = [
        "report.json",
        "new/er/report.json",
        "is a file",
        "Ünï ✓.json",
        " ",
        "-",
        "con",
        "a\nb",
        "\x1b[31m.json",
        "\udcff",
    ]
    argv = ["diff", str(bundle), str(positions), "--format", "json"]
    before = {one for one in folder.rglob("*") if one.name != "report.json"}
    if random.random() < 0.5:
        kind = str(random.choice(list(wrong)))

        def right(ran: Ran) -> str:
            if refusal := must_be_refused("")(ran):
                return refusal
            left = [one for one in folder.rglob("*") if one not in before]
            return f"Something was left behind: {left}" if left else ""

        return Case(f"output: {kind}", [*argv, f"--output={wrong[kind]}"], right)
    path = folder / whole[random.integers(len(whole))]

    def complete(ran: Ran) -> str:
        if wrong := what_is_wrong(ran) or must_come_to(0)(ran):
            return wrong
        json.loads(path.read_text(encoding="utf-8"))
        left = [
            one for one in folder.rglob("*") if one not in before and one != path and one not in path.parents
        ]
        return f"Something was left behind: {left}" if left else ""

    return Case("output: a file", [*argv, f"--output={path}"], complete)
