"""Findings about faces that need more joints at once than a draw call may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.groups.partition import Partition, large_triangles
from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...core.skinning.mesh import SourceMesh
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES

_RULE = RULES["face-exceeds-palette"]


def findings_of_large_faces(mesh_object: str, mesh: SourceMesh, partition: Partition) -> Iterator[Finding]:
    """Report the faces of a mesh that are in no group of a partition. mesh_object: its name."""
    faces = partition.oversized
    if len(faces):
        one = Message(
            "A triangle of '{mesh}' needs more than {limit} joints at once, so it is skinned on the CPU.",
            mesh=mesh_object,
            limit=partition.limit,
        )
        several = Message(
            "{count:,} triangles of '{mesh}' need more than {limit} joints at once, so they are skinned on "
            "the CPU.",
            count=len(faces),
            mesh=mesh_object,
            limit=partition.limit,
        )
        yield replace(
            _RULE.finding(mesh_object, one if len(faces) == 1 else several),
            severity=Severity.INFO,
            vertices=tuple(np.unique(mesh.triangles[faces]).tolist()),
            count=len(faces),
        )


def findings_of_faces(binding: Binding, profile: Profile) -> Iterator[Finding]:
    """Report the faces of a mesh that an engine can't draw, however the mesh is split. In a chain, each pass
    separately.
    """
    limit = profile.palette.split_at
    if limit is None:
        return
    found = [large_triangles(one.skin, binding.mesh.triangles, limit) for one in binding.passes]
    faces = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *found]))
    if not len(faces):
        return
    message = _RULE.told(count=len(faces), mesh=binding.mesh_object, limit=limit, profile=profile.label)
    yield replace(
        _RULE.finding(binding.mesh_object, message),
        vertices=tuple(np.unique(binding.mesh.triangles[faces]).tolist()),
        count=len(faces),
        # If skinned on the CPU, they deform the same.
        deviation=0.0,
        profile=profile.id,
    )
