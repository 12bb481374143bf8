"""Which types of objects a picture of bones leaves out: all that the file has, wherever they are."""

from __future__ import annotations

import bpy

from skinning_addon.viewport.objects.in_front import InFront


def test_types_are_those_of_all_objects_also_without_a_view_layer():
    in_front = InFront()
    bpy.data.objects.new("Nowhere", bpy.data.lights.new("Nowhere", "SUN"))
    assert in_front.types_there() == {one.type for one in bpy.data.objects}
    assert "LIGHT" in in_front.types_there()
    # Nobody tells: scripts that run at a frame may add objects.
    bpy.data.objects.new("Words", bpy.data.curves.new("Words", "FONT"))
    assert "FONT" in in_front.types_there()
    curve = bpy.data.objects.new("Curve", bpy.data.curves.new("Curve", "CURVE"))
    bpy.data.objects.remove(bpy.data.objects["Words"])
    in_front.mark()
    assert in_front.types_there() == {one.type for one in bpy.data.objects}
    assert curve.type in in_front.types_there()
