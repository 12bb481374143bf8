"""The legend keeps off a copy that is drawn beside the character."""

from __future__ import annotations

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import SETTLED, START

# The bar stands at the right, so that its copy is on the left, where the legend is otherwise.
COPY_ON_THE_LEFT = """\
settings.display, settings.placement, settings.axis = 'DEVIATION', 'ASIDE', 'VIEW'
settings.show_figures = True
scene = bpy.context.scene
scene.frame_set(20)
with view3d() as area:
    area.spaces.active.region_3d.view_location = (-0.68, 0, 1)
    area.spaces.active.region_3d.view_distance = 2.6
from skinning_addon.drawing.legend import Legend, legend_size
drawn = []
draw = Legend.draw
def noting(self, text, scale, lower_left, viewport, ui_scale=1.0):
    drawn.append((lower_left[0], lower_left[0] + legend_size(text, ui_scale)[0]))
    return draw(self, text, scale, lower_left, viewport, ui_scale)
Legend.draw = noting
def copy_in_pixels():
    from bpy_extras.view3d_utils import location_3d_to_region_2d
    from mathutils import Vector
    with view3d() as area:
        region, view = bpy.context.region, area.spaces.active.region_3d
        offset = Vector(session.places.of(region))
        copies = bar.evaluated_get(bpy.context.evaluated_depsgraph_get())
        seen = [location_3d_to_region_2d(region, view, copies.matrix_world @ one.co + offset)[0]
                for one in copies.data.vertices]
    return [min(seen), max(seen)]
"""


def test_the_legend_is_not_over_the_copy(own_bar: WindowedBlender):
    own_bar.run(COPY_ON_THE_LEFT + START)
    own_bar.wait_until(SETTLED)
    own_bar.screenshot()
    left, right = own_bar.run("drawn[-1]")
    copy = own_bar.run("copy_in_pixels()")
    assert copy[0] < 100, "the copy is where the legend is otherwise"
    assert left >= copy[1] or right <= copy[0]
