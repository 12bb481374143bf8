"""A mesh bound to what deforms it, under a profile: everything that skinning needs and that does not change
from frame to frame.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from ..skinning.mesh import SourceMesh
from ..skinning.palette import Blend, Pass
from ..skinning.skeleton import Skeleton
from ..text.errors import InvalidArrayError
from ..text.message import Message
from .profile import BLENDER, Profile


@dataclass(frozen=True)
class Reason:
    """Why a result can't equal Blender's.

    rule: stable identifier, such as 'preserve-volume'; message: one sentence that names the object.
    """

    rule: str
    message: str


@dataclass(frozen=True, eq=False)
class Binding:
    """A mesh object and the passes that deform it.

    mesh_object: identity of the mesh object (`core.text.identity`); armatures are named so too.
    mesh: the positions that go into the first pass.
    skeletons: by identity of the armature object, for every armature that a pass names.
    passes: in the order in which they deform the mesh; empty where nothing deforms it.
    reasons: what Blender does to this mesh that the passes do not; empty where they reproduce it exactly.
    read_from: equal as long as nothing that the binding was read from has changed, except for the mesh itself;
        whoever read it knows what it means. None where it can't become stale.
    profile: the engine whose weights these are. Whoever poses the mesh takes the profile from here, so that a
        pose is never held by another engine's rules than the weights.
    """

    mesh_object: str
    mesh: SourceMesh
    skeletons: Mapping[str, Skeleton]
    passes: tuple[Pass, ...]
    reasons: tuple[Reason, ...] = ()
    read_from: Hashable = None
    profile: Profile = BLENDER

    def __post_init__(self) -> None:
        for one in self.passes:
            if one.skin.vertex_count != self.mesh.vertex_count:
                raise InvalidArrayError(
                    f"'{one.armature}' has weights for {one.skin.vertex_count} vertices of "
                    f"'{self.mesh_object}', "
                    f"which has {self.mesh.vertex_count}."
                )

    @property
    def exact(self) -> bool:
        """Whether the passes reproduce Blender's own deformation."""
        return not self.reasons

    @property
    def armatures(self) -> tuple[str, ...]:
        """The armature objects of the passes, each once, in order."""
        return tuple(dict.fromkeys(one.armature for one in self.passes))

    @property
    def joint_count(self) -> int:
        """Joints in all palettes together, each palette's joint 0 left out."""
        return sum(len(one.joints) - 1 for one in self.passes)


def with_blend(binding: Binding, blend: Blend) -> Binding:
    """Return the binding of an engine that blends otherwise than the scene does; the skins stay what they are.

    A `FrameReader` of the new binding makes the palettes that go with it. Where any pass blended otherwise
    before, the binding is not exact any more, and says so. Parts that a bone carries along have one joint:
    nothing is blended there.
    """
    blended = [one for one in binding.passes if one.rest_mesh_to_root is None]
    if all(one.blend is blend for one in blended):
        return binding
    passes = tuple(replace(one, blend=blend) if one in blended else one for one in binding.passes)
    reason = Reason("other-blend", _other_blend(binding.mesh_object, blend))
    return replace(binding, passes=passes, reasons=(*binding.reasons, reason))


def _other_blend(mesh_object: str, blend: Blend) -> Message:
    if blend is Blend.LINEAR:
        return Message(
            "'{mesh}' is blended linearly here, but with Preserve Volume in Blender.", mesh=mesh_object
        )
    if blend is Blend.VOLUME:
        return Message(
            "'{mesh}' is blended with Preserve Volume here, but linearly in Blender.", mesh=mesh_object
        )
    return Message(
        "'{mesh}' is blended with dual quaternions here, which Blender's Armature modifier does not use.",
        mesh=mesh_object,
    )
