"""My Export Settings, as a user finds it: the advice of a finding is tried, and the check confirms it."""

from __future__ import annotations

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR
from tests.windowed.test_engine_profile import CHECK, CHECKED, SHEARED

ENGINE_PANELS = """
# Blender keeps no panels open or shut for scripts, so the others go.
left = [
    one for one in bpy.types.Panel.__subclasses__()
    if getattr(one, 'bl_category', '') == 'Skinscope' and 'PT_profile' not in one.__name__
    and 'PT_exporter' not in one.__name__ and one.is_registered
]
for one in left:
    bpy.utils.unregister_class(one)
exporter_panel = bpy.types.SKINSCOPE_PT_exporter
bpy.utils.unregister_class(exporter_panel)
exporter_panel.bl_options = set()
bpy.utils.register_class(exporter_panel)
with view3d() as area:
    next(one for one in area.regions if one.type == 'UI').active_panel_category = 'Skinscope'
    area.tag_redraw()
"""
WORST = "results.of(scene.session_uid, 'threejs').worst_mesh.worst.max"


def test_the_settings_of_a_finding_mend_the_export(shared_blender: WindowedBlender):
    bar = shared_blender
    bar.run(BENDING_BAR)
    bar.run(SHEARED)
    bar.run("profiles.second = 'NONE'; session.start(bar, bpy.context.evaluated_depsgraph_get())")
    bar.run(ENGINE_PANELS)
    with no_complaint(bar, ("traceback",)):
        bar.run(CHECK, timeout=120)
        bar.wait_until(CHECKED, timeout=120)
        before = bar.run(WORST)
        bar.run("finding('sheared-local-matrix')")
        bar.screenshot()
        bar.run("with view3d(): bpy.ops.skinscope.finding_export()")
        assert bar.run("profiles.exporter.use_own and profiles.exporter.export_hierarchy_flatten_bones")
        # What was found holds for the settings of then.
        bar.wait_until("session.checks.results.outdated")
        bar.screenshot()
        bar.run("results.clear()")
        bar.run(CHECK, timeout=120)
        bar.wait_until(CHECKED, timeout=120)
        bar.screenshot()
        left = bar.run(WORST)
        assert left < before / 10
        assert not bar.run("session.checks.results.outdated")
        # The exported file itself says the same.
        bar.run("exports = session.checks.exports; exports.clear()")
        bar.run("with view3d(): bpy.ops.skinscope.export_check('INVOKE_DEFAULT')", timeout=120)
        bar.wait_until("exports.of(scene.session_uid) is not None", timeout=180)
        bar.screenshot()
        assert abs(bar.run("exports.of(scene.session_uid).worst_mesh.worst.max") - left) < 1e-4
        bar.run("session.stop_all()")
