"""Runs inside Blender alongside soak_actions.py: what a user does with Skinscope meanwhile, and what must not
happen.
"""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

EXTENSION = "bl_ext.user_default.skinscope"

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.

_drawn = 0


def session() -> Any:
    from skinning_addon.viewport.session import current_session

    return current_session()


def is_enabled() -> bool:
    return EXTENSION in bpy.context.preferences.addons


def runs_a_tool() -> bool:
    """Tell whether a window still holds one of our modal tools.

    When a tool's class is unregistered, Blender keeps an empty handler until that window's next event, and
    crashes if another tool is started before then. No user can do that, but a script can, especially when a
    second window takes the mouse's events.
    """
    windows = bpy.context.window_manager.windows
    return any(
        one.bl_idname.startswith("SKINSCOPE_OT") for window in windows for one in window.modal_operators
    )


def act_on_previews(seed: int) -> str:
    """Start, stop, change, compare, inspect or mix previews, or toggle the extension; return a line describing
    it.
    """
    global _drawn  # noqa: PLW0603 - lives as long as Blender does
    is_drawn = is_enabled() and any(preview._meshes_in_layers for preview in session().previews)
    _drawn += is_drawn
    chance = random.Random(f"previews {seed}")  # noqa: S311 - no secrets
    if not is_enabled():
        bpy.ops.preferences.addon_enable(module=EXTENSION)
        return "enable"
    what = chance.random()
    if what < 0.03:
        if runs_a_tool():
            session().inspection.end()
            return "end the tool before disabling"
        bpy.ops.preferences.addon_disable(module=EXTENSION)
        return "disable"
    if not is_drawn or what < 0.15:
        return start_all(chance)
    action = chance.choices([one for one, _ in OURS], [weight for _, weight in OURS])[0]
    try:
        return f"{action.__name__} {action(chance)}"
    except (LookupError, RuntimeError) as refusal:
        # A poll message, or an error reported by an operator. Errors inside Skinscope show up here as
        # tracebacks.
        if "Traceback" in str(refusal):
            raise
        return f"{action.__name__}: {refusal}"


def stop_all(_chance: random.Random) -> str:
    with view3d():
        bpy.ops.skinscope.preview_stop()
    return ""


def start_all(chance: random.Random) -> str:
    """Preview some of the visible meshes, as the operator does, without changing the selection."""
    from skinning_addon.core.text.errors import SkinscopeError

    bpy.context.scene.skinscope.show_previews = True
    refused = []
    with view3d():
        depsgraph = bpy.context.evaluated_depsgraph_get()
        meshes = [one for one in bpy.context.view_layer.objects if one.type == "MESH" and one.visible_get()]
        for one in meshes:
            if chance.random() < 0.8:
                try:
                    session().start(one, depsgraph)
                except SkinscopeError as refusal:
                    refused.append(str(refusal))
    return " ".join([f"start {len(meshes)}", *refused])


def change_setting(chance: random.Random) -> str:
    """Set one of the scene's settings to a random value of its type."""
    return change_one(bpy.context.scene.skinscope, chance)


def change_one(settings: Any, chance: random.Random) -> str:
    properties = [
        prop
        for prop in settings.bl_rna.properties
        if prop.type in {"BOOLEAN", "ENUM", "FLOAT", "INT"}
        and not (prop.is_readonly or getattr(prop, "is_array", False))
    ]
    prop = chance.choice(properties)
    if prop.type == "BOOLEAN":
        value: Any = chance.random() < 0.5
    elif prop.type == "ENUM":
        value = chance.choice([one.identifier for one in prop.enum_items])
    elif prop.type == "INT":
        value = chance.randint(prop.soft_min, min(prop.soft_max, prop.soft_min + 64))
    else:
        value = chance.uniform(prop.soft_min, min(prop.soft_max, 3.0))
    setattr(settings, prop.identifier, value)
    return f"{prop.identifier} = {value}"


def choose_display(chance: random.Random) -> str:
    settings = bpy.context.scene.skinscope
    names = [one.identifier for one in settings.bl_rna.properties["display"].enum_items]
    settings.display = chance.choice(names)
    return settings.display


def compare(chance: random.Random) -> str:
    """Compare in place, aside or split, with Blender's own mesh shown, ghosted or hidden; sometimes move the
    line too.
    """
    settings = bpy.context.scene.skinscope
    settings.placement = chance.choice(("IN_PLACE", "ASIDE", "SPLIT", "SPLIT"))
    settings.blender_mesh = chance.choice(("SHOWN", "GHOST", "HIDDEN"))
    settings.split = chance.random()
    return f"{settings.placement} {settings.blender_mesh}"


def flicker(_chance: random.Random) -> str:
    with view3d():
        bpy.ops.skinscope.flicker()
    return str(session().swapped)


def step_through(chance: random.Random) -> str:
    spaces = bpy.context.scene.skinscope.spaces
    spaces.shown = chance.random() < 0.7
    spaces.step, spaces.spread = chance.choice((0.0, 1.0, 2.0, 3.0, chance.uniform(0, 3))), chance.random()
    return f"{spaces.shown} {spaces.step:.2f}"


def inspect(chance: random.Random) -> str:
    """Start or end the tool, or pin or unpin what is somewhere in the view. The mouse itself is moved from
    outside.
    """
    from skinning_addon.viewport.layers import layer_key
    from skinning_addon.viewport.picking import pick

    inspection = session().inspection
    what = chance.random()
    with view3d() as area:
        if what < 0.4:
            bpy.ops.skinscope.inspect("INVOKE_DEFAULT")
            return str(inspection.active)
        if what < 0.5:
            bpy.ops.skinscope.inspect_clear()
            return "clear"
        layer = layer_key(bpy.context.scene, bpy.context.view_layer)
        region = next(one for one in area.regions if one.type == "WINDOW")
        for _ in range(20):
            place = chance.uniform(0.3, 0.7) * region.width, chance.uniform(0.3, 0.7) * region.height
            inspection.pinned = pick(session(), bpy.context, layer, region, place) or inspection.pinned
        return f"pinned {inspection.pinned}"


def mix(chance: random.Random) -> str:
    """List the active object's clips, play or pause, fade, set the mixer, stop."""
    step = chance.choice(("clips_refresh", "play", "play", "play", "mixer_fade", "mixer_stop", "set"))
    with view3d():
        if step == "set":
            armatures = [one for one in bpy.context.view_layer.objects if one.type == "ARMATURE"]
            if not armatures:
                return "no armature"
            mixer = armatures[0].skinscope_animation
            mixer.speed, mixer.transition = chance.uniform(-2, 2), chance.uniform(0, 1)
        elif step == "play":
            bpy.ops.skinscope.clips_refresh()
            bpy.ops.skinscope.mixer_play()
        else:
            getattr(bpy.ops.skinscope, step)()
    return f"{step}, {sum(player.playing for player in session().players)} play"


def change_technique(chance: random.Random) -> str:
    return change_one(bpy.context.scene.skinscope.technique, chance)


def change_profile(chance: random.Random) -> str:
    return change_one(bpy.context.scene.skinscope.profiles, chance)


def nothing(_chance: random.Random) -> str:
    return ""


OURS: tuple[tuple[Any, int], ...] = (
    (change_setting, 14),
    (choose_display, 14),
    (compare, 14),
    (flicker, 5),
    (step_through, 10),
    (stop_all, 4),
    (inspect, 12),
    (mix, 14),
    (change_technique, 4),
    (change_profile, 4),
    (nothing, 12),
)
"""Actions with their relative frequencies."""


def unexpected_errors() -> list[str]:
    """List errors inside Skinscope, excluding its deliberate refusals."""
    if not is_enabled():
        return []
    own = [session().error] if session().error else []
    errors = [one.error for one in (*session().previews, *session().players)]
    return own + [one for one in errors if "internal error" in one]


def drawn() -> int:
    """Count the steps that began with a preview already drawn."""
    return _drawn


def what_is_on() -> list[str]:
    """List what `have_everything_on` started that is still running."""
    now = session()
    states = {
        "inspecting": now.inspection.active,
        "mixing": bpy.app.timers.is_registered(now.players._timer),
        "swapped": now.swapped,
        "hiding": bool(still_hidden()),
        "drawn": any(preview.meshes_in_layers for preview in now.previews),
    }
    return [name for name, is_on in states.items() if is_on]


def disable() -> list[str]:
    """Disable the extension; list its timers and draw handlers that remain."""
    from skinning_addon.viewport import draw_handlers

    timers = {name: one._timer for name, one in vars(session()).items() if hasattr(one, "_timer")}
    bpy.ops.preferences.addon_disable(module=EXTENSION)
    left = [f"timer {name}" for name, timer in timers.items() if bpy.app.timers.is_registered(timer)]
    return left + [f"draw handler {handle}" for handle in draw_handlers._handles]


def what_is_left() -> list[str]:
    """List the disabled extension's remaining event handlers, tools and GPU objects, and the objects still
    hidden.
    """
    left = still_hidden()
    left += [
        f"tool {tool.bl_idname}"
        for window in bpy.context.window_manager.windows
        for tool in window.modal_operators
        if tool.bl_idname.startswith("SKINSCOPE")
    ]
    for name in dir(bpy.app.handlers):
        handlers = getattr(bpy.app.handlers, name)
        if isinstance(handlers, list):
            left += [f"{name} {one}" for one in handlers if "skinscope" in getattr(one, "__module__", "")]
    gc.collect()
    for one in gc.get_objects():
        module = type(one).__module__
        if (
            ".skinscope.skinning_addon.drawing." in module
            and hasattr(one, "free")
            and not isinstance(one, type)
        ):
            left.append(f"{module}.{type(one).__name__}")
    return left


def have_everything_on() -> None:
    """Play, inspect, and compare with Blender's mesh hidden and swapped."""
    start_all(random.Random("everything"))  # noqa: S311 - no secrets
    bpy.context.scene.skinscope.placement, bpy.context.scene.skinscope.blender_mesh = "SPLIT", "HIDDEN"
    rig = next(one for one in bpy.context.view_layer.objects if one.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    with view3d():
        bpy.ops.skinscope.flicker()
        bpy.ops.skinscope.inspect("INVOKE_DEFAULT")
        bpy.ops.skinscope.clips_refresh()
        bpy.ops.skinscope.mixer_play()


def still_hidden() -> list[str]:
    """List the objects that Blender was told not to draw; see `viewport.objects.hidden_meshes`."""
    copies = bpy.context.evaluated_depsgraph_get().view_layer_eval.objects
    kinds = np.empty(len(copies), dtype=np.int32)
    copies.foreach_get("display_type", kinds)
    return [f"hidden {copies[int(place)].name}" for place in np.flatnonzero(kinds == 0)]
