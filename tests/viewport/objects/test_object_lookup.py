from __future__ import annotations

import bpy

from skinning_addon.viewport.objects.object_lookup import ObjectLookup


def test_an_object_is_found_after_it_was_renamed_and_others_came_and_went():
    lookup = ObjectLookup()
    one = bpy.data.objects.new("one", None)
    uid = one.session_uid
    assert lookup.find(uid) == one
    bpy.data.objects.new("an object before it", None)
    assert lookup.find(uid) == one
    one.name = "another name"
    assert lookup.find(uid) == one


def test_an_object_that_is_gone_is_not_found():
    lookup = ObjectLookup()
    one = bpy.data.objects.new("one", None)
    uid = one.session_uid
    assert lookup.find(uid) == one
    bpy.data.objects.remove(one)
    assert lookup.find(uid) is None
    # Whatever takes its place.
    bpy.data.objects.new("one", None)
    assert lookup.find(uid) is None


def test_an_object_is_found_after_undo():
    lookup = ObjectLookup()
    bpy.ops.ed.undo_push(message="before")
    one = bpy.data.objects.new("one", None)
    bpy.context.scene.collection.objects.link(one)
    uid = one.session_uid
    assert lookup.find(uid) == one
    bpy.ops.ed.undo_push(message="made")
    bpy.data.objects["one"].location.x = 1
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    found = lookup.find(uid)
    assert found is not None
    assert found.name == "one"
