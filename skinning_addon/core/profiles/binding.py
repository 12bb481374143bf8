"""A mesh bound to its armatures under a profile: all the skinning data that doesn't change between frames."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from ..skinning.mesh import SourceMesh
from ..skinning.passes import Blend, Pass
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

    mesh_object: identity of the mesh object (`core.text.identity`); armatures are identified the same way.
    mesh: the input positions of the first pass.
    skeletons: by identity of the armature object, for every armature that a pass names.
    passes: in the order in which they deform the mesh; empty if nothing deforms it.
    reasons: why the passes don't reproduce Blender's result; empty if they reproduce it exactly.
    read_from: compares equal as long as the sources of the binding, apart from the mesh itself, are unchanged;
        opaque to all but its reader. None if the binding can't become stale.
    profile: the engine whose weights these are. Code that poses the mesh takes the profile from here, so that
        pose and weights always follow the same engine's rules.
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
        """The armature objects of the passes, without repeats, in order."""
        return tuple(dict.fromkeys(one.armature for one in self.passes))

    @property
    def joint_count(self) -> int:
        """The total number of joints in all palettes, not counting joint 0 of each."""
        return sum(len(one.joints) - 1 for one in self.passes)


def with_blend(binding: Binding, blend: Blend) -> Binding:
    """Return the binding with another blend than the scene's; the skins stay the same.

    A `FrameReader` of the new binding makes the matching palettes. If the blend of any pass changes, the
    binding is no longer exact, and gets a reason that says so. Parts carried by a bone have one joint, so
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
