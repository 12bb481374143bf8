"""Recorded frames as each profile's file and hierarchy have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ThinningOptions
from ...core.profiles.hierarchy import HierarchyRule
from ...core.profiles.profile import Profile
from ...scene.armatures.armature_reader import ArmatureReader
from ...scene.armatures.clip_in_file import ClipsInFiles
from ...scene.armatures.profiled_reading import pose_under
from ...scene.binding.held_places import HeldPlaces, Holding
from ...scene.staging.clip_recording import RecordedFrames

Computed = TypeVar("Computed", NDArray[np.float32], NDArray[np.float64])


class PosesUnderProfiles:
    """Recorded poses after each profile's hierarchy, computed once for all meshes and causes."""

    def __init__(
        self,
        recorded: RecordedFrames,
        needed: Mapping[str, NDArray[np.bool_]] | None = None,
        clips: ClipsInFiles | None = None,
        held: HeldPlaces | None = None,
    ) -> None:
        """needed: by armature object, the bones (B,) in use; all bones of armatures it does not name. clips:
        what plays in files with fewer keys than frames. held: where files hold meshes that move.
        """
        self.recorded = recorded
        self._clips: ClipsInFiles = clips or {}
        self._needed = needed or {}
        self._held: HeldPlaces = held or {}
        self._known: dict[tuple[object, ...], NDArray[np.float64]] = {}
        self._moved: dict[tuple[str, ThinningOptions | None], NDArray[np.float64] | None] = {}
        self._shared: dict[tuple[object, ...], NDArray[np.floating]] = {}

    def of(self, profile: Profile, armature: str, reader: ArmatureReader) -> NDArray[np.float64]:
        """Return to_root (F, B, 4, 4) of an armature's bones under a profile."""
        to_root = self.recorded.to_root[armature]
        if profile.poses_as_blender:
            return to_root
        key = armature, *hierarchy_key(profile)
        if key not in self._known:
            clip, frames = self._clips.get(profile.thinned_by), self.recorded.frames
            played = None if clip is None else clip.local(armature, reader.skeleton, frames)
            self._known[key] = pose_under(profile, reader, to_root, self._needed.get(armature), played)
        return self._known[key]

    def held_place(self, profile: Profile, mesh: str, armature: str) -> NDArray[np.float64] | None:
        """Return the mesh_to_root (4, 4) that the profile's file has at all frames; None if it is each frame's
        own.
        """
        return self._held.get((Holding.of(profile), mesh, armature))

    def moved_root(self, profile: Profile, armature: str) -> NDArray[np.float64] | None:
        """Return where the profile's file has the armature object, (F, 4, 4), as seen from where it is in
        Blender; None if that is the same place.
        """
        clip, key = self._clips.get(profile.thinned_by), (armature, profile.thinned_by)
        if clip is None:
            return None
        if key not in self._moved:
            to_world = self.recorded.to_world[armature]
            self._moved[key] = clip.moved_root(armature, self.recorded.frames, to_world)
        return self._moved[key]

    def shared(self, key: tuple[object, ...], compute: Callable[[], Computed]) -> Computed:
        """Return the value computed under this key for these frames, computing it on first use."""
        if key not in self._shared:
            self._shared[key] = compute()
        return cast("Computed", self._shared[key])


def hierarchy_key(profile: Profile) -> tuple[HierarchyRule, bool, ThinningOptions | None]:
    """Return the settings of a profile that change poses."""
    return profile.hierarchy, profile.exporter.deform_bones_only, profile.thinned_by


def placed_key(profile: Profile) -> tuple[object, ...]:
    """Return the settings of a profile that change where joints take a mesh."""
    return *hierarchy_key(profile), Holding.of(profile)
