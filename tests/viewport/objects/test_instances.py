"""Where previewed meshes are instanced is looked up again after edits; whether nodes use them only then."""

from __future__ import annotations

import bpy

from skinning_addon.viewport.objects.instances import Instances
from tests.scene.objects.test_instanced_meshes import by_nodes, by_object_info, in_collection
from tests.scene.random_rig import RigOptions, random_rig

LAYER = (1, "ViewLayer")


def test_nodes_that_begin_to_use_a_mesh_are_noticed_after_an_edit() -> None:
    mesh = bpy.data.meshes.new("Character")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    character = bpy.data.objects.new("Character", mesh)
    bpy.context.scene.collection.objects.link(character)
    instances = Instances()

    def found() -> int:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        instances.follow(LAYER, depsgraph, [character.session_uid])
        return len(instances.of(character.session_uid, LAYER))

    assert found() == 0
    by_object_info(character)
    # What plays changes no nodes; an edit may.
    instances.mark(edited=False)
    assert found() == 0
    instances.mark()
    assert found() == 1


def test_what_blender_reports_of_an_edit_tells_whether_nodes_may_use_a_mesh(session) -> None:
    rig = random_rig(RigOptions())
    inner = in_collection(rig.mesh)
    inner.children[0].objects.unlink(rig.mesh)
    by_nodes("CollectionInfo", "Collection", inner)
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())

    def found() -> int:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        session.instances.follow(LAYER, depsgraph, [rig.mesh.session_uid])
        return len(session.instances.of(rig.mesh.session_uid, LAYER))

    assert found() == 0
    rig.mesh.select_set(True)
    assert found() == 0
    inner.children[0].objects.link(rig.mesh)
    assert found() == 1
    inner.children[0].objects.unlink(rig.mesh)
    assert found() == 0
