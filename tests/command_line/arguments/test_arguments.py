"""Incorrect usage is refused in one sentence that suggests the right words, before Blender starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skinning_addon.command_line.arguments import options
from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.core.text.errors import UsageError
from skinning_addon.drawing.displays import DISPLAYS
from skinning_addon.drawing.techniques import TECHNIQUES
from skinning_addon.measurement.frame.devices import DEVICES
from tests.command_line.conftest import Program
from tests.installed_package import CHECKOUT

REFUSED = {
    "refit a.blend --profile threejs --output b.glb --tolerance 0": (
        "'0' is not a length; write one above 0 with its unit, such as 1mm or 0.5cm."
    ),
    "chek a.glb": "'chek' is not a command; did you mean 'check'",
    "duplicate a b": (
        "'duplicate' is not a command; choose 'demo', 'check', 'watch', 'report', 'check-export', 'check-file', 'export', 'refit', 'diff', 'render', 'play', 'crowd', 'bone-texture' or 'learn'."
    ),
    "conformance --engine threejs": "The conformance skins are in Skinscope's checkout and not in the extension; ",
    "diff a": "The following arguments are required: POSITIONS; see 'skinscope diff --help'.",
    "": "The following arguments are required: COMMAND; see 'skinscope --help'.",
    "check": "No files are named; name files or folders, or a list of them with --files-from.",
    "report": "The following arguments are required: PART; see 'skinscope report --help'.",
    "check a.glb --tolerence 1mm": "'--tolerence' is not an option of check; did you mean '--tolerance'",
    "check a.glb --clip Run": "'--clip' is not an option of check; did you mean '--clips'",
    "check a.glb --profile unity": "'unity' is not a profile; did you mean '",
    "check a.glb --profile blendr": "'blendr' is not a profile; did you mean 'blender'?",
    "check a.glb --device gpo": "'gpo' is not a device; did you mean 'gpu'?",
    "check a.glb --format xml": "'xml' is not a format; did you mean",
    "check a.glb --write-baselines": (
        "'--write-baselines' is not an option of check; did you mean '--write-baseline'"
    ),
    "check a.glb --format jsn": "'jsn' is not a format; did you mean 'json'",
    "check a.glb --tolerance 3inch": "'3inch' is not a tolerance; write a length",
    "check a.glb --frames 9:1": "Frames can't run from 9 to 1; the first must not be after the last.",
    "check a.glb --frames 1:9:0": "Frames can't be taken in steps of 0; write a step above 0.",
    "check a.glb --frames all": "'all' is not a range of frames; write FIRST:LAST",
    "check a.glb --clips Run,": "'Run,' names no clips",
    "check a.glb --jobs 0": "'0' is not a number of jobs; write 1 or more.",
    "render a.glb": "The following arguments are required: --output; see 'skinscope render --help'.",
    (
        "render a.glb --output a.png --display heatmap"
    ): "'heatmap' is not a display; choose 'shaded', 'deviation', 'normal_deviation'",
    (
        "render a.glb --output a.png --technique fast"
    ): "'fast' is not a technique; choose 'automatic', 'uniform-buffer'",
    (
        "render a.glb --output a.png --joints 0"
    ): "'0' is not a number of joints; write a whole number from 1 to 341.",
    "render a.glb --output a.png --frame first": "'first' is not a frame; write a number",
    "render a.glb b.glb --output a.png": "'b.glb' is one argument too many; see 'skinscope render --help'.",
    "check a.glb --export-option apply": "'apply' sets nothing; write NAME=VALUE,",
    "check a.glb --export-option export_aply=true": (
        "'export_aply' is not a setting of an exporter; did you mean 'export_apply'"
    ),
    "check a.glb --export-option export_apply=1": ("export_apply is 1; it must be true or false."),
    "check a.glb --profile unity-4 --export-option export_apply=true": (
        "export_apply is a setting of Blender's glTF exporter, and no chosen profile goes through it; choose"
    ),
    "export a.glb --output": "Argument --output: expected one argument; see 'skinscope export --help'.",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_wrong_use_is_one_sentence_and_status_2(arguments: str, skinscope: Program):
    result = skinscope(*arguments.split())
    assert result.status == 2
    assert result.output == ""
    assert len(result.complaints) == 1
    assert result.complaints[0].startswith(REFUSED[arguments])


def test_frames_may_be_negative_and_fractional():
    assert parse_arguments(["check", "a.glb", "--frames", "-5:27.5:0.5"]).frames == (-5, 27.5, 0.5)
    assert parse_arguments(["check", "--frames", "7", "a.glb"]).frames == (7, 7, None)
    assert parse_arguments(["render", "a.glb", "--output", "x", "--frame", "-3"]).frame == -3


def test_a_tolerance_has_a_unit_or_is_a_share():
    tolerance = parse_arguments(["check", "a.glb", "--tolerance", "0.5mm"]).tolerance
    assert (tolerance.value, tolerance.relative) == (pytest.approx(0.0005), False)
    with pytest.raises(UsageError, match="not a tolerance"):
        parse_arguments(["check", "a.glb", "--tolerance=-1mm"])


def test_what_is_offered_is_what_there_is():
    # A picture has no active bone.
    assert {*options.DISPLAYS, "active_weight"} == {display.name for display in DISPLAYS}
    assert options.DEVICES == DEVICES
    assert tuple(one.name for one in TECHNIQUES) == options.TECHNIQUES


@pytest.mark.processes
@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["render", "--help"]])
def test_help_does_not_wait_for_blender(arguments: list[str]):
    program = (
        f"import sys; sys.path.insert(0, {str(CHECKOUT)!r})\n"
        "from skinning_addon.command_line.main import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: assert not {'bpy', 'gpu', 'numpy'} & set(sys.modules)"
    )
    help_text = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    ).stdout
    assert help_text.startswith("usage: skinscope")
    assert "bench" not in help_text
