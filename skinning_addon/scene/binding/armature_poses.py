"""Poses of armatures at the instants of a scan, and what engines' hierarchies make of them.

They are read once for all meshes that follow an armature, and computed when somebody asks, which may be later,
for many instants at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.maths.once import Known
from ...core.profiles.profile import Profile
from ..armatures.armature_reader import ArmatureReader
from ..armatures.clip_in_file import ClipInFile, ClipsInFiles
from ..armatures.profiled_reading import pose_under
from ..identification import identity


@dataclass(frozen=True, eq=False)
class PoseUnder:
    """An armature's pose in a profile's hierarchy: what can be asked of an instant's `ArmaturePoses`.

    session_uid, name: of the armature object, its identity. deforming: only that of bones that deform matters;
    a control rig has five times as many. is_live: for previews, which save the time of a hierarchy that would
    change a pose by no more than Blender's rounding.
    """

    profile: Profile
    session_uid: int
    name: str
    reader: ArmatureReader
    deforming: bool = False
    is_live: bool = False

    @classmethod
    def of(
        cls,
        profile: Profile,
        armature: bpy.types.Object,
        reader: ArmatureReader,
        *,
        deforming: bool = False,
        is_live: bool = False,
    ) -> PoseUnder:
        """Return that of an armature object, evaluated or not."""
        original = cast("bpy.types.Object", armature.original)
        return cls(profile, original.session_uid, identity(original), reader, deforming, is_live)

    @cached_property
    def read_from(self) -> tuple[int, object]:
        """Equal for those that are computed from one pose in Blender: readers that share a skeleton have its
        bones in the same order.
        """
        return self.session_uid, self.reader.skeleton

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for those that are the same pose, if the same clip plays."""
        kept = self.reader.deforms_key if self.profile.exporter.deform_bones_only else None
        needs = self.reader.deforms_key if self.deforming else None
        return (*self.read_from, self.profile.hierarchy.value, kept, needs, self.is_live)


class ArmaturePoses:
    """The poses of armatures at one instant. Keeps no Blender object."""

    def __init__(self, clips: ClipsInFiles | None = None, frame: float = 0.0) -> None:
        """clips, frame: what plays in files with fewer keys than the clip has frames, and when."""
        self._clips: ClipsInFiles = clips or {}
        self._clip_by_profile: dict[int, tuple[Profile, ClipInFile | None]] = {}
        self.frame = frame
        self._known = Known()

    def read(
        self, read_from: tuple[int, object], read: Callable[[], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return to_root (B, 4, 4) in Blender, read on the first request. read_from: see `PoseUnder`."""
        return self._known(read_from, read)

    def under(
        self, pose: PoseUnder, read: Callable[[], NDArray[np.float64]] | None = None
    ) -> NDArray[np.float64]:
        """Return to_root (B, 4, 4) in the profile's hierarchy. Don't modify it.

        read: as in the method of that name; not needed for an armature that has been read.
        """
        clip = self.clip_of(pose.profile)

        return self._known(
            ("under", id(clip), pose.key),
            lambda: _through_hierarchy(
                pose, clip, self.frame, self.read(pose.read_from, read or _never_read)
            ),
        )

    def moved_root(
        self, profile: Profile, armature: str, root_to_world: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return where the profile's file has the armature object, (4, 4), as seen from where it is in Blender;
        None if that is the same place. root_to_world: (4, 4) in Blender.
        """
        clip = self.clip_of(profile)
        if clip is None:
            return None
        return self._known(
            ("moved root", armature, id(clip)),
            lambda: clip.moved_root(armature, self.frame, root_to_world),
        )

    def clip_of(self, profile: Profile) -> ClipInFile | None:
        """Return what plays in the profile's file; None if that has every frame's key."""
        if not self._clips:
            return None
        # Hashing a profile's options takes longer than what they are for.
        known = self._clip_by_profile.get(id(profile))
        if known is None:
            # Kept with the profile, so that no other one gets its number.
            known = self._clip_by_profile[id(profile)] = profile, self._clips.get(profile.thinned_by)
        return known[1]


class PosesOverTime:
    """The poses of armatures at the instants of a scan, by the instant's number."""

    def __init__(self) -> None:
        self._at: dict[int, ArmaturePoses] = {}
        self._together = Known()

    def keep(self, moment: int, poses: ArmaturePoses) -> None:
        """Keep the poses of an instant."""
        self._at[moment] = poses

    def together(self, pose: PoseUnder, moments: tuple[int, ...]) -> NDArray[np.float64]:
        """Return to_root (F, B, 4, 4) at instants of one clip, of an armature that was read there; once for all
        meshes. Don't modify it.
        """
        instants = [self._at[one] for one in moments]
        clip = instants[0].clip_of(pose.profile)

        def posed() -> NDArray[np.float64]:
            to_root = np.array([one.read(pose.read_from, _never_read) for one in instants])
            return _through_hierarchy(pose, clip, [one.frame for one in instants], to_root)

        return self._together((pose.key, id(clip), moments), posed)

    def forget(self, before: int | None) -> None:
        """Drop the instants before one, or all, and what was computed of several."""
        kept = {} if before is None else self._at
        self._at = {moment: poses for moment, poses in kept.items() if before is None or moment >= before}
        self._together = Known()


def _through_hierarchy(
    pose: PoseUnder, clip: ClipInFile | None, frames: float | Sequence[float], to_root: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return to_root (..., B, 4, 4) at one frame or several. clip: that plays in the file, if it has fewer
    keys.
    """
    needed = pose.reader.deforms if pose.deforming else None
    played = None if clip is None else clip.local(pose.name, pose.reader.skeleton, frames)
    return pose_under(pose.profile, pose.reader, to_root, needed, played, keeps_rigid=pose.is_live)


def _never_read() -> NDArray[np.float64]:
    raise LookupError("The armature was not read at this instant.")
