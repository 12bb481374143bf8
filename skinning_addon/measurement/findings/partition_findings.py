"""Findings about faces that need more joints at once than a draw call may have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.groups.partition import Partition, large_triangles
from ...core.profiles.profile import Profile
from ...core.skinning.binding import Binding
from ...core.skinning.mesh import SourceMesh
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity

RULE = "face-exceeds-palette"

FIX = Message("Limit the influences in Blender (Weights > Limit Total) until no three neighbours need more.")


def findings_of_large_faces(mesh_object: str, mesh: SourceMesh, partition: Partition) -> Iterator[Finding]:
    """Report the faces of a mesh that are in no group of a partition. mesh_object: its name."""
    faces = partition.oversized
    if len(faces):
        yield Finding(
            rule=RULE,
            severity=Severity.INFO,
            object=mesh_object,
            message=Message(
                "{count:,} triangles of '{mesh}' need more than {limit} joints at once, so the processor skins them.",
                count=len(faces),
                mesh=mesh_object,
                limit=partition.limit,
            ),
            fix=FIX,
            vertices=tuple(np.unique(mesh.triangles[faces]).tolist()),
            count=len(faces),
        )


def findings_of_faces(binding: Binding, profile: Profile) -> Iterator[Finding]:
    """Report the faces of a mesh that an engine can't draw, however the mesh is split. Of a chain, each pass by itself."""
    limit = profile.palette.split_at
    if limit is None:
        return
    found = [large_triangles(one.skin, binding.mesh.triangles, limit) for one in binding.passes]
    faces = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *found]))
    if not len(faces):
        return
    yield Finding(
        rule=RULE,
        severity=Severity.WARNING,
        object=binding.mesh_object,
        message=Message(
            "{count:,} triangles of '{mesh}' need more than the {limit} joints at once that {profile} draws with; no split "
            "helps, and the processor has to skin them.",
            count=len(faces),
            mesh=binding.mesh_object,
            limit=limit,
            profile=profile.label,
        ),
        fix=FIX,
        vertices=tuple(np.unique(binding.mesh.triangles[faces]).tolist()),
        count=len(faces),
        # Skinned by the processor, they deform the same.
        deviation=0.0,
        profile=profile.id,
    )
