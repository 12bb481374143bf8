"""Cached Playback without a window: a mode that hears Blender's events, a rig, and the comparison with Blender."""

from __future__ import annotations

import time

import bpy
import numpy as np

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.viewport.cached.cached_playback import CachedPlayback, played_frames
from skinning_addon.viewport.cached.choices import MEGABYTE, CachedChoices
from skinning_addon.viewport.cached.frame_cache import AnyCachedMesh
from skinning_addon.viewport.cached.moving_mesh import MovingMesh
from skinning_addon.viewport.cached_events import DECIDING_TYPES
from skinning_addon.viewport.objects.object_lookup import ObjectLookup
from skinning_addon.viewport.redraw import Later

FRAMES = 8


class Mode:
    """The mode with Blender's handlers, as in an enabled extension, and a Blender that may seem to play."""

    def __init__(self) -> None:
        self.playing = self.scrubbing = False
        self.megabytes = 100.0
        self.choices = CachedChoices(is_on=True)
        self.previewed: list[int] = []
        self.cached = CachedPlayback(
            ObjectLookup(),
            lambda _scene: self.choices,
            lambda: int(self.megabytes * MEGABYTE),
            lambda: self.previewed,
        )
        self.handlers = {
            "frame_change_pre": self.before_frame,
            "frame_change_post": self.cached_frame,
            "depsgraph_update_post": self.updated,
        }

    def listen(self) -> None:
        """Have Blender call the handlers; it forgets them with each file that it opens."""
        for event, handler in self.handlers.items():
            getattr(bpy.app.handlers, event).append(handler)

    def before_frame(self, *_: object) -> None:
        graph = bpy.context.view_layer.depsgraph
        if any(graph.id_type_updated(one) for one in DECIDING_TYPES):
            self.cached.note_pending_edits()

    def cached_frame(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        self.cached.note_frame(scene, depsgraph)

    def updated(self, _scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        self.cached.note_updates(depsgraph)

    def record(self) -> None:
        """Find the characters, and go through all frames."""
        self.cached.refresh()
        for frame in played_frames(bpy.context.scene):
            bpy.context.scene.frame_set(frame)

    def play(self) -> None:
        self.playing = True
        self.cached.note_playing(bpy.context.scene)

    def scrub(self, *frames: float) -> None:
        """Drag over frames, with Blender's event loop going on."""
        self.scrubbing = True
        for frame in frames:
            bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
            self.fire()

    def release(self) -> None:
        self.scrubbing = False
        self.fire(self.cached._scrub._look)

    def fire(self, *others: Later) -> None:
        """Call what waits for Blender's event loop."""
        for later in (self.cached._step_aside, self.cached._refresh, *others):
            if bpy.app.timers.is_registered(later._timer):
                bpy.app.timers.unregister(later._timer)
                wait = later._fire()
                if wait is not None:
                    later.at(time.perf_counter() + wait)

    def stop(self) -> None:
        self.playing = False
        self.cached.note_stopped()

    @property
    def known(self) -> int:
        return len(self.cached.cache.known_frames())


def bending_rig() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A rig of two bones that bends from the first frame to the last."""
    scene = bpy.context.scene
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    lower = armature.data.edit_bones.new("lower")
    lower.head, lower.tail = (0, 0, 0), (0, 0, 1)
    upper = armature.data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
    bpy.ops.object.mode_set(mode="OBJECT")
    rng = np.random.default_rng(3)
    mesh = bpy.data.meshes.new("Body")
    points = rng.uniform((-0.3, -0.3, 0), (0.3, 0.3, 2), (60, 3))
    mesh.from_pydata(points.tolist(), [], [(i, i + 1, i + 2) for i in range(58)])
    body = bpy.data.objects.new("Body", mesh)
    scene.collection.objects.link(body)
    for name in ("lower", "upper"):
        group = body.vertex_groups.new(name=name)
        for vertex, height in enumerate(points[:, 2]):
            group.add([vertex], float(height / 2 if name == "upper" else 1 - height / 2), "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = armature
    bone = armature.pose.bones["upper"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (FRAMES, 1.2)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.frame_set(1)
    return armature, body


def shown(mesh: AnyCachedMesh, frame: float) -> np.ndarray:
    """Return where a frame's vertices are drawn. A pose is skinned: palettes of three rows a joint."""
    if isinstance(mesh, MovingMesh):
        return mesh.frames[frame].positions
    rows = mesh.frames[frame].rows.reshape(-1, 3, 4)
    final = np.zeros((len(rows), 4, 4), dtype=np.float32)
    final[:, :, :3], final[:, 3, 3] = rows.transpose(0, 2, 1), 1
    binding = mesh._bound.binding
    palettes, start = [], 0
    for one in binding.passes:
        palettes.append(Palette(final[start : start + len(one.joints)]))
        start += len(one.joints)
    return SoftwareSkinner(binding.passes, binding.mesh).skin_positions(tuple(palettes))


def blenders(body: bpy.types.Object) -> np.ndarray:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return read_blender_positions(body, depsgraph, len(body.evaluated_get(depsgraph).data.vertices))


def assert_known_frames_are_blenders(mode: Mode, meshes: list[bpy.types.Object]) -> int:
    """Compare every known frame with what Blender shows there; return how many there are."""
    cached, scene = mode.cached, bpy.context.scene
    count = 0
    for group in cached.cache.groups:
        for mesh in cached.cache.meshes_of(group):
            body = next(one for one in meshes if one.session_uid == mesh.uid)
            for frame in list(mesh.frames):
                kept = shown(mesh, frame)
                scene.frame_set(int(frame), subframe=frame % 1)
                expected = blenders(body)
                size = float(np.linalg.norm(np.ptp(expected, axis=0)))
                assert np.abs(kept - expected).max() <= 1e-5 * size
                count += 1
    return count
