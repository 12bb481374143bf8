"""One instant of a scene, read once for all meshes, profiles and causes measured there.

A character may be one mesh or a hundred that follow one armature. What belongs to the armature, its pose above
all, and what an engine's hierarchy makes of that pose, is read and computed once however many meshes ask for
it; what belongs to a mesh is read once under however many profiles it is skinned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.profiled_reading import pose_under
from ..meshes.input_twins import InputTwins
from ..meshes.mesh_parts import MeshParts, moved_parts, read_mesh_parts
from .binding_signature import BindingSignature, binding_signature

Read = TypeVar("Read")


class Instant:
    """Data read from a depsgraph since its frame was set. Make a new one for the next frame, and after any
    change.

    depsgraph: evaluated at the instant. armatures: read at most once each.
    """

    def __init__(self, depsgraph: bpy.types.Depsgraph, twins: InputTwins | None = None) -> None:
        """twins: of meshes whose input is simulated, in a scene that is owned."""
        self.depsgraph = depsgraph
        self._twins = twins
        self.armatures = ArmatureReaders()
        self._known: dict[Hashable, object] = {}

    def once(self, key: Hashable, read: Callable[[], Read]) -> Read:
        """Return the value read under this key at this instant, reading it on first use."""
        if key not in self._known:
            self._known[key] = read()
        return cast("Read", self._known[key])

    def parts(self, mesh_object: bpy.types.Object) -> MeshParts:
        """Read a mesh object, see `read_mesh_parts`. May make and remove data-blocks: never call it while
        drawing.

        Raises:
            BindingError: the mesh is being edited, or has no vertices.
        """
        return self.once(
            ("parts", mesh_object.session_uid),
            lambda: read_mesh_parts(mesh_object, self.depsgraph, twins=self._twins),
        )

    def moved_parts(self, mesh_object: bpy.types.Object, parts: MeshParts) -> MeshParts:
        """Return what was read of a mesh at another instant as it is at this one: `parts` itself where nothing
        has changed.

        Makes data-blocks, as `parts` does.
        """
        key = ("moved", mesh_object.session_uid, parts)
        return self.once(
            key,
            lambda: moved_parts(mesh_object, parts, self.depsgraph, self._twins) or self.parts(mesh_object),
        )

    def signature(self, mesh_object: bpy.types.Object) -> BindingSignature:
        """Sum up what a binding would be read from, see `binding_signature`."""
        key = ("signature", mesh_object.session_uid)
        return self.once(key, lambda: binding_signature(mesh_object, self.depsgraph))

    def to_root(self, armature: bpy.types.Object, reader: ArmatureReader) -> NDArray[np.float64]:
        """Read to_root (B, 4, 4) of an armature's bones, see `ArmatureReader.read_to_root`. Not to be written
        to.

        armature: the object, evaluated or not.

        Raises:
            StaleBindingError: the armature has other bones than when it was bound.
        """
        evaluated = armature.evaluated_get(self.depsgraph)
        # Readers that share a skeleton have its bones in the same order.
        return self.once(
            ("to_root", armature.original.session_uid, reader.skeleton),
            lambda: reader.read_to_root(evaluated),
        )

    def to_root_under(
        self, profile: Profile, armature: bpy.types.Object, reader: ArmatureReader
    ) -> NDArray[np.float64]:
        """Return `to_root` as it comes out of the profile's hierarchy, (B, 4, 4). Not to be written to."""
        to_root = self.to_root(armature, reader)
        kept = reader.deforms.tobytes() if profile.exporter.deform_bones_only else None
        key = ("held", armature.original.session_uid, reader.skeleton, profile.hierarchy, kept)
        return self.once(key, lambda: pose_under(profile, reader, to_root))
