"""A character that the scene shows only as instances of its collection, as linked characters often are."""

from __future__ import annotations

import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, text_of
from tests.windowed.view_pixels import ViewPixels, preview_mask, solid_mask

LINK_AND_INSTANCE = """\
from pathlib import Path
character = bpy.data.collections.new("Character")
for one in (bar, rig): character.objects.link(one)
path = str(Path(bpy.app.tempdir, "character.blend"))
bpy.data.libraries.write(path, {character})
bpy.data.batch_remove([bar, rig, character])
with bpy.data.libraries.load(path, link=True) as (_, into): into.collections = ["Character"]
empties = []
for x in (0.0, 1.5):
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", into.collections[0]
    empty.location.x, empty.empty_display_size = x, 0.01
    bpy.context.scene.collection.objects.link(empty)
    empties.append(empty)
# What Blender has not evaluated yet can't be selected.
bpy.context.view_layer.update()
select_only(empties[0])
with view3d():
    bpy.ops.skinscope.preview_start()
select_only(empties[1]); empties[1].select_set(False)
bpy.context.scene.frame_set(15)
"""


@pytest.fixture
def instances(blender: WindowedBlender) -> WindowedBlender:
    blender.run(BENDING_BAR)
    blender.run(LINK_AND_INSTANCE)
    return blender


def test_every_instance_is_covered_by_the_preview_and_hidden_with_its_empty(
    instances: WindowedBlender,
) -> None:
    view = ViewPixels.of(instances)
    both = view.cut(instances.screenshot())
    ours = preview_mask(both)
    assert ours.sum() > 10_000
    assert (solid_mask(both) & ~ours).sum() < 0.02 * ours.sum(), "Blender's own shows beside ours"
    assert instances.run("[one.error or one.paused for one in session.previews]") == [""]
    instances.wait_until("figures()['settled']")
    assert instances.run("figures()['relative']") < 1e-5

    instances.run("empties[1].hide_set(True)")
    one = preview_mask(view.cut(instances.screenshot()))
    assert one.sum() == pytest.approx(ours.sum() / 2, rel=0.05)
    instances.run("empties[1].hide_set(False); empties[1].location.z = -0.5")
    moved = preview_mask(view.cut(instances.screenshot()))
    assert moved.sum() == pytest.approx(ours.sum(), rel=0.05)
    assert (moved ^ ours).sum() > 2_000


def test_a_vertex_is_picked_on_the_instance_that_is_pointed_at(instances: WindowedBlender) -> None:
    instances.run("bpy.context.scene.frame_set(1)")
    instances.screenshot()
    picked = instances.run(
        "from bpy_extras.view3d_utils import location_3d_to_region_2d\n"
        "from skinning_addon.viewport.picking import pick\n"
        "layer = layer_key(bpy.context.scene, bpy.context.view_layer)\n"
        "picked = []\n"
        "with view3d() as area:\n"
        "    region = next(one for one in area.regions if one.type == 'WINDOW')\n"
        "    for x in (0.0, 1.5, 0.75):\n"
        "        place = location_3d_to_region_2d(region, region.data, (x + 0.04, -0.2, 1.6))\n"
        "        target = pick(session, bpy.context, layer, region, tuple(place))\n"
        "        seen = session.look_at(target, layer)\n"
        "        picked.append((target.instancer, list(seen.drawn)) if seen else None)\n"
        "(picked, [one.session_uid for one in empties])"
    )
    (first, second, between), uids = picked
    assert [first[0], second[0]] == uids
    for x, (_, drawn) in ((0.0, first), (1.5, second)):
        assert abs(drawn[0] - x - 0.04) < 0.06
        assert abs(drawn[2] - 1.6) < 0.15
    assert between is None, "there is nothing between the two"


HOST = """\
mesh = bpy.data.meshes.new("Host")
mesh.from_pydata(CORNERS, [], FACES)
host = bpy.data.objects.new("Host", mesh)
bpy.context.scene.collection.objects.link(host)
host.show_instancer_for_viewport = False
with view3d(): bpy.ops.skinscope.preview_start()
bpy.context.scene.frame_set(15)
"""

SQUARES = {
    "CORNERS": [(x + dx, 0, dz) for x in (0.0, 1.6) for dx, dz in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
    "FACES": [(0, 1, 2, 3), (4, 5, 6, 7)],
}
POINTS = {"CORNERS": [(0.0, 0, 0.0), (1.6, 0, 0.2)], "FACES": []}

PARTICLES = """\
host.modifiers.new("Particles", "PARTICLE_SYSTEM")
made = host.particle_systems[0].settings
made.count, made.emit_from, made.use_emit_random = 2, "VERT", False
made.frame_start, made.frame_end, made.lifetime, made.physics_type = 1, 1, 100, "NO"
made.render_type, made.instance_object, made.particle_size = "OBJECT", bar, 0.7
made.use_rotation_instance = True
for frame in range(1, 16): bpy.context.scene.frame_set(frame)
"""

INSTANCING = {
    "FACES": (SQUARES, "bar.parent = host; host.instance_type = 'FACES'"),
    "VERTS": (POINTS, "bar.parent = host; host.instance_type = 'VERTS'"),
    "PARTICLES": (
        POINTS,
        PARTICLES,
    ),
}


@pytest.mark.parametrize("kind", INSTANCING)
def test_what_faces_vertices_and_particles_show_is_what_the_preview_covers(
    blender: WindowedBlender, kind: str
) -> None:
    corners, make = INSTANCING[kind]
    blender.run(BENDING_BAR)
    blender.run("\n".join(f"{name} = {value!r}" for name, value in corners.items()))
    blender.run(HOST + make)
    view = ViewPixels.of(blender)
    ours = preview_mask(view.cut(blender.screenshot()))
    assert blender.run("[one.error or one.paused for one in session.previews]") == [""]
    blender.run("settings.show_previews = False")
    blenders = solid_mask(view.cut(blender.screenshot()))
    assert blenders.sum() > 10_000
    # Blender smooths edges, and sides that the light does not reach are hardly blue.
    assert (ours ^ blenders).sum() < 0.05 * blenders.sum()


def test_the_sidebar_goes_on_to_say_what_instances_show(instances: WindowedBlender) -> None:
    """Panels are drawn before the view, which looks for instances again after each change of the scene."""
    instances.run("with view3d() as area: area.spaces.active.show_region_ui = True")
    instances.screenshot()
    instances.run(text_of("hour/panel_record.py"))
    instances.run("sidebar().active_panel_category = 'Skinscope'\nsidebar().tag_redraw()")
    told = "said.get('SKINSCOPE_PT_preview', [])"
    shown = f'"Bar: same as Blender\'s" in {told}'
    instances.wait_until(shown)
    instances.run("with view3d(): bpy.ops.skinscope.profile_check()", timeout=120)
    instances.screenshot(timeout=60)
    assert instances.run(shown), instances.run(told)
    instances.run("for one in empties: one.hide_set(True)")
    instances.wait_until(f'any("is not shown in this 3D view" in one for one in {told})')
