"""A mesh bound to what deforms it: everything that skinning needs and that does not change from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import InvalidArrayError
from .mesh import SourceMesh
from .palette import Pass
from .skeleton import Skeleton


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

    mesh_object: name of the mesh object.
    mesh: the positions that go into the first pass.
    skeletons: by name of the armature object, for every armature that a pass names.
    passes: in the order in which they deform the mesh; empty where nothing deforms it.
    reasons: what Blender does to this mesh that the passes do not; empty where they reproduce it exactly.
    """

    mesh_object: str
    mesh: SourceMesh
    skeletons: Mapping[str, Skeleton]
    passes: tuple[Pass, ...]
    reasons: tuple[Reason, ...] = ()

    def __post_init__(self) -> None:
        for one in self.passes:
            if one.skin.vertex_count != self.mesh.vertex_count:
                raise InvalidArrayError(
                    f"'{one.armature}' has weights for {one.skin.vertex_count} vertices of '{self.mesh_object}', "
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
