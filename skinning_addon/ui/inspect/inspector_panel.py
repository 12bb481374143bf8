"""The vertex under the mouse, or the one that was clicked, at every step of its way through skinning."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...core.inspection.vertex_trace import Contribution, PassTrace
from ...core.skinning.passes import Blend
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.text.message import Message
from ...viewport.choices.length_units import length_style
from ...viewport.choices.translation import translated
from ...viewport.layers import layer_key
from ...viewport.overlay.inspection import InspectedVertex
from ...viewport.overlay.inspection_words import joint_name, off_by
from ...viewport.session import current_session
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table, draw_vectors, numbers
from ..widgets.wrapped_label import wrapped_label
from .inspect_operator import SKINSCOPE_OT_inspect, SKINSCOPE_OT_inspect_clear

BLEND_NAMES = {
    Blend.LINEAR: Message("Linear"),
    Blend.VOLUME: Message("Preserve Volume"),
    Blend.DUAL_QUATERNION: Message("Dual Quaternion"),
}


class SKINSCOPE_PT_inspector(SidebarPanel, bpy.types.Panel):
    """One vertex at each step of skinning"""

    bl_label = "Inspect"
    bl_parent_id = "SKINSCOPE_PT_preview"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        session = current_session()
        inspection = session.inspection
        row = layout.row(align=True)
        row.operator(SKINSCOPE_OT_inspect.bl_idname, icon="EYEDROPPER", depress=inspection.active)
        row.operator(SKINSCOPE_OT_inspect_clear.bl_idname, text="", icon="X")
        seen = session.look_at(inspection.shown, layer_key(context.scene, context.view_layer))
        if seen is None:
            hint = layout.column()
            hint.active = inspection.active
            wrapped_label(hint, context, Message("Point at a preview in the 3D view"), "INFO")
            return
        heading = Message("Vertex {number} of {mesh}", number=seen.trace.vertex, mesh=seen.preview.name)
        wrapped_label(layout, context, heading, "VERTEXSEL")
        off = off_by(seen, context.scene.unit_settings.scale_length)
        if off is not None:
            wrapped_label(layout, context, off, "DRIVER_DISTANCE")
        for number, one in enumerate(seen.trace.passes):
            _draw_pass(layout, context, one, number, len(seen.trace.passes))
        draw_vectors(layout.box(), _results(seen, context.scene.unit_settings.scale_length))


def _draw_pass(
    layout: bpy.types.UILayout, context: bpy.types.Context, one: PassTrace, number: int, count: int
) -> None:
    box = layout.box()
    if count > 1:
        heading = Message(
            "Pass {number} of {count}: {armature}", number=number + 1, count=count, armature=one.armature
        )
        wrapped_label(box, context, heading, "ARMATURE_DATA")
    draw_table(box, [(Message("Blend"), BLEND_NAMES[one.blend])])
    draw_vectors(box, _facts(one))
    if one.from_run_start:
        wrapped_label(
            box, context, Message("Multi Modifier: starts from the input of the first modifier"), "INFO"
        )
    if one.weight_sum <= SMALLEST_MOVING_SUM:
        wrapped_label(box, context, Message("The vertex has no weights, so it stays where it is"), "INFO")
        return
    if one.blend is not Blend.LINEAR:
        motions = Message(
            "This blend adds up motions, not positions: each joint has a weight and a position to which it "
            "alone would move the vertex, but no share of the result"
        )
        wrapped_label(box, context, motions, "INFO")
    by_weight = sorted(one.contributions, key=lambda each: -each.weight)
    for contribution in by_weight:
        _draw_contribution(box, one, contribution, is_open=contribution is by_weight[0])


def _draw_contribution(
    layout: bpy.types.UILayout, one: PassTrace, contribution: Contribution, *, is_open: bool
) -> None:
    """Draw the steps of one joint in a collapsible panel. is_open: by default."""
    name = translated(joint_name(contribution))
    header, body = layout.panel(f"SKINSCOPE_PT_joint_{contribution.joint}", default_closed=not is_open)
    header.label(text=f"{100 * contribution.weight:.1f}%  {name}", translate=False)
    if body is not None:
        draw_vectors(body, _steps(one, contribution))


def _facts(one: PassTrace) -> Iterator[tuple[Message, list[str]]]:
    yield Message("Starts At"), numbers(one.start)
    yield Message("Weight Sum"), [f"{one.weight_sum:.4f}"]
    if one.amount < 1.0:
        yield Message("Skinned"), numbers(one.skinned)
        yield Message("Mask"), [f"{100 * one.amount:.1f}%"]
        yield Message("After Mask"), numbers(one.result)


def _steps(one: PassTrace, contribution: Contribution) -> Iterator[tuple[Message, list[str]]]:
    yield Message("As Stored"), [f"{contribution.stored_weight:.4f}"]
    yield Message("Mesh Space"), numbers(one.start)
    yield Message("Bone Space"), numbers(contribution.in_bone)
    yield Message("Root Space"), numbers(contribution.in_root)
    yield Message("Moved Alone"), numbers(contribution.in_mesh)
    if contribution.share is not None:
        yield Message("Its Share"), numbers(contribution.share)


def _results(seen: InspectedVertex, metres_per_unit: float) -> Iterator[tuple[Message, list[str]]]:
    yield Message("Result"), numbers(seen.trace.result)
    yield Message("In World"), numbers(seen.in_world)
    difference = seen.difference
    if seen.blender is not None and difference is not None:
        yield Message("Blender's"), numbers(seen.blender)
        yield Message("Its World"), numbers(seen.to_world(seen.blender))
        lengths, unit = length_style().write_together((difference * metres_per_unit).tolist())
        yield Message("Off by ({unit})", unit=unit), lengths
