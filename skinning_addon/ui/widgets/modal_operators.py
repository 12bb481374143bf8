"""Modal operators that are under way. Disabling the extension cancels them: Blender drops an operator whose
class is unregistered without calling its `cancel`, and what it had begun would stay.
"""

from __future__ import annotations

from typing import Protocol

import bpy

NAVIGATION = frozenset(
    {
        "MIDDLEMOUSE",
        "MOUSEPAN",
        "MOUSEROTATE",
        "MOUSESMARTZOOM",
        "MOUSEZOOM",
        "TRACKPADPAN",
        "TRACKPADZOOM",
        "WHEELDOWNMOUSE",
        "WHEELINMOUSE",
        "WHEELLEFTMOUSE",
        "WHEELOUTMOUSE",
        "WHEELRIGHTMOUSE",
        "WHEELUPMOUSE",
    }
)
"""They turn views, and touch no data."""


class ModalOperator(Protocol):
    def cancel(self, context: bpy.types.Context) -> object: ...


_under_way: list[ModalOperator] = []


def begin_modal(context: bpy.types.Context, operator: ModalOperator) -> set[str]:
    """Have Blender send an operator all events from now on; return the result of its `invoke`.

    However it ends, it calls `end_modal`; its `cancel` does, too.
    """
    context.window_manager.modal_handler_add(operator)  # pyright: ignore[reportArgumentType]
    _under_way.append(operator)
    return {"RUNNING_MODAL"}


def end_modal(operator: ModalOperator) -> None:
    """Note that an operator ends."""
    _under_way[:] = [one for one in _under_way if one is not operator]


def turns_views(event: bpy.types.Event) -> bool:
    """Whether an event turns or moves a view, and touches no data."""
    return event.type in NAVIGATION or event.type.startswith("NDOF")


def cancel_modals() -> None:
    """Cancel all operators that are under way, while their classes are still registered."""
    if not _under_way:
        return
    windows = bpy.context.window_manager.windows
    # Timers have no window, but operators give back what they changed in theirs. A Blender that quits has none.
    window = bpy.context.window or next(iter(windows), None)
    for operator in tuple(_under_way):
        with bpy.context.temp_override(window=window):
            operator.cancel(bpy.context)
    # They may have run in another window than this one.
    for window in windows:
        window.workspace.status_text_set(None)
        window.cursor_set("DEFAULT")
