"""Runs inside Blender beside soak_actions.py: what somebody does with Skinscope meanwhile, and what must not happen."""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING, Any

import bpy

EXTENSION = "bl_ext.user_default.skinscope"

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # What the driver gives to all that it runs.

_drawn = 0


def session() -> Any:
    from skinning_addon.viewport.session import current_session

    return current_session()


def is_enabled() -> bool:
    return EXTENSION in bpy.context.preferences.addons


def act_on_previews(seed: int) -> str:
    """Start, stop or change previews, or switch the extension off and on; return a line on it."""
    global _drawn  # noqa: PLW0603 - lives as long as Blender does
    is_drawn = is_enabled() and any(preview._live_meshes for preview in session().previews)
    _drawn += is_drawn
    chance = random.Random(f"previews {seed}")  # noqa: S311 - no secrets
    if not is_enabled():
        bpy.ops.preferences.addon_enable(module=EXTENSION)
        return "enable"
    what = chance.random()
    if what < 0.03:
        bpy.ops.preferences.addon_disable(module=EXTENSION)
        return "disable"
    if not is_drawn or what < 0.2:
        return start_all(chance)
    if what < 0.25:
        with view3d():
            bpy.ops.skinscope.preview_stop()
        return "stop"
    if what < 0.7:
        return change_setting(chance)
    return "nothing"


def start_all(chance: random.Random) -> str:
    """Start previews of some of the visible meshes, as their operator does, without touching the selection."""
    from skinning_addon.core.errors import SkinscopeError

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
    """Set one of the scene's settings to a random value of its kind."""
    settings = bpy.context.scene.skinscope
    properties = [
        prop
        for prop in settings.bl_rna.properties
        if prop.type in {"BOOLEAN", "ENUM", "FLOAT"}
        and not (prop.is_readonly or getattr(prop, "is_array", False))
    ]
    prop = chance.choice(properties)
    if prop.type == "BOOLEAN":
        value: Any = chance.random() < 0.5
    elif prop.type == "ENUM":
        value = chance.choice([one.identifier for one in prop.enum_items])
    else:
        value = chance.uniform(prop.soft_min, min(prop.soft_max, 3.0))
    setattr(settings, prop.identifier, value)
    return f"{prop.identifier} = {value}"


def unexpected_errors() -> list[str]:
    """List what went wrong inside Skinscope, as opposed to what it refuses with a sentence."""
    if not is_enabled():
        return []
    own = [session().error] if session().error else []
    return own + [one.error for one in session().previews if "inside Skinscope" in one.error]


def drawn() -> int:
    """Count the steps before which a preview had been drawn."""
    return _drawn


def what_is_left_when_disabled() -> list[str]:
    """Disable the extension and list its handlers, timers and GPU objects that are still there."""
    if is_enabled():
        from skinning_addon.viewport import draw_handlers

        owners = session()
        timers = (owners.bind_later._timer, owners.redraw_later._timer)
        handles = draw_handlers._handles
        del owners
        bpy.ops.preferences.addon_disable(module=EXTENSION)
        left = [f"timer {timer}" for timer in timers if bpy.app.timers.is_registered(timer)]
        left += [f"draw handler {handle}" for handle in handles]
        del timers
    else:
        left = []
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
