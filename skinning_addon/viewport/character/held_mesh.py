"""Where the file of a preview's profile holds its mesh, if that moves relative to its armature."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import bpy
import numpy as np

from ...core.profiles.binding import Binding
from ...core.profiles.profile import MeshMotion, Profile
from ...scene.binding.held_places import HeldPlaces, Holding, may_move
from ...scene.clips.playback import set_frame
from ...scene.identification import identity, object_of
from ...scene.staging.clip_scene import clip_scene
from ...scene.staging.clip_staging import held_places

SECONDS_TO_WAIT = 0.3
"""From an edit to reading the places again: posing has to stay smooth."""


class HeldMesh:
    """Reads where a file holds a mesh, and again a moment after the last edit. A new frame changes nothing.

    places: for `Instant`; empty if the mesh stays where it is. due: when `read` may be called again; None if
    nothing may have changed.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.places: HeldPlaces = {}
        self.due: float | None = None
        self._clock = clock
        self._exported_at: float | None = None
        self._read_for: tuple[Profile, float | None] | None = None

    def mark(self) -> None:
        """Note an edit. Cheap, and safe from any thread."""
        if self._read_for is not None and _are_elsewhere(*self._read_for):
            self.due = self._clock() + SECONDS_TO_WAIT

    def export_at(self, frame: float | None) -> None:
        """Take the file to be exported while the scene shows this frame; None for its current one. Cheap if it
        is so already.
        """
        if frame != self._exported_at:
            self._exported_at = frame
            self.due = self._clock()

    def is_read_for(self, profile: Profile) -> bool:
        """Whether the places are those of a profile."""
        return self._read_for is not None and self._read_for[0] == profile

    def read(self, scene: bpy.types.Scene, mesh_object: bpy.types.Object, binding: Binding) -> bool:
        """Read the places; return whether they have changed. Makes data-blocks: never call it while drawing.

        Raises:
            BindingError: an armature can't be read.
        """
        self.due, self._read_for = None, (binding.profile, self._exported_at)
        before = self.places
        self.places = read_places(scene, mesh_object, binding, self._exported_at)
        return before.keys() != self.places.keys() or any(
            not np.array_equal(before[key], place) for key, place in self.places.items()
        )


def read_places(
    scene: bpy.types.Scene, mesh_object: bpy.types.Object, binding: Binding, exported_at: float | None
) -> HeldPlaces:
    """Read where the file of a binding's profile holds its mesh, from copies in a scene of their own.

    exported_at: the frame that the scene shows during the export; None for its current one.

    Raises:
        BindingError: an armature can't be read.
    """
    if not _are_elsewhere(binding.profile, exported_at):
        return {}
    armatures = _moving_armatures(mesh_object, binding)
    if not armatures:
        return {}
    with clip_scene(scene, armatures, [mesh_object]) as stage:
        if exported_at is not None:
            set_frame(stage.scene, exported_at)
        names = [identity(one) for one in armatures]
        return held_places(stage, {binding.mesh_object: names}, [binding.profile])


def _are_elsewhere(profile: Profile, exported_at: float | None) -> bool:
    """Whether a mesh that moves may be in another place in the file than it is now."""
    holding = Holding.of(profile)
    if holding.motion is MeshMotion.CURRENT_FRAME:
        return holding.put_back or exported_at is not None
    return holding.motion is not MeshMotion.KEPT


def _moving_armatures(mesh_object: bpy.types.Object, binding: Binding) -> Sequence[bpy.types.Object]:
    # A part on a bone moves with that bone's node.
    names = dict.fromkeys(one.armature for one in binding.passes if one.rest_mesh_to_root is None)
    return [one for one in map(object_of, names) if may_move(mesh_object, one)]
