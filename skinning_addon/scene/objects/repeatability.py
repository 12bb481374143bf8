"""Whether what Blender shows at a frame is the same each time: only then may it be remembered.

It isn't if it depends on earlier frames, on Python, or on anything that no data-block points to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import bpy

from ...core.text.message import Message
from ..identification import identity
from .modifier_stack import is_simulated

_FRAME = re.compile(r"\bframe\b")


def foreign_handlers(
    own_package: str, events: Sequence[str] = ("frame_change_pre", "frame_change_post")
) -> list[str]:
    """Name the Python functions that Blender calls with every frame, or in other events, except those of a
    package, under whatever name it is loaded: they may move anything.
    """
    handlers = [one for event in events for one in getattr(bpy.app.handlers, event)]
    modules = ((str(getattr(one, "__module__", "")), getattr(one, "__name__", repr(one))) for one in handlers)
    own = own_package.rpartition(".")[2]
    return sorted({name for module, name in modules if own not in module.split(".")})


def reasons_against_remembering(blocks: Iterable[bpy.types.ID]) -> Iterator[Message]:
    """Name what of these data-blocks may differ each time that the same frame is evaluated."""
    for block in blocks:
        yield from _reasons_of_drivers(block)
        if isinstance(block, bpy.types.Object):
            yield from _reasons_of_object(block)


def _reasons_of_drivers(block: bpy.types.ID) -> Iterator[Message]:
    animation = getattr(block, "animation_data", None)
    for curve in animation.drivers if animation else ():
        driver = curve.driver
        scripted = driver.type == "SCRIPTED"
        if scripted and not driver.is_simple_expression:
            yield Message(
                "A driver of '{block}' runs Python: {expression}",
                block=block.name,
                expression=driver.expression,
            )
        elif scripted and _FRAME.search(driver.expression):
            yield Message(
                "A driver of '{block}' counts frames: {expression}",
                block=block.name,
                expression=driver.expression,
            )
        elif any(_reads_scene(variable) for variable in driver.variables):
            yield Message("A driver of '{block}' reads the scene", block=block.name)


def _reads_scene(variable: bpy.types.DriverVariable) -> bool:
    if variable.type == "CONTEXT_PROP":
        return True
    return any(isinstance(target.id, bpy.types.Scene) for target in variable.targets)


def _reasons_of_object(one: bpy.types.Object) -> Iterator[Message]:
    if any(modifier.show_viewport and is_simulated(modifier) for modifier in one.modifiers):
        yield Message("'{object}' is simulated", object=identity(one))
    if one.rigid_body is not None or one.soft_body is not None:
        yield Message("'{object}' is simulated", object=identity(one))
    if one.pose is not None and one.pose.ik_solver == "ITASC" and _has_chains(one.pose):
        yield Message(
            "'{object}' solves its chains with iTaSC, which starts from the last frame", object=identity(one)
        )


def _has_chains(pose: bpy.types.Pose) -> bool:
    return any(constraint.type == "IK" for bone in pose.bones for constraint in bone.constraints)
