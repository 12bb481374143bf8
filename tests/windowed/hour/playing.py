"""Playing: clips in the mixer, a render, Blender's own animation, saving, loading, and the end."""

from __future__ import annotations

import time

from tests.installed_package import EXTENSION
from tests.windowed.hour.artist import Artist
from tests.windowed.hour.steps import ENGINE, PLAYER, SHOWN, Step, adding_to, value, wait

STEPS: list[Step] = []
step = adding_to(STEPS)


@step
def unfold_animation(artist: Artist) -> None:
    artist.unfold("SKINSCOPE_PT_animation")
    artist.look()


@step
def list_the_clips(artist: Artist) -> None:
    artist.push("skinscope.clips_refresh")
    wait(artist, "clips() == ['Nod', 'Walk']")
    artist.look()


@step
def play_the_mixer(artist: Artist) -> None:
    artist.push("skinscope.mixer_play")
    # Both clips are baked first, some hundred poses of a rig of 800 bones.
    wait(artist, f"list(session.players) and {PLAYER}.controller.now > 0.3", 600)
    artist.look(settled=False)


@step
def fade_to_the_other(artist: Artist) -> None:
    artist.push("skinscope.mixer_fade")
    wait(artist, f"{PLAYER}.controller.weight(0)[0] < 1")
    artist.look(settled=False)


@step
def undo_while_it_plays(artist: Artist) -> None:
    artist.press("ctrl+z")
    time.sleep(0.5)
    artist.look(settled=False)
    playing = value(artist, "bool(list(session.players))")
    assert playing == (value(artist, "'skinscope.mixer_stop' in buttons()")), (
        "it plays on without its buttons"
    )


@step
def stop_the_mixer(artist: Artist) -> None:
    artist.push("skinscope.mixer_stop")
    wait(artist, "not list(session.players)")
    wait(artist, SHOWN)
    artist.look()


@step
def render_a_picture(artist: Artist) -> None:
    artist.press("F12")
    wait(artist, "bpy.data.images.get('Render Result') is not None")
    artist.look(settled=False)


@step
def close_the_picture(artist: Artist) -> None:
    artist.blender.run("name_things()")
    value(
        artist,
        "for one in list(bpy.context.window_manager.windows)[1:]:\n"
        "    with bpy.context.temp_override(window=one): bpy.ops.wm.window_close()",
    )
    artist.look()


@step
def play_blenders_own_animation(artist: Artist) -> None:
    before = value(artist, "scene.frame_current")
    artist.press("space")
    wait(artist, f"scene.frame_current not in ({before}, {before} + 1)")
    artist.look(settled=False)
    artist.press("space")
    wait(artist, "not bpy.context.window_manager.windows[0].screen.is_animation_playing")
    wait(artist, SHOWN)


@step
def save_the_file(artist: Artist) -> None:
    value(artist, "rig.location.x = 0.25\nbpy.ops.ed.undo_push(message='Move')")
    artist.press("ctrl+s")
    wait(artist, "not bpy.data.is_dirty")
    artist.look()


@step
def load_it_again(artist: Artist) -> None:
    value(artist, "bpy.ops.wm.revert_mainfile()")
    wait(artist, "abs(rig.location.x - 0.25) < 1e-6")
    artist.look()
    assert value(artist, "settings.profiles.profile") == ENGINE


@step
def preview_after_loading(artist: Artist) -> None:
    if not value(artist, "bool(session.previews)"):
        artist.press("shift+j")
    wait(artist, SHOWN)
    artist.look_for_verdict()


@step
def disable_the_extension(artist: Artist) -> None:
    value(artist, f"import addon_utils\naddon_utils.disable({EXTENSION!r})")
    artist.blender.screenshot(name=artist.step)
    assert not artist.blender.run("hasattr(bpy.types, 'SKINSCOPE_PT_preview')")
