"""`check` plays the file that it opened, so it follows simulations before the armature, but not the file's
caches.
"""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.profile import BLENDER
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.scene.stacked_character import character, play_to


def every_frame(_: object) -> list[float]:
    return [float(one) for one in range(1, 8)]


def checked():
    return check_scene(
        bpy.context.scene, "file", CheckSettings("cpu", frames_of=every_frame, profiles=(BLENDER,))
    )


@pytest.mark.parametrize("kind", ["CLOTH", "SOFT_BODY", "EXPLODE", "PARTICLE_INSTANCE", "DYNAMIC_PAINT"])
def test_a_simulation_before_the_armature_is_followed(kind: str) -> None:
    character(before=kind, after="SUBSURF")
    bpy.context.scene.frame_set(1)
    report = checked()
    mesh = report.meshes[0]
    assert mesh.exact
    assert mesh.worst.frames == 7
    assert mesh.worst.relative < 1e-5
    assert [one.name for one in bpy.data.objects if "skinscope" in one.name] == []


def test_a_cache_that_came_with_the_file_is_the_meshes_alone() -> None:
    skin = character(before="CLOTH")
    skin.modifiers["before"].point_cache.frame_end = 8
    with bpy.context.temp_override(point_cache=skin.modifiers["before"].point_cache, object=skin):
        play_to(8)
        bpy.ops.ptcache.bake_from_cache()
    # What a twin computes is not what was baked any more.
    skin.modifiers["before"].settings.mass = 40.0
    skin.modifiers["before"].settings.tension_stiffness = 0.1
    bpy.context.scene.gravity = (0, 0, -40)
    bpy.context.scene.frame_set(1)
    mesh = checked().meshes[0]
    assert not mesh.exact
    assert "earlier frames or a cache" in mesh.reasons[0]
