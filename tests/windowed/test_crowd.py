"""A crowd in a window: seen, played with the timeline, steered by real keys, saved and undone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import text_of
from tests.windowed.test_habits import press
from tests.windowed.view_pixels import ViewPixels

WALKER = (Path(__file__).parents[1] / "command_line" / "crowding" / "walker_file.py").read_text(
    encoding="utf-8"
)

SCENE = """\
for one in list(bpy.data.objects):
    bpy.data.objects.remove(one)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 240
scene.frame_set(1)
with view3d() as area:
    armature = add_walker()
    armature.animation_data.action = None
    bpy.data.objects["Body"].parent = armature
    # Where the character itself stands doesn't matter.
    armature.location = (60, 0, 0)
    space = area.spaces.active
    space.show_gizmo = space.show_region_toolbar = space.show_region_ui = False
    for name in ("floor", "ortho_grid", "axis_x", "axis_y", "cursor", "text", "object_origins", "outline_selected"):
        setattr(space.overlay, f"show_{name}", False)
    view = space.region_3d
    view.view_perspective = 'PERSP'
    view.view_rotation = (0.85, 0.53, 0.0, 0.0)
    view.view_location, view.view_distance = (0, 0, 0), 32
for one in bpy.context.view_layer.objects:
    one.select_set(one == armature)
bpy.context.view_layer.objects.active = armature
crowd, own = session.crowd, scene.skinscope.crowd
own.count, own.side, own.display = 60, 20.0, 'SHADED'
bpy.ops.ed.undo_push(message="Walkers")
None
"""

PLACES = "crowd.player.places.tolist()"

PIXEL_OF = """\
from mathutils import Vector
with view3d() as area:
    region = bpy.context.region
    middle = Vector((*crowd.player.places[{agent}][:2], 0.9))
    clip = area.spaces.active.region_3d.perspective_matrix @ middle.to_4d()
    x = region.x + (clip.x / clip.w + 1) / 2 * region.width
    y = region.y + (clip.y / clip.w + 1) / 2 * region.height
[round(x), bpy.context.window_manager.windows[0].height - 1 - round(y)]
"""


@pytest.fixture
def walkers(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """Sixty that walk about on a square of 20 m, seen from above at an angle; nothing may be printed to the
    console meanwhile.
    """
    blender = shared_blender
    blender.run("bpy.ops.wm.read_homefile()")
    blender.run(WALKER)
    blender.run(text_of("preview_figures.py"))
    blender.run(SCENE)
    blender.run("with view3d(): bpy.ops.skinscope.crowd_toggle()")
    blender.wait_until("crowd.player is not None or crowd.error")
    assert blender.run("crowd.error") == ""
    blender.run("bpy.ops.ed.undo_push(message='Crowd')")
    with no_complaint(blender):
        yield blender


def colored(blender: WindowedBlender, name: str) -> int:
    """Count the pixels of the preview's blue, in a picture of the view."""
    view = ViewPixels.of(blender).cut(blender.screenshot(name=name))
    return int(((view[..., 2] - view[..., 0]) > 12).sum())


def closest(places: list[list[float]]) -> float:
    at = np.array(places)[:, :2]
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    return float(apart[np.triu_indices(len(at), 1)].min())


def test_everybody_is_seen_and_nothing_is_added_to_the_scene(walkers):
    assert walkers.run("sorted(one.name for one in scene.objects)") == ["Body", "Walker"]
    assert colored(walkers, "crowd") > 3000
    walkers.run("own.is_on = False")
    walkers.wait_until("crowd.player is None")
    assert colored(walkers, "no_crowd") == 0


def test_it_plays_with_the_timeline_and_any_frame_comes_again(walkers):
    before = walkers.run(PLACES)
    press(walkers, "space")
    walkers.wait_until("scene.frame_current >= 100")
    press(walkers, "space")
    walkers.wait_until("not bpy.context.window_manager.windows[0].screen.is_animation_playing")
    walkers.run("scene.frame_set(120)")
    walkers.wait_until("not crowd.behind and crowd.player.crowd.state.step == 595")
    there = walkers.run(PLACES)
    walked = np.linalg.norm(np.array(there) - before, axis=1)
    assert (walked > 1).sum() > 5
    assert closest(there) >= 2 * walkers.run("float(crowd.player.radii.max())") - 0.001
    assert np.abs(there).max() <= 10
    walkers.run("scene.frame_set(1)")
    walkers.wait_until("crowd.player.crowd.state.step == 0")
    assert walkers.run(PLACES) == before
    walkers.run("scene.frame_set(120)")
    walkers.wait_until("crowd.player.crowd.state.step == 595")
    assert walkers.run(PLACES) == there


def test_the_gpu_poses_them_as_the_processor_does(walkers):
    walkers.run("scene.frame_set(120)")
    pictures = []
    for posing in ("EXACT", "SAMPLED"):
        walkers.run(f"own.posing = '{posing}'")
        walkers.wait_until(
            f"crowd.player is not None and crowd.player.choices.sampled == {posing == 'SAMPLED'}"
        )
        walkers.wait_until("crowd.player.crowd.state.step == 595")
        view = ViewPixels.of(walkers).cut(walkers.screenshot(name=posing.lower()))
        pictures.append((view[..., 2] - view[..., 0]) > 12)
    assert walkers.run("crowd.player.characters[0].sampling_deviation") <= 0.001
    assert np.count_nonzero(pictures[0] ^ pictures[1]) <= 0.01 * pictures[0].sum()


def test_variants_are_added_to_the_list_and_seen(walkers):
    """Half of them red, and undo takes the row away again."""
    walkers.run("with view3d(): bpy.ops.skinscope.crowd_variant_add()")
    walkers.run("own.variants[1].tint = (1, 0, 0)")
    walkers.wait_until("crowd.player is not None and len(crowd.player.variants) == 2")
    assert walkers.run("crowd.player.crowd.state.cast.kind.tolist().count(1)") == 30
    view = ViewPixels.of(walkers).cut(walkers.screenshot(name="variants")).astype(int)
    red, blue = ((view[..., one] - view[..., 2 - one]) > 12 for one in (0, 2))
    assert 0.6 < red.sum() / blue.sum() < 1.6
    walkers.run("own.variants[1].smallest = 0.5")
    walkers.wait_until("crowd.player is not None and float(crowd.player.heights.min()) < 1.2")
    walkers.run("with view3d(): bpy.ops.skinscope.crowd_variant_remove()")
    walkers.run("with view3d(): bpy.ops.skinscope.crowd_variant_remove()")
    walkers.wait_until("crowd.player is not None and len(crowd.player.variants) == 1 and not own.variants")
    assert walkers.run("float(crowd.player.heights.min())") > 1.7


def take_control(walkers: WindowedBlender, agent: int) -> None:
    walkers.run("with view3d(): bpy.ops.skinscope.crowd_control('INVOKE_DEFAULT')")
    x, y = walkers.run(PIXEL_OF.format(agent=agent))
    walkers.xdotool("mousemove", str(x - 2), str(y), "mousemove", str(x), str(y))
    time.sleep(0.3)
    walkers.xdotool("click", "1")
    walkers.wait_until("crowd.controlled is not None")


def test_keys_steer_an_agent_and_it_goes_on_by_itself(walkers):
    take_control(walkers, 7)
    assert walkers.run("crowd.controlled") == 7
    start = np.array(walkers.run(PLACES))[7]
    walkers.xdotool("keydown", "Up")
    walkers.wait_until(f"crowd.player.places[7][1] > {start[1]} + 1.0")
    walkers.xdotool("keydown", "Shift_L")
    walkers.wait_until("crowd.player.crowd.state.role[7] == 2")
    walkers.screenshot(settled=False, name="under_control")
    walkers.xdotool("keyup", "Shift_L", "keyup", "Up")
    assert closest(walkers.run(PLACES)) >= 2 * walkers.run("float(crowd.player.radii.max())") - 0.001
    walkers.xdotool("key", "Escape")
    walkers.wait_until("crowd.controlled is None")
    assert not walkers.run("bpy.context.window_manager.windows[0].screen.is_animation_playing")
    assert walkers.run("own.inputs")
    # Its way is recorded: at the frame where it ran it does so again.
    frame = walkers.run("scene.frame_current")
    there = walkers.run(PLACES)
    walkers.run("scene.frame_set(1)")
    walkers.wait_until("crowd.player.crowd.state.step == 0")
    walkers.run(f"scene.frame_set({frame})")
    walkers.wait_until(f"crowd.player.crowd.state.step == {(frame - 1) * 5}")
    assert walkers.run(PLACES) == there
    walkers.run("with view3d(): bpy.ops.ed.undo()")
    walkers.run("scene = bpy.context.scene; own = scene.skinscope.crowd; None")
    walkers.wait_until(
        "own.inputs == '' and crowd.player is not None and not crowd.player.crowd.recording.inputs[2:]"
    )


def test_undo_in_the_middle_of_steering_ends_it_and_the_crowd_goes_on(walkers):
    take_control(walkers, 7)
    walkers.xdotool("keydown", "Up")
    walkers.wait_until("crowd.player.crowd.state.role[7] == 1")
    walkers.run("with view3d(): bpy.ops.ed.undo()")
    walkers.run("scene = bpy.context.scene; own = scene.skinscope.crowd; None")
    walkers.wait_until("crowd.controlled is None")
    walkers.xdotool("keyup", "Up")
    walkers.wait_until("crowd.player is not None or not own.is_on")
    assert walkers.run("crowd.error") == ""


def test_a_saved_crowd_comes_back(walkers, tmp_path: Path):
    take_control(walkers, 7)
    walkers.xdotool("keydown", "Left")
    time.sleep(1.5)
    walkers.xdotool("keyup", "Left")
    walkers.xdotool("key", "Escape")
    walkers.wait_until("crowd.controlled is None")
    walkers.run("scene.frame_set(60)")
    walkers.wait_until("crowd.player.crowd.state.step == 295")
    there = walkers.run(PLACES)
    file = tmp_path / "crowd.blend"
    walkers.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(file)!r})")
    walkers.run("bpy.ops.wm.read_homefile()")
    walkers.wait_until("session.crowd.player is None")
    walkers.run(f"bpy.ops.wm.open_mainfile(filepath={str(file)!r})")
    walkers.run("crowd = session.crowd; scene = bpy.context.scene; None")
    walkers.wait_until("crowd.player is not None")
    walkers.wait_until("crowd.player.crowd.state.step == 295")
    assert walkers.run(PLACES) == there


def test_another_scene_has_its_own_and_the_first_comes_back(walkers):
    window = "bpy.context.window_manager.windows[0]"
    there = walkers.run(PLACES)
    walkers.run(f"other = bpy.data.scenes.new('Other'); {window}.scene = other")
    walkers.wait_until("crowd.player is None")
    walkers.run(f"{window}.scene = scene")
    walkers.wait_until("crowd.player is not None and crowd.is_of(scene)")
    assert walkers.run(PLACES) == there
