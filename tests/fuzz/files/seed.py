"""One seed of the lab: one file, intact, odd or damaged, opened by Blender alone, then checked; the report must
agree with what Blender shows.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from tests.fuzz.bytes_damage import damaged_bytes
from tests.fuzz.files.blender_alone import Deformed, deformed_meshes, opened, read_frame
from tests.fuzz.files.exported import FORMATS, exported
from tests.fuzz.files.gltf import CONTAINERS, Rig, write
from tests.fuzz.files.gltf_damage import damaged, whole
from tests.fuzz.files.report_schema import wrong_with_report
from tests.fuzz.outcome import BLENDER_ALONE, SKINSCOPE, Outcome, enter_stage
from tests.fuzz.program import Ran, run_program, what_is_wrong

Random = np.random.Generator

AS_RULED = 1e-4
"""How far, relative to a mesh's size and movement, Blender's result may lie from the definition when a report
says exact: both are float32."""

MOST_MEMORY = 12 * 2**30

SHARES = {"whole": 0.15, "damaged": 0.45, "bytes": 0.4}
OF_FORMATS = (0.1, 0.1, 0.2, 0.15, 0.15, 0.2, 0.1)


@dataclass(frozen=True)
class Given:
    """A file. rig: its content, if nothing is wrong with it. unsafe: whether its format holds Blender's own
    memory.
    """

    kind: str
    path: Path
    rig: Rig | None = None
    unsafe: bool = False


def run_seed(seed: int, folder: Path) -> Outcome:
    """Run one seed. folder: empty, private to the seed."""
    _limit_memory()
    random = np.random.default_rng(seed)
    enter_stage(folder, BLENDER_ALONE)
    given = _made(random, folder)
    could_open = opened(given.path)
    meshes = deformed_meshes() if could_open else []
    played = bpy.context.scene.frame_start, bpy.context.scene.frame_end
    for frame in _frames() if could_open else ():
        read_frame(meshes, frame)
    # The bytes of a .blend are Blender's own structures, pointers included: a later crash over them is still
    # Blender's, since no code of ours can cause it.
    enter_stage(folder, BLENDER_ALONE if given.unsafe else SKINSCOPE)
    ran = run_program(["check", str(given.path), "--device", "cpu", "--format", "json"])
    wrong, label = _judged(ran, given, could_open, meshes, played)
    return Outcome(
        label,
        given.kind,
        f"{given.kind}: {wrong}" if wrong else "",
        _script(seed, given, ran) if wrong else "",
    )


@cache
def _limit_memory() -> None:
    """Make a count of billions end in an error rather than kill other programs."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _made(random: Random, folder: Path) -> Given:
    way = str(random.choice(list(SHARES), p=list(SHARES.values())))
    container = CONTAINERS[random.integers(len(CONTAINERS))]
    stem = str(random.choice(["rig", "Ärm ✓ 1", "con", "a'b", "[x]"]))
    if way == "whole":
        rig, document = whole(random)
        return Given(f"glTF, whole, {container}", write(document, folder, container, stem), rig)
    if way == "damaged":
        document, kind = damaged(random)
        return Given(f"glTF: {kind}", write(document, folder, container, stem))
    name = str(random.choice(FORMATS, p=OF_FORMATS))
    path = folder / f"{stem}{Path(name).suffix}"
    content = exported(name)
    if path.suffix == ".gltf":
        # Its buffer would be beside it, but isn't there.
        path.write_bytes(damaged_bytes(content, random))
        return Given("bytes of .gltf", path)
    path.write_bytes(damaged_bytes(content, random))
    return Given(f"bytes of {name.removeprefix('rig')}", path, unsafe=path.suffix == ".blend")


def _frames() -> list[float]:
    scene = bpy.context.scene
    first, last = scene.frame_start, scene.frame_end
    return sorted(
        {float(frame) for frame in np.linspace(first, min(max(first, last), first + 50), 3).round()}
        | {0.0, 1.0, 2.0}
    )


def _judged(
    ran: Ran, given: Given, could_open: bool, meshes: list[Deformed], played: tuple[int, int]
) -> tuple[str, str]:
    """Return what is wrong, or '', and the label."""
    label = {0: "passed", 1: "reported", 2: "refused"}.get(ran.status, f"status {ran.status}")
    if wrong := what_is_wrong(ran):
        return wrong, label
    try:
        report = ran.json
    except ValueError as error:
        return f"The report is no JSON: {error}", label
    if wrong := wrong_with_report(report):
        return f"The report is not as documented: {wrong}", label
    (file,) = report["files"]
    if ran.status == 2:
        return _wrong_refusal(ran, file, given, could_open), label
    if not could_open:
        return "Blender could not open it, and a report says something.", label
    if file["passed"] != (ran.status == 0):
        return f"The exit status is {ran.status} and passed is {file['passed']}.", label
    return _wrong_with_meshes(file, given, meshes, played), label


def _wrong_refusal(ran: Ran, file: Any, given: Given, could_open: bool) -> str:
    if len(ran.complaints) != 1 or given.path.name not in ran.complaints[0]:
        return f"Refused, but not in one sentence that names the file: {ran.complaints[:3]}"
    if not ran.complaints[0].endswith("."):
        return f"What it says is no sentence: {ran.complaints[0]}"
    if not file["error"] or file["meshes"] or file["findings"]:
        return "Refused, and the report does not say so."
    if given.rig is not None:
        return f"A whole file was refused: {ran.complaints[0]}"
    if could_open:
        return f"Blender opens it, and it was refused: {ran.complaints[0]}"
    return ""


def _wrong_with_meshes(file: Any, given: Given, meshes: list[Deformed], played: tuple[int, int]) -> str:
    reported = {one["object"]: one for one in file["meshes"]}
    named = {one["object"] for one in file["findings"]}
    for mesh in meshes:
        if mesh.name not in reported and mesh.name not in named:
            return f"{mesh.name!r} is in no mesh and no finding of the report."
    told_of = {one["object"] for one in file["findings"] if one["severity"] == "error"}
    for mesh in meshes:
        one = reported.get(mesh.name)
        if one is None or mesh.name in told_of or not (one["exact"] and one["deviation"]["passed"]):
            continue
        for frame, positions in mesh.positions.items():
            if not played[0] <= frame <= played[1]:
                continue
            if not np.isfinite(positions).all():
                return (
                    f"{mesh.name!r} is called exact, and at frame {frame:g} Blender's result is not finite."
                )
            expected = mesh.expected.get(frame)
            if expected is not None and (off := _off(positions, expected)) > AS_RULED:
                return (
                    f"{mesh.name!r} is called exact, and lies {off:.2g} off the definition at frame "
                    f"{frame:g}."
                )
    return _wrong_with_whole(file, given.rig, meshes) if given.rig is not None else ""


def _wrong_with_whole(file: Any, rig: Rig, meshes: list[Deformed]) -> str:
    """Compare an ordinary file with the specification, and check that its report says exact."""
    if not meshes:
        return "No mesh of a whole file is deformed."
    for mesh in meshes:
        for frame in range(len(rig.turns)):
            # glTF's Y is up, Blender's Z.
            found = mesh.positions[float(frame)][:, [0, 2, 1]] * (1, 1, -1)
            if found.shape != (len(rig.positions), 3) or _off(found, rig.skinned(frame)) > AS_RULED:
                return f"Blender's {mesh.name!r} is not what the specification says at frame {frame}."
    not_exact = [one["object"] for one in file["meshes"] if not (one["exact"] and one["deviation"]["passed"])]
    return f"Not exact: {not_exact}" if not_exact else ""


def _off(positions: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest distance, relative to how far the two are from the origin, but at least to a
    centimeter.
    """
    if positions.shape != expected.shape or not len(positions):
        return 0.0 if positions.shape == expected.shape else np.inf
    with np.errstate(all="ignore"):
        size = max(np.abs(np.concatenate((positions, expected))).max(), 0.01)
        off = float(np.abs(positions - expected).max() / size)
    return off if np.isfinite(off) else np.inf


def _script(seed: int, given: Given, ran: Ran) -> str:
    return f'''"""{given.kind}: skinscope check {given.path.name}
exit status {ran.status} {ran.raised!r}
"""

import bpy  # before anything that needs it
import tempfile
from pathlib import Path

from tests.fuzz.files.seed import run_seed

folder = Path(tempfile.mkdtemp())
print(run_seed({seed}, folder), folder)
'''
