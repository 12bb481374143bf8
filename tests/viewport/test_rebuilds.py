"""What changed rebuilds only what depends on it: counted."""

from __future__ import annotations

from collections import Counter

import bpy
import pytest

from skinning_addon.scene import binding_reader, frame_reader, mesh_parts
from skinning_addon.viewport.session import layer_key
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

COUNTED = {
    "mesh": (mesh_parts, "read_source_mesh"),
    "weights": (mesh_parts, "read_memberships"),
    "drawn mesh": (mesh_parts, "read_draw_mesh"),
    "skin": (binding_reader, "skin_at"),
    "rest pose": (binding_reader, "read_armature"),
    "palette": (frame_reader, "final_matrices"),
}
MESH = {"mesh": 1, "weights": 1, "drawn mesh": 1}
SKIN = {"skin": 1, "rest pose": 1}


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counter: Counter[str] = Counter()

    def counted(name: str, function):
        def call(*args, **kwargs):
            counter[name] += 1
            return function(*args, **kwargs)

        return call

    for name, (module, function) in COUNTED.items():
        monkeypatch.setattr(module, function, counted(name, getattr(module, function)))
    return counter


@pytest.fixture
def rig() -> RandomRig:
    return random_rig(RigOptions(seed=3, envelopes=True, bendy=3))


CHANGES = {
    "nothing": ("pass", {}),
    "a pose": ("armature.pose.bones[0].location.x += 0.1", {"palette": 1}),
    "another frame": ("bpy.context.scene.frame_set(7)", {"palette": 1}),
    "both objects' place": ("armature.location.x += 1; mesh.location.x += 1", {"palette": 1}),
    "a bone that is hidden": ("armature.data.bones[0].hide = True", {"palette": 1}),
    "a bone that no longer deforms": ("armature.data.bones[0].use_deform = False", SKIN | {"palette": 1}),
    "segments": ("armature.data.bones[0].bbone_segments = 5", SKIN | {"palette": 1}),
    "an envelope": ("armature.data.bones[0].envelope_distance = 0.7", SKIN | {"palette": 1}),
    "weights": (
        "mesh.vertex_groups[0].add([0, 1], 0.3, 'REPLACE'); mesh.data.update()",
        MESH | SKIN | {"palette": 1},
    ),
    "coordinates": ("mesh.data.vertices[0].co.x += 1; mesh.data.update()", MESH | SKIN | {"palette": 1}),
    "another mesh": ("mesh.data = mesh.data.copy()", MESH | SKIN | {"palette": 1}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_depends_on_a_change_is_built_again(
    session, rig: RandomRig, counts: Counter[str], change: str
) -> None:
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    follow_and_bind(preview, rig)
    counts.clear()
    code, expected = CHANGES[change]
    exec(code, {"bpy": bpy, "mesh": rig.mesh, "armature": rig.armature})  # noqa: S102
    follow_and_bind(preview, rig)
    assert dict(counts) == expected
    assert not preview.paused


def follow_and_bind(preview, rig: RandomRig) -> None:
    """What the draw handler does, then the timer, then the draw handler again; the palette once, when it is drawn."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.view_layer.depsgraph
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    preview.follow(rig.mesh, depsgraph, layer)
    if preview.wanted_in:
        preview._binding_pace.due = 0.0
        preview.bind_if_needed(rig.mesh, depsgraph)
    live = preview.follow(rig.mesh, depsgraph, layer)
    assert live._frame.palettes
