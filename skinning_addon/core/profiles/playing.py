"""What of a profile decides how a file's animation plays, whatever skin it moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import Skeleton
from .hierarchy import HierarchyRule, parents_among
from .profile import Exporter, Group, Importer, Lost, Profile


def what_plays(profile: Profile) -> Profile | None:
    """Return the profile of a file whose animation plays as this one's does; None if it goes through no file.

    Two profiles play alike if these are equal. What an engine alone does with its bones is left to it.
    """
    if profile.export_options is None:
        return None
    return Profile(
        id="",
        label="",
        group=Group.ENGINE,
        version="",
        sources=(),
        exporter=Exporter(profile.exporter.format, deform_bones_only=profile.exporter.deform_bones_only),
        importer=Importer(
            samples_per_second=profile.importer.samples_per_second, sampling=profile.importer.sampling
        ),
        hierarchy=profile.hierarchy.in_file,
        lost=Lost(non_deform_bones=profile.lost.non_deform_bones),
        exported_with=profile.export_options,
    )


def parents_in_file(
    profile: Profile, parents: NDArray[np.int32], deforms: NDArray[np.bool_]
) -> NDArray[np.int32] | None:
    """Return each bone's parent (B,) in a file that lacks some bones, -1 for none; None if it lacks none.

    parents: (B,) in Blender. deforms: (B,) the bones that are in the file.
    """
    hierarchy = profile.hierarchy
    leaves_out = hierarchy is not HierarchyRule.MATRICES and not hierarchy.keeps_ancestors
    if profile.exporter.deform_bones_only and leaves_out:
        return parents_among(parents, deforms)
    return None


def skeleton_in_file(profile: Profile, skeleton: Skeleton, deforms: NDArray[np.bool_]) -> Skeleton:
    """Return a skeleton (B bones) whose bones have the parents that they have in the file. deforms: (B,)."""
    if profile.hierarchy is HierarchyRule.FLATTENED:
        return replace(skeleton, parents=np.full_like(skeleton.parents, -1))
    parents = parents_in_file(profile, skeleton.parents, deforms)
    return skeleton if parents is None else replace(skeleton, parents=parents)
