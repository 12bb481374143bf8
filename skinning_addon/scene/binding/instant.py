"""One instant of a scene, read once for all meshes, profiles and causes measured there.

A character may be one mesh or a hundred that follow one armature. The armature's data, above all its pose and
that pose in an engine's hierarchy, is read and computed once for all meshes; a mesh's data is read once for all
profiles that it is skinned under.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ..armatures.armature_reader import ArmatureReader, ArmatureReaders
from ..armatures.clip_in_file import ClipsInFiles
from ..armatures.profiled_reading import pose_under
from ..identification import identity
from ..meshes.input_twins import InputTwins
from ..meshes.mesh_contents import MeshContents, moved_contents, read_mesh_contents
from .binding_signature import BindingSignature, binding_signature
from .held_places import HeldPlaces, Holding

Read = TypeVar("Read")


class Instant:
    """Data read from a depsgraph at its current frame. Make a new one for the next frame or after any change.

    depsgraph: evaluated at the instant. armatures: read at most once each.
    """

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        twins: InputTwins | None = None,
        clips: ClipsInFiles | None = None,
        frame: float = 0.0,
        held: HeldPlaces | None = None,
    ) -> None:
        """twins: of meshes with simulated input, in a scene that we own. clips, frame: what plays in files with
        fewer keys, and when; files that are not among them are taken to have every frame's key. held: where
        files hold meshes that move; those that are not among them are taken to stay in place.
        """
        self.depsgraph = depsgraph
        self._clips: ClipsInFiles = clips or {}
        self._frame = frame
        self._held: HeldPlaces = held or {}
        self._twins = twins
        self.armatures = ArmatureReaders()
        self._known: dict[Hashable, object] = {}

    def once(self, key: Hashable, read: Callable[[], Read]) -> Read:
        """Return the value read under this key at this instant, reading it on first use."""
        if key not in self._known:
            self._known[key] = read()
        return cast("Read", self._known[key])

    def contents(self, mesh_object: bpy.types.Object) -> MeshContents:
        """Read a mesh object; see `read_mesh_contents`.

        May make and remove data-blocks: never call it while drawing.

        Raises:
            BindingError: the mesh is being edited, or has no vertices.
        """
        return self.once(
            ("contents", mesh_object.session_uid),
            lambda: read_mesh_contents(mesh_object, self.depsgraph, twins=self._twins),
        )

    def moved_contents(self, mesh_object: bpy.types.Object, contents: MeshContents) -> MeshContents:
        """Bring a mesh's contents from another instant to this one; returns `contents` itself if nothing has
        changed.

        May make and remove data-blocks, like the method `contents`.
        """
        key = ("moved", mesh_object.session_uid, contents)
        return self.once(
            key,
            lambda: (
                moved_contents(mesh_object, contents, self.depsgraph, self._twins)
                or self.contents(mesh_object)
            ),
        )

    def signature(self, mesh_object: bpy.types.Object) -> BindingSignature:
        """Summarize the sources of the mesh's binding; see `binding_signature`."""
        key = ("signature", mesh_object.session_uid)
        return self.once(key, lambda: binding_signature(mesh_object, self.depsgraph))

    def held_place(self, profile: Profile, mesh: str, armature: str) -> NDArray[np.float64] | None:
        """Return the mesh_to_root (4, 4) that the profile's file has at all frames; None if it is the current
        one. mesh, armature: identities.
        """
        return self._held.get((Holding.of(profile), mesh, armature))

    def moved_root(
        self, profile: Profile, armature: str, root_to_world: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return where the profile's file has the armature object, (4, 4), as seen from where it is in Blender;
        None if that is the same place. root_to_world: (4, 4) in Blender.
        """
        clip = self._clips.get(profile.thinned_by)
        if clip is None:
            return None
        return self.once(
            ("moved root", armature, profile.thinned_by),
            lambda: clip.moved_root(armature, self._frame, root_to_world),
        )

    def to_root(self, armature: bpy.types.Object, reader: ArmatureReader) -> NDArray[np.float64]:
        """Read to_root (B, 4, 4) of an armature's bones; see `ArmatureReader.read_to_root`. Don't modify it.

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
        self,
        profile: Profile,
        armature: bpy.types.Object,
        reader: ArmatureReader,
        *,
        deforming: bool = False,
    ) -> NDArray[np.float64]:
        """Return `to_root` in the profile's hierarchy, (B, 4, 4). Don't modify it.

        deforming: only that of bones that deform matters: a control rig has five times as many.
        """
        to_root = self.to_root(armature, reader)
        kept = reader.deforms.tobytes() if profile.exporter.deform_bones_only else None
        uid = armature.original.session_uid
        needed = reader.deforms if deforming else None
        needs = needed.tobytes() if needed is not None else None
        key = ("held", uid, reader.skeleton, profile.hierarchy, profile.thinned_by, kept, needs)
        clip = self._clips.get(profile.thinned_by)
        name = identity(cast("bpy.types.Object", armature.original))
        played = None if clip is None else clip.local(name, reader.skeleton, self._frame)
        return self.once(key, lambda: pose_under(profile, reader, to_root, needed, played))
