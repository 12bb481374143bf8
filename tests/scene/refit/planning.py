"""Plans and makes game-ready copies in tests."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.clips.playback import Playback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.scene.refit.game_ready_copy import make_copy
from skinning_addon.scene.refit.plain_plan import PlainPlan, plain_plan


def the_armature() -> bpy.types.Object:
    """The file's armature object."""
    return next(one for one in bpy.data.objects if one.type == "ARMATURE")


def planned(
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object] | None = None,
    playbacks: Sequence[Playback] | None = None,
    influences: int | None = None,
) -> PlainPlan:
    """Plan a copy without a fit, of all clips and of all meshes that the armature moves by default."""
    scene = bpy.context.scene
    if meshes is None:
        meshes = [one for one in deformed_meshes(scene) if one.parent == armature]
    if playbacks is None:
        playbacks = find_clips(scene, ["all"], [armature])
    steps = plain_plan(scene, armature, meshes, playbacks, influences)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def copied(plan: PlainPlan) -> tuple[bpy.types.Object, dict[str, bpy.types.Object]]:
    """Make the copy; return its armature and its meshes by their originals' names."""
    collection = make_copy(plan.plan, bpy.context)
    armature = next(one for one in collection.objects if one.type == "ARMATURE")
    meshes = [one for one in collection.objects if one.type == "MESH"]
    return armature, {one.object: mesh for one, mesh in zip(plan.plan.meshes, meshes, strict=True)}
