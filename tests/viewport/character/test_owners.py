"""A pose goes down to the GPU once, through few owners, however many views draw it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from types import FrameType
from typing import get_args

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.blend_palette import AnyPalette
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame import Frame
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.choices.settings import PreviewSettings
from tests.scene.random_rig import RigOptions, random_rig

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("gpu_device")]

MOST_OWNERS = 5
VIEWS = [View(np.diag((0.2, 0.2, -0.2, 1.0)), np.eye(4), 32.0), View(np.eye(4), np.eye(4), 32.0)]
PLACES = (None, np.eye(4))


def is_pose(value: object) -> bool:
    """Whether a value is a pose or part of one, in whatever form it travels."""
    if isinstance(value, (list, tuple)) and len(value):
        return all(is_pose(one) for one in value)
    if is_dataclass(value) and any(isinstance(one, Frame) for one in vars(value).values()):
        return True
    return isinstance(value, (Frame, *get_args(AnyPalette))) or (
        isinstance(value, np.ndarray) and value.ndim == 3 and value.dtype == np.float32
    )


def owners_given_a_pose(work: Callable[[], object]) -> list[str]:
    """List the classes that own GPU objects, in the order in which a method of theirs is given a pose from
    outside.
    """
    found: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        owner = frame.f_locals.get("self") if event == "call" else None
        if owner is None or "skinning_addon" not in frame.f_code.co_filename or not hasattr(owner, "free"):
            return
        caller = frame.f_back.f_locals.get("self") if frame.f_back else None
        given = [value for name, value in frame.f_locals.items() if name != "self"]
        if caller is not owner and any(is_pose(value) for value in given):
            found.append(type(owner).__name__)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


@pytest.fixture
def drawn() -> Iterator[tuple[MeshInLayer, Callable[[], None], Callable[[], None]]]:
    """A mesh, what reads its next pose, and what draws it in all views and places."""
    rig = random_rig(RigOptions(seed=3))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    contents = read_mesh_contents(rig.mesh, depsgraph, for_drawing=True)
    assert contents.drawn is not None
    live = MeshInLayer(read_binding(rig.mesh, depsgraph, contents), contents.drawn)
    picture = Picture(32, 32)
    revision = 0

    def pose() -> None:
        nonlocal revision
        revision += 1
        rig.pose()
        bpy.context.view_layer.update()
        live.follow(revision, rig.mesh, bpy.context.view_layer.depsgraph)

    def draw() -> None:
        with picture.drawing():
            for view in VIEWS:
                live.draw(
                    view,
                    PreviewSettings(display="shaded"),
                    rig.mesh,
                    bpy.context.view_layer.depsgraph,
                    PLACES,
                )

    yield live, pose, draw
    live.free()
    picture.free()


def test_a_pose_goes_down_once_through_at_most_five_owners(drawn):
    live, pose, draw = drawn
    pose()
    draw()
    pose()
    owners = owners_given_a_pose(draw)
    assert "UniformPalette" in owners
    # The mesh in the layer reads the pose: it is the first owner.
    assert len({type(live).__name__, *owners}) <= MOST_OWNERS, owners
    # The first one asks whether the pose is there already; the others are not bothered again.
    first, *below = dict.fromkeys(owners)
    assert [owners.count(one) for one in below] == [1] * len(below), owners
    assert set(owners_given_a_pose(draw)) <= {first}, "a pose that was sent travels again"
