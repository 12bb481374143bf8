"""What a frame costs while heavy characters play, evaluated by Blender and from memory.

    .venv/bin/python benchmarks/cached_playback.py FILE [--copies 10] [--frames 250] [--rounds 3] [--draw]

FILE: a .blend with a rigged character, such as a Rigify human; it is copied, each with a rig and an action of
its own. Both ways are timed in one process, in turn: `frame_set` of Blender's frames, the same while everything
is remembered for the first time, and while the characters are aside. Drawing is in none, nor what the GPU gets
for each frame; what recording leaves for the first drawing of a frame, its palettes, is timed apart. Recording
is also given as time that this thread computes in our handler and in the rest of the frame, which other work
hardly touches. With --draw, frames from memory are drawn too, into a picture of 1920 x 1080,
until a pixel has been read back.
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
import gpu  # noqa: E402
import numpy as np  # noqa: E402

from skinning_addon.drawing.device import describe_gpu, start_gpu  # noqa: E402
from skinning_addon.drawing.display_settings import DisplaySettings  # noqa: E402
from skinning_addon.drawing.off_screen import Picture  # noqa: E402
from skinning_addon.scene.object_data import mesh_of  # noqa: E402
from skinning_addon.viewport.cached import cached_playback as module  # noqa: E402
from skinning_addon.viewport.cached.cached_playback import CachedPlayback  # noqa: E402
from skinning_addon.viewport.cached.choices import CachedChoices  # noqa: E402
from skinning_addon.viewport.character.view import View  # noqa: E402
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


def lay_out(cached: CachedPlayback, frame: int) -> None:
    """Compute what the first drawing of a frame sends to the GPU."""
    for group in cached.shown:
        for mesh in cached.cache.meshes_of(group):
            assert mesh.frames[frame].rows.size  # pyright: ignore[reportAttributeAccessIssue]


class Drawer:
    """Plays and draws frames from memory, in front of all characters."""

    def __init__(self, cached: CachedPlayback, meshes: list[bpy.types.Object]) -> None:
        start_gpu()
        self._cached, self._picture = cached, Picture(1920, 1080)
        self._objects = {one.session_uid: one for one in meshes}
        self._pixel = gpu.types.Buffer("UBYTE", (1, 1, 4))
        middle, height = 0.75 * (len(meshes) - 1), 2.2
        world_to_view = np.array(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (-middle, -height / 2, 0, 1)))
        scale = 1 / (middle + 1)
        self._view = View(world_to_view, np.diag((scale, scale * 16 / 9, -0.05, 1.0)), 1920)

    def draw(self, frame: int) -> None:
        """Play and draw a frame."""
        bpy.context.scene.frame_set(frame)
        settings = DisplaySettings()
        with self._picture.drawing() as framebuffer:
            framebuffer.clear(color=(0, 0, 0, 1), depth=1.0)
            for group in self._cached.shown:
                for mesh in self._cached.cache.meshes_of(group):
                    mesh.draw(float(frame), "shaded", self._view, settings, self._objects[mesh.uid])
            framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=self._pixel)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--frames", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--draw", action="store_true")
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

    in_handler: list[float] = []

    def note(*given: Any) -> None:
        cached.costs.end(from_memory=False, counts=True)
        started = time.thread_time()
        cached.note_frame(scene, given[1])
        in_handler.append(time.thread_time() - started)

    def note_begin(*_: Any) -> None:
        cached.costs.begin()

    # Other programs' functions that run at every frame keep everything Blender's.
    note.__module__ = note_begin.__module__ = CachedPlayback.__module__
    blenders, recorded, remembered, laid_out, drawn, starts, stops = [], [], [], [], [], [], []
    shares: list[float] = []
    first_time: list[float] = []
    milliseconds: list[float] = []
    for _ in range(asked.rounds):
        blenders.append(timed(scene.frame_set, frames))
        cached.cache.forget_all()
        cached.refresh()
        bpy.app.handlers.frame_change_pre.append(note_begin)
        bpy.app.handlers.frame_change_post.append(note)
        in_handler.clear()
        cached.plays = True
        started = time.thread_time()
        recorded.append(timed(scene.frame_set, frames))
        all_frames, ours = time.thread_time() - started, sum(in_handler)
        shares.append(ours / (all_frames - ours))
        milliseconds.append(1000 * statistics.median(in_handler))
        known = [sum(len(mesh.frames) for mesh in cached.cache.meshes_of(one)) for one in cached.cache.groups]
        first_time.append(sum(known) / asked.frames / len(meshes))
        for frame in frames:
            # What there was no time for, as when Blender plays the frames once more.
            scene.frame_set(frame)
        bpy.app.handlers.frame_change_pre.remove(note_begin)
        playing = True
        started = time.perf_counter()
        cached.note_playing(scene)
        starts.append(1000 * (time.perf_counter() - started))
        assert cached.shown, "not every frame is known"
        remembered.append(timed(scene.frame_set, frames))
        laid_out.append(timed(lambda frame: lay_out(cached, frame), frames))
        if asked.draw:
            drawn.append(timed(Drawer(cached, meshes).draw, frames))
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
    share = f"{statistics.median(shares):+.1%} with all proofs"
    print(f"  in our handler  {statistics.median(milliseconds):8.2f} ms a frame of this thread, {share}")
    print(f"  known then      {100 * statistics.median(first_time):8.0f} % of all frames of all characters")
    print(f"from memory       {ours:8.3f} ms a frame, {theirs / ours:.0f} times less")
    print(f"  the first time  {statistics.median(laid_out):8.3f} ms a frame more")
    if drawn:
        both = statistics.median(drawn)
        print(f"  and drawn       {both:8.2f} ms a frame by {describe_gpu()}: {1000 / both:.0f} a second")
        print(f"                  Blender, not drawn: {1000 / theirs:.1f} a second at most")
    print(f"start, stop       {statistics.median(starts):.0f} ms, {statistics.median(stops):.0f} ms")
    memory = cached.cache.byte_count
    share = f"a {positions / memory:.0f}th of the positions' {positions / 1e6:.0f} MB"
    print(f"memory            {memory / 1e6:8.2f} MB, {share}")


if __name__ == "__main__":
    main()
