"""Measures what a preview costs the interface besides drawing: our handlers' work while Blender plays in a
window, and that an idle one is not redrawn.

    SKINSCOPE_BLENDER=... SKINSCOPE_USER_RESOURCES=... python benchmarks/interface_cost.py FILE [--profile]

FILE (.blend or .glb) contains one character; its longest bones are keyed. It is shown in a windowed Blender
(Xvfb), for which SKINSCOPE_USER_RESOURCES names a user folder with the extension installed. Blender itself
plays, and draws every frame. Frames with our handlers and without them take turns: a frame lasts until the next
one begins, with all that is drawn and evaluated in between, sidebar and all. Figures are measured every sixth
frame that has our handlers, as at 24 frames a second. Time is CPU time of Blender's main thread, so other work
on the machine counts little. Drawing meshes, bones in front and text, and reading vertices back from the GPU,
is left out of ours: without a GPU the CPU does it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.windowed.harness import WindowedBlender, virtual_screen, windowed_blender

LIMIT = 0.05
PAIRS = 60
WARM_UP = 8
"""Pairs that are left out, at the beginning."""
IDLE_SECONDS = 5

OPEN = """
for one in list(bpy.data.objects): bpy.data.objects.remove(one)
if FILE.endswith('.blend'): bpy.ops.wm.open_mainfile(filepath=FILE, load_ui=False)
else: bpy.ops.import_scene.gltf(filepath=FILE)
"""

SETUP = """
import cProfile, io, math, pstats, time
import gpu
from skinning_addon.drawing import labels, legend, off_screen, probe, skinned_drawing
from skinning_addon.viewport import draw_handlers, event_handlers
from skinning_addon.viewport.overlay import bones_in_front
from skinning_addon.viewport.session import current_session
scene, session = bpy.context.scene, current_session()
rig = next(one for one in bpy.data.objects if one.type == 'ARMATURE' and one.visible_get())
bones = sorted(rig.pose.bones, key=lambda one: -one.bone.length)[:12]
for frame, angle in ((1, -0.3), (20, 0.4), (40, -0.3)):
    for bone in bones:
        bone.rotation_mode = 'XYZ'
        bone.rotation_euler.x = angle
        bone.keyframe_insert('rotation_euler', frame=frame)
scene.frame_start, scene.frame_end, scene.sync_mode = 1, 40, 'NONE'
for one in bpy.context.view_layer.objects: one.select_set(one == rig)
bpy.context.view_layer.objects.active = rig
bpy.context.preferences.system.viewport_aa = 'OFF'
settings = scene.skinscope
with view3d() as area:
    area.spaces.active.show_region_ui = True
    area.spaces.active.shading.type = 'SOLID'
    bpy.ops.view3d.view_all()
    bpy.ops.skinscope.preview_start()
"""

SHOW_TAB = """
with view3d() as area:
    next(one for one in area.regions if one.type == 'UI').active_panel_category = 'Skinscope'
    area.tag_redraw()
"""

MEASURE = """
ours = dict(on=True, seconds=0.0, gpu=0.0, depth=0, draws=0)
profiler = cProfile.Profile(time.thread_time)

def timed(function, what):
    def call(*arguments, **keywords):
        if what == 'seconds' and not ours['on']: return None
        if what == 'seconds' and function.__name__ == '_draw_meshes': ours['draws'] += 1
        # Handlers within handlers count once.
        outermost = what == 'gpu' or not ours['depth']
        if what == 'seconds': ours['depth'] += 1
        if PROFILE and what == 'seconds' and outermost: profiler.enable()
        begun = time.thread_time()
        try: return function(*arguments, **keywords)
        finally:
            if outermost: ours[what] += time.thread_time() - begun
            if PROFILE and what == 'seconds' and outermost: profiler.disable()
            if what == 'seconds': ours['depth'] -= 1
    call._bpy_persistent = None
    return call

draw_handlers.remove_draw_handlers()
draw_handlers._draw_meshes = timed(draw_handlers._draw_meshes, 'seconds')
draw_handlers._draw_text = timed(draw_handlers._draw_text, 'seconds')
draw_handlers.add_draw_handlers()
event_handlers.remove_event_handlers()
event_handlers._HANDLERS = tuple((name, timed(one, 'seconds')) for name, one in event_handlers._HANDLERS)
event_handlers.add_event_handlers()
for owner, name in (
    (skinned_drawing.SkinnedDrawing, 'draw'), (labels.Labels, 'draw'), (legend.Legend, 'draw'),
    (bones_in_front, '_draw_view'), (bones_in_front.BonesInFront, '_show'), (off_screen.Picture, 'fill'),
    (probe.GpuSkinner, 'skin')):
    setattr(owner, name, timed(getattr(owner, name), 'gpu'))

playing = dict(frames=[], count=0, begun=None)

def begin_frame(*_):
    # A frame that Blender plays begins, and the one before it has ended.
    now = time.thread_time()
    if playing['begun'] is not None:
        whole = now - playing['begun']
        playing['frames'].append((ours['on'], whole, ours['seconds'] - ours['gpu'], ours['gpu'], ours['draws']))
    playing['count'] += 1
    turn, second = divmod(playing['count'], 2)
    # Which of a pair comes first takes turns, too.
    on = bool(second) == bool(turn % 2)
    ours.update(on=on, seconds=0.0, gpu=0.0, draws=0)
    for preview in session.previews:
        for live in preview.meshes_in_layers:
            live._measured._pace.due = 0.0 if on and turn % 6 == 0 else 1e9
    playing['begun'] = time.thread_time()

def play():
    ours['on'] = True
    playing.update(frames=[], count=0, begun=None)
    # Before our own handlers.
    bpy.app.handlers.frame_change_pre.insert(0, begin_frame)
    with view3d(): bpy.ops.screen.animation_play()

def stop():
    with view3d(): bpy.ops.screen.animation_cancel(restore_frame=False)
    bpy.app.handlers.frame_change_pre.remove(begin_frame)
    ours['on'] = True
    return playing['frames']
"""

IN_HANDLERS = """
text = io.StringIO()
pstats.Stats(profiler, stream=text).sort_stats('tottime').print_stats(40)
text.getvalue()
"""

KINDS = {
    "shaded, in place": "settings.display, settings.placement = 'SHADED', 'IN_PLACE'",
    "heat map, beside": "settings.display, settings.placement = 'DEVIATION', 'ASIDE'",
    "heat map under an engine, in place": (
        "settings.display, settings.placement = 'DEVIATION', 'IN_PLACE'; settings.profiles.profile = 'threejs'"
    ),
}


def measure(blender: WindowedBlender, *, with_profile: bool) -> bool:
    vertices = blender.run("sum(one.binding.mesh.vertex_count for one in session.previews if one.binding)")
    meshes = blender.run("len(session.previews)")
    print(f"{meshes} meshes, {vertices} vertices; {blender.run('gpu.platform.renderer_get()')}")
    passed = True
    for name, code in KINDS.items():
        blender.run(code)
        blender.screenshot(timeout=120)
        idle = idle_draws(blender)
        on, off = played_frames(blender)
        own, usual = mean(one.own for one in on), median(one.whole for one in off)
        paired = median(a.whole - a.drawing - b.whole for a, b in zip(on, off, strict=True))
        passed &= own <= LIMIT * usual and not idle
        print(
            f"  {name}: {1e3 * own:.2f} ms of handlers' work a frame, "
            f"{own / usual:.1%} of {1e3 * usual:.1f} ms without them (aim: at most {LIMIT:.0%}); "
            f"paired difference {1e3 * paired:+.2f} ms; {mean(one.draws for one in on):.2f} draws a frame; "
            f"{idle} draws in {IDLE_SECONDS} s idle"
        )
        if with_profile:
            print(blender.run(IN_HANDLERS))
            blender.run("profiler.clear()")
    return passed


class Frame(NamedTuple):
    """A frame that Blender played. whole, own, drawing: seconds of the main thread's CPU time, in all, of our
    handlers without drawing, and of our drawing. draws: how often our handlers were called for a view.
    """

    with_ours: bool
    whole: float
    own: float
    drawing: float
    draws: int


def played_frames(blender: WindowedBlender) -> tuple[list[Frame], list[Frame]]:
    """Have Blender play, and return the frames with our handlers and those without, PAIRS each."""
    blender.run("play()")
    blender.wait_until(f"len(playing['frames']) >= {2 * (WARM_UP + PAIRS) + 1}", timeout=300)
    frames = [Frame(*one) for one in blender.run("stop()")][1:]

    def alike(*, which: bool) -> list[Frame]:
        return [one for one in frames if one.with_ours is which][WARM_UP : WARM_UP + PAIRS]

    return alike(which=True), alike(which=False)


def idle_draws(blender: WindowedBlender) -> int:
    """Count our handlers' calls while nothing happens, once the picture has come to rest."""
    time.sleep(3)
    blender.run("ours['draws'] = 0")
    time.sleep(IDLE_SECONDS)
    return blender.run("ours['draws']")


def main() -> None:
    file, *options = sys.argv[1:]
    user_resources = Path(os.environ["SKINSCOPE_USER_RESOURCES"])
    with virtual_screen() as display, windowed_blender(display, user_resources) as blender:
        blender.run(f"FILE, PROFILE = {str(Path(file).resolve())!r}, {'--profile' in options}")
        blender.run(OPEN, timeout=300)
        blender.run(SETUP, timeout=300)
        blender.screenshot(timeout=120)
        blender.run(SHOW_TAB)
        blender.screenshot(timeout=120)
        blender.run(MEASURE)
        passed = measure(blender, with_profile="--profile" in options)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
