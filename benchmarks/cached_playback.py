"""What a frame costs while heavy characters play, evaluated by Blender and from memory.

    .venv/bin/python benchmarks/cached_playback.py FILE [--copies 10] [--frames 250] [--rounds 3]

FILE: a .blend with a rigged character, such as a Rigify human; it is copied, each with a rig and an action of
its own. Both ways are timed in one process, in turn: `frame_set` of Blender's frames, the same while everything
is remembered for the first time, and while the characters are aside. Drawing is in none, nor what the GPU gets
for each frame.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))

import bpy  # noqa: E402

from skinning_addon.scene.object_data import mesh_of  # noqa: E402
from skinning_addon.viewport.cached import cached_playback as module  # noqa: E402
from skinning_addon.viewport.cached.cached_playback import CachedPlayback  # noqa: E402
from skinning_addon.viewport.cached.choices import CachedChoices  # noqa: E402
from skinning_addon.viewport.objects.object_lookup import ObjectLookup  # noqa: E402


def copies_of_characters(count: int) -> list[bpy.types.Object]:
    """Copy every rig of the scene that moves a mesh, with its meshes; return all meshes."""
    scene = bpy.context.scene
    meshes = [one for one in scene.objects if one.type == "MESH" and one.find_armature() is not None]
    found = list(meshes)
    for number in range(1, count):
        rigs: dict[bpy.types.Object, bpy.types.Object] = {}
        for mesh in meshes:
            original = mesh.find_armature()
            if original not in rigs:
                copy = rigs[original] = original.copy()
                copy.data = original.data.copy()
                if copy.animation_data is not None and copy.animation_data.action is not None:
                    copy.animation_data.action = copy.animation_data.action.copy()
                retarget(copy, original)
                copy.location.x += 1.5 * number
                scene.collection.objects.link(copy)
            body = mesh.copy()
            scene.collection.objects.link(body)
            for modifier in body.modifiers:
                if modifier.type == "ARMATURE":
                    modifier.object = rigs[original]
            body.parent = rigs.get(body.parent, body.parent)
            found.append(body)
    bpy.context.view_layer.update()
    return found


def retarget(copy: bpy.types.Object, original: bpy.types.Object) -> None:
    """Have a rig's constraints and drivers follow itself."""
    for bone in copy.pose.bones:
        for constraint in bone.constraints:
            if getattr(constraint, "target", None) == original:
                constraint.target = copy  # pyright: ignore[reportAttributeAccessIssue]
            for target in getattr(constraint, "targets", ()):
                if target.target == original:
                    target.target = copy
    for block in (copy, copy.data):
        for curve in block.animation_data.drivers if block.animation_data else ():
            for variable in curve.driver.variables:
                for target in variable.targets:
                    if target.id == original:
                        target.id = copy
                    elif target.id == original.data:
                        target.id = copy.data


def timed(action: Callable[[int], None], frames: range) -> float:
    """Return the milliseconds a frame takes."""
    started = time.perf_counter()
    for frame in frames:
        action(frame)
    return 1000 * (time.perf_counter() - started) / len(frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--frames", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    bpy.ops.wm.open_mainfile(filepath=str(asked.file))
    scene = bpy.context.scene
    meshes = copies_of_characters(asked.copies)
    scene.frame_start, scene.frame_end = 1, asked.frames
    frames = range(1, asked.frames + 1)
    playing = False
    module.is_playing_back = lambda: playing  # A module has no window that plays.
    cached = CachedPlayback(
        ObjectLookup(), lambda _scene: CachedChoices(is_on=True), lambda: 10**10, lambda: ()
    )
    cached.refresh()
    print(f"{len(cached.cache.groups)} characters; stay Blender's: {list(cached.cache.kept)}")

    def note(*given: Any) -> None:
        cached.note_frame(scene, given[1])

    # Other programs' functions that run at every frame keep everything Blender's.
    note.__module__ = CachedPlayback.__module__
    blenders, recorded, remembered, starts, stops = [], [], [], [], []
    for _ in range(asked.rounds):
        blenders.append(timed(scene.frame_set, frames))
        cached.cache.forget_all()
        cached.refresh()
        bpy.app.handlers.frame_change_post.append(note)
        recorded.append(timed(scene.frame_set, frames))
        playing = True
        started = time.perf_counter()
        cached.note_playing(scene)
        starts.append(1000 * (time.perf_counter() - started))
        assert cached.shown, "not every frame is known"
        remembered.append(timed(scene.frame_set, frames))
        started = time.perf_counter()
        cached.note_stopped()
        stops.append(1000 * (time.perf_counter() - started))
        playing = False
        bpy.app.handlers.frame_change_post.remove(note)
    ours, theirs = statistics.median(remembered), statistics.median(blenders)
    positions = 12 * asked.frames * sum(len(mesh_of(one).vertices) for one in meshes)
    print(f"Blender           {theirs:8.2f} ms a frame")
    recording = statistics.median(recorded)
    extra = statistics.median(ours / blender - 1 for ours, blender in zip(recorded, blenders, strict=True))
    print(f"while recording   {recording:8.2f} ms a frame, {extra:+.1%}")
    print(f"from memory       {ours:8.3f} ms a frame, {theirs / ours:.0f} times less")
    print(f"start, stop       {statistics.median(starts):.0f} ms, {statistics.median(stops):.0f} ms")
    memory = cached.cache.byte_count
    share = f"a {positions / memory:.0f}th of the positions' {positions / 1e6:.0f} MB"
    print(f"memory            {memory / 1e6:8.2f} MB, {share}")


if __name__ == "__main__":
    main()
