"""A random rig and its preview."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.viewport.character.preview import Preview
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


@pytest.fixture
def rig() -> RandomRig:
    return random_rig(RigOptions(seed=3))


@pytest.fixture
def preview(session, rig) -> Preview:
    return session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
