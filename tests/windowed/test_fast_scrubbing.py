"""Fast Scrubbing as a person drags in the timeline, and what undo steps, files and renders have of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.test_cached_playback import AFRESH, ASIDE, HERE, MARKED, ON, widened
from tests.windowed.view_pixels import ViewPixels, solid_mask

DRAG = """\
area_2 = next(one for one in bpy.context.window_manager.windows[0].screen.areas if one.type == 'DOPESHEET_EDITOR')
region_2 = next(one for one in area_2.regions if one.type == 'WINDOW')
with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area_2, region=region_2):
    bpy.ops.action.view_all()
x_of = lambda frame: region_2.x + region_2.view2d.view_to_region(frame, 0, clip=False)[0]
bpy.context.window_manager.windows[0].height - region_2.y - region_2.height
"""
NEVER_RESTS = "from skinning_addon.viewport.cached import scrub; scrub.LOOKS_OF_REST = 10**6"


class Drag:
    """A drag in the timeline, through frames that are all known."""

    def __init__(self, blender: WindowedBlender) -> None:
        self.blender = blender
        blender.run(ON + "settings.cached_scrubbing = True")
        blender.run(NEVER_RESTS)
        blender.wait_until("cached.cache.groups")
        blender.run("[scene.frame_set(one) for one in range(1, 21)]")
        self._y = blender.run(DRAG) + 12
        blender.screenshot(name="before_drag")
        self._point(6)
        blender.run("None")
        blender.xdotool("mousedown", "1")
        blender.wait_until("bpy.context.window_manager.windows[0].screen.is_scrubbing")
        self.to(7, 8, 9, 10)

    def _point(self, frame: int) -> None:
        self.blender.xdotool("mousemove", str(self.blender.run(f"x_of({frame})")), str(self._y))

    def to(self, *frames: int) -> None:
        """Drag to some frames."""
        for frame in frames:
            self._point(frame)
            self.blender.wait_until(f"scene.frame_current == {frame}", timeout=10)

    def release(self) -> None:
        """Release the button, which ends it."""
        self.blender.xdotool("mouseup", "1")
        self.blender.wait_until("not bpy.context.window_manager.windows[0].screen.is_scrubbing")


@pytest.fixture
def drag(own_bar: WindowedBlender) -> Iterator[Drag]:
    own_bar.run("camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))")
    own_bar.run("bpy.context.scene.collection.objects.link(camera); bpy.context.scene.camera = camera")
    drag = Drag(own_bar)
    try:
        own_bar.wait_until(ASIDE)
        yield drag
    finally:
        # Tests share a screen.
        own_bar.xdotool("mouseup", "1")


def test_a_drag_in_the_timeline_is_shown_from_memory(own_bar, drag):
    drag.to(12, 15)
    memory = ViewPixels.of(own_bar).cut(own_bar.screenshot(name="dragged", settled=False))
    assert solid_mask(memory).sum() > 3000
    drag.release()
    # Blender's own operator keeps an undo step at its end: they are back before, not once a timer has looked.
    assert own_bar.run(HERE)
    assert own_bar.run("scene.frame_current") == 15
    blenders = ViewPixels.of(own_bar).cut(own_bar.screenshot(name="released"))
    ours, theirs = solid_mask(memory), solid_mask(blenders)
    assert not np.any(ours & ~widened(theirs))
    assert not np.any(theirs & ~widened(ours))
    own_bar.run("bpy.ops.ed.undo_push(message='After')")
    own_bar.run("from skinning_addon.viewport.cached import cached_playback as module")
    own_bar.run("healed = []; heal = module.heal; module.heal = lambda: healed.append(heal())")
    own_bar.run("with view3d(): bpy.ops.ed.undo()")
    own_bar.run(AFRESH)
    # The step that the drag has left had nothing aside.
    assert own_bar.run("healed") == [0]


def test_a_drag_that_rests_has_its_bones_back(own_bar, drag):
    own_bar.run("scrub.LOOKS_OF_REST = 5; cached._scrub._looks = 0")
    own_bar.wait_until(HERE)
    own_bar.run(NEVER_RESTS)
    assert own_bar.run("bpy.context.window_manager.windows[0].screen.is_scrubbing")
    drag.to(9, 8, 7)
    own_bar.wait_until(ASIDE)
    drag.release()
    assert own_bar.run(HERE)
    assert own_bar.run("len(cached.cache.known_frames())") == 20


@pytest.mark.parametrize("key", ["Escape", "ctrl+z"])
def test_a_press_in_a_drag_brings_them_back(own_bar, drag, key):
    own_bar.xdotool("key", key)
    own_bar.run(AFRESH)
    own_bar.wait_until("not cached.aside")
    own_bar.run(AFRESH)
    assert own_bar.run(HERE)
    assert own_bar.run(MARKED) is False
    drag.release()
    assert own_bar.run(MARKED) is False


@pytest.mark.parametrize("end", ["save", "render", "disable", "load"])
def test_what_needs_the_users_data_in_a_drag_finds_it(own_bar, drag, end, tmp_path: Path):
    path = str(tmp_path / "dragged.blend")
    if end == "save":
        own_bar.run(f"bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)")
        own_bar.run(f"with bpy.data.libraries.load({path!r}) as (there, here): here.objects = there.objects")
        assert own_bar.run("sorted(one.name for one in here.objects)") == [
            "Bar Rig.001",
            "Bar.001",
            "Camera.001",
        ]
        assert own_bar.run("not any(one.hide_viewport or 'skinscope_aside' in one for one in here.objects)")
    elif end == "render":
        own_bar.run("scene.render.engine = 'BLENDER_WORKBENCH'; scene.render.resolution_percentage = 5")
        own_bar.run(
            "seen = []\n"
            "def see(*_): seen.append([one.name for one in bpy.data.objects if one.hide_viewport])\n"
            "bpy.app.handlers.render_pre.append(see)\n"
            "_ = bpy.ops.render.render()"
        )
        assert own_bar.run("seen") == [[]]
    elif end == "load":
        own_bar.run("bpy.ops.wm.read_homefile(load_ui=False)")
    else:
        own_bar.run(
            "import addon_utils\n"
            "name = next(one for one in bpy.context.preferences.addons.keys() if 'skinscope' in one)\n"
            "addon_utils.disable(name)"
        )
    # The drag goes on, and may have them step aside again.
    drag.release()
    assert own_bar.run("any(one.hide_viewport for one in bpy.data.objects)") is False
    assert own_bar.run(MARKED) is False
