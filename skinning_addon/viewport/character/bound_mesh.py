"""A mesh bound for previewing: what every view layer shares of it until it is bound again."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...drawing.chain_cache import ChainCache
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.binding.binding_reader import read_binding
from ...scene.meshes.mesh_contents import MeshContents
from ...scene.objects.modifier_stack import armature_objects


@dataclass(frozen=True, eq=False)
class BoundMesh:
    """A binding as it was read.

    armatures: as read for it. cache: what is costly to compute from its passes.
    """

    binding: Binding
    armatures: ArmatureReaders
    cache: ChainCache


def bind_mesh(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, contents: MeshContents, profile: Profile
) -> BoundMesh:
    """Bind a mesh, and compute what drawing would take long for. contents: of the mesh, as it is now.

    Raises:
        BindingError: nothing deforms the mesh, it is being edited, and so on; see `read_binding`.
    """
    armatures = ArmatureReaders()
    binding = read_binding(mesh_object, depsgraph, contents, profile, armatures)
    cache = ChainCache(binding.passes)
    # Here, not while drawing: on a large mesh it takes longer than everything else.
    cache.gradient(binding.mesh)
    return BoundMesh(binding, armatures, cache)


def data_blocks(mesh_object: bpy.types.Object) -> frozenset[int]:
    """Collect the session_uids of all data-blocks an object's binding is read from."""
    armatures = armature_objects(mesh_object)
    blocks = (mesh_object, mesh_object.data, *armatures, *(armature.data for armature in armatures))
    return frozenset(block.session_uid for block in blocks)
