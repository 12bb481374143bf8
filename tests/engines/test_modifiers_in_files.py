"""A default export leaves out modifiers before the armature, and a finding says how far that shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.export_options import GltfOptions
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.exported_rig import from_y_up
from tests.engines.partly_keyed import posed_arm, world_positions
from tests.engines.skinned_gltf import SkinnedGltf


def first_modifier(kind: str, **settings: object) -> bpy.types.Object:
    """Build the arm with a modifier before its armature; return its mesh."""
    posed_arm("Wave", active="Wave")
    (mesh,) = deformed_meshes(bpy.context.scene)
    modifier = mesh.modifiers.new("Maker", kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    with bpy.context.temp_override(object=mesh):
        bpy.ops.object.modifier_move_to_index(modifier="Maker", index=0)
    bpy.context.view_layer.update()
    return mesh


def mirrored() -> bpy.types.Object:
    """Half of the arm is made by the modifier."""
    mesh = first_modifier("MIRROR")
    for vertex in mesh.data.vertices:
        vertex.co.x += 0.6
    return mesh


def arrayed() -> bpy.types.Object:
    return first_modifier(
        "ARRAY", use_relative_offset=False, use_constant_offset=True, constant_offset_displace=(0, 3, 0)
    )


def displaced() -> bpy.types.Object:
    return first_modifier("DISPLACE", strength=0.25)


MODIFIERS: dict[str, Callable[[], bpy.types.Object]] = {
    "mirror": mirrored,
    "array": arrayed,
    "displace": displaced,
}


@pytest.mark.parametrize("build", MODIFIERS.values(), ids=MODIFIERS)
def test_what_modifiers_make_is_missing_from_a_default_export(
    tmp_path: Path, build: Callable[[], bpy.types.Object]
):
    mesh = build()
    bpy.ops.export_scene.gltf(
        filepath=str(tmp_path / "arm.glb"), export_format="GLB", export_materials="NONE"
    )
    file = SkinnedGltf.read(tmp_path / "arm.glb")
    positions = from_y_up(file.at_rest())
    mesh = build()
    bpy.data.objects["Arm"].data.pose_position = "REST"
    bpy.context.view_layer.update()
    shown = world_positions(mesh)
    # The nearest vertex is further off than the nearest face, but the file's mesh is fine enough.
    furthest = max(np.linalg.norm(positions - one, axis=1).min() for one in shown)

    build()
    (found,) = findings(replace(load_profile("threejs"), exported_with=GltfOptions()))
    assert found.deviation == pytest.approx(furthest, rel=0.1)
    assert found.severity is Severity.ERROR
    assert "Maker" in found.message
    (other,) = in_the_sidebar(build)
    assert other.deviation == pytest.approx(found.deviation, rel=1e-4)


@pytest.mark.parametrize(
    ("profile_id", "options"), [("threejs", GltfOptions(apply_modifiers=True)), ("unity-4", None)]
)
def test_nothing_is_missing_where_modifiers_are_applied(profile_id: str, options: GltfOptions | None):
    mirrored()
    assert not findings(replace(load_profile(profile_id), exported_with=options))


def findings(profile):
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", profiles=(profile,)))
    return [one for one in report.findings if one.rule == "modifier-not-exported"]


def in_the_sidebar(build: Callable[[], bpy.types.Object]):
    build()
    scene = bpy.context.scene
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scan = ProfileScan(
        scene, depsgraph, deformed_meshes(scene), [load_profile("threejs")], [ScenePlayback(1, 2)]
    )
    for _ in scan.steps():
        pass
    return [one for one in scan.reports[0].findings if one.rule == "modifier-not-exported"]
