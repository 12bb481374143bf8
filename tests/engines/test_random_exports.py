"""Random characters in exported files; `random_exports` runs as many as one likes. These were predicted or read
wrongly before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.random_cells import cells_of
from tests.engines.ufbx_judge import Ufbx

GLTF = {
    1: "three frames from one key to the next, of bones without a hierarchy",
    11: "the same, of deforming bones in a hierarchy",
    4: "before Blender 5, a flattened hierarchy lacks a mesh that is parented to a bone",
    45: "from one key to the next, an armature moves as a whole, and vertices that no bone moves with it",
    20: "a bone copies an object's rotation while its armature is where another action has left it",
    26: "NLA strips play under the active action: the file has their pose of frame 0",
    14: "an NLA track doesn't move the armature, which stays where frame 0 has it",
    16: "a bone is stretched 857-fold at the next key, and keys have times in single precision",
    31: "each of three actions keys a part of the armature's own place",
    39: "bones are not put at rest between actions: each leaves its last pose to the next",
    48: "three actions with frames of their own; keys are counted from the first one's start",
    84: "the same, and one of them has just two keys: what has no curve keeps the first up to the second",
    102: "between the last two keys a bone turns less than 0.04 degrees",
    103: "before Blender 4.4, the first action plays in place of the active one",
    109: "the same in place of none",
    120: "an NLA strip plays a part of an action, which the file has whole",
    123: "the same between tracks",
}

FBX = {
    4: "a mesh hangs on a mirrored bone, which actions put back by its matrix",
    9: "an armature that only a constraint moves keeps its pose",
    16: "actions without strips, exported by strips alone",
    26: "strips play alone, with the armature's own place at rest where others key it",
    54: "strips play alone, with what the others key at rest",
    79: "at one frame, the mesh in the file is 50 times as large as at the first",
    85: "mirrored bones are put back by their matrices between actions",
    106: "strips of a part of their actions, which begin at frames of their own",
    165: "strips of a part of their actions, exported as actions",
}


@pytest.mark.parametrize("seed", GLTF)
def test_a_glb_holds_what_is_predicted(tmp_path: Path, seed: int):
    found = list(cells_of(seed, "gltf", tmp_path, None))
    assert found
    assert not [str(one) for one in found if one.verdict == "NEITHER"]


@pytest.mark.engines
@pytest.mark.processes
@pytest.mark.parametrize("seed", FBX)
def test_an_fbx_file_holds_what_is_predicted(ufbx: Ufbx, tmp_path: Path, seed: int):
    found = list(cells_of(seed, "fbx", tmp_path, ufbx))
    assert found
    assert not [str(one) for one in found if one.verdict == "NEITHER"]


PLAYED = {
    ("playcanvas", 193): "a mesh on a bone has no skin, and its node turns along the chord",
    ("playcanvas", 14): "another armature has the same bones: with names of their own it is as predicted",
    (
        "babylonjs",
        44,
    ): "the mesh has keys of its own, in the armature's animation: without them it is as predicted",
}


@pytest.mark.engines
@pytest.mark.processes
@pytest.mark.parametrize(("engine", "seed"), PLAYED)
def test_an_engine_plays_what_is_predicted(
    request: pytest.FixtureRequest, tmp_path: Path, engine: str, seed: int
):
    request.getfixturevalue(engine)
    found = list(cells_of(seed, "gltf", tmp_path, None, engine))
    assert found
    assert not [str(one) for one in found if one.verdict == "NEITHER"]
