"""What a file can't hold of a modifier stack: modifiers after the armature, and shape keys followed by
other modifiers.

Blender itself shows the effect of each: a twin of the object that differs in that one thing is evaluated
beside it at every frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import Thresholds
from ...scene.binding.frame import Frame
from ...scene.identification import identity
from ...scene.meshes.blender_result import BlenderResult, evaluated_mesh, read_blender_positions
from ...scene.object_data import mesh_of
from ...scene.objects.animated_settings import modifiers_after_armatures, stop_switching
from ...scene.objects.modifier_stack import SIMULATED_TYPES, keeps_positions, read_stack
from ..frame.attribution import Effects
from ..frame.body_parts import BodyParts

ADDS_VERTICES_AT_THE_END = frozenset({"SUBSURF", "MULTIRES", "SOLIDIFY", "MIRROR", "ARRAY"})
"""Modifiers whose result starts with the input vertices."""


MOST_VERTICES = 250_000
"""Skip results larger than this: subdividing a large mesh at every frame would take longer than everything
else.
"""


@dataclass(frozen=True)
class StackFault:
    """finding: without figures. undo: changes a twin to show the difference. type: of the modifier; '' for
    none.
    """

    finding: Finding
    undo: Callable[[bpy.types.Object], object]
    type: str = ""


def faults_of_stack(mesh_object: bpy.types.Object) -> tuple[StackFault, ...]:
    """List the faults; modifiers after the armature may be switched off afterwards, but the twins keep them
    on.
    """
    return (*_after_armature(mesh_object), *_of_shape_keys(mesh_object))


def cut_after_armature(mesh_object: bpy.types.Object) -> list[Finding]:
    """Switch off the modifiers after the armature that change positions, and report them.

    Skinning ends with the armature modifier, so that is where to compare. Changes the object: for files
    opened to be measured, not for a user's session. There `scene.meshes.armature_result` reads the same
    numbers and leaves the object alone, at the cost of one more evaluation per frame.
    """
    found = [one.finding for one in _after_armature(mesh_object)]
    for modifier in modifiers_after_armatures(mesh_object):
        stop_switching(mesh_object, modifier)
        _switch(modifier, on=False)
    return found


class StackEffects:
    """The twins of a mesh object in a scene opened for measuring; free them after use."""

    def __init__(
        self, scene: bpy.types.Scene, mesh_object: bpy.types.Object, faults: tuple[StackFault, ...]
    ) -> None:
        self._faults = faults
        self._twins: dict[int, bpy.types.Object] = {}
        self._effects = Effects()
        for number, fault in enumerate(faults):
            # Their result depends on the frames before, and a check jumps between frames.
            if fault.type in SIMULATED_TYPES:
                continue
            twin = mesh_object.copy()
            scene.collection.objects.link(twin)
            fault.undo(twin)
            self._twins[number] = twin

    def add(
        self, frame: Frame, blender: BlenderResult, clip: str, at: float, depsgraph: bpy.types.Depsgraph
    ) -> None:
        """Compare the twins at the current frame with Blender's result. frame, blender: the mesh's there. clip,
        at: what plays, and its frame.
        """
        linear = frame.mesh_to_world[:3, :3] * depsgraph.scene.unit_settings.scale_length
        as_it_is = blender.positions
        for number, twin in list(self._twins.items()):
            if not _comparable(twin, depsgraph, len(as_it_is), self._faults[number].type):
                self._remove(number)
                continue
            try:
                otherwise = read_blender_positions(twin, depsgraph, len(as_it_is))
            except BindingError:
                self._remove(number)
                continue
            moved = (otherwise.astype(np.float64) - as_it_is) @ linear
            distances = np.linalg.norm(moved, axis=1)[:, None]
            self._effects.keep(str(number), distances, clip, (at,))

    def take(self) -> tuple[Effects, frozenset[int]]:
        """Return the effects so far, and the numbers of the twins that can still be compared; begin anew."""
        taken = self._effects, frozenset(self._twins)
        self._effects = Effects()
        return taken

    def put(self, effects: Effects, comparable: frozenset[int]) -> None:
        """Go on from what came of other samples."""
        self._effects = effects
        for number in self._twins.keys() - comparable:
            self._remove(number)

    def findings(self, body: BodyParts, thresholds: Thresholds) -> Iterator[Finding]:
        """Return the findings, each with its effect at its worst frame; without figures if that is
        unknown.
        """
        effects = {effect.rule: effect for effect in self._effects.sorted()}
        for number, fault in enumerate(self._faults):
            effect = effects.get(str(number))
            if effect is None or number not in self._twins:
                yield fault.finding
                continue
            limits = body.of_mesh(len(effect.distance)).limits(thresholds.invisible)
            seen = np.flatnonzero(effect.distance > limits)
            order = seen[np.argsort(-effect.distance[seen], kind="stable")]
            yield replace(
                fault.finding,
                vertices=tuple(order.tolist()),
                count=len(order),
                deviation=effect.max,
                clip=effect.clip,
                frame=effect.frame,
            )

    def free(self) -> None:
        """Remove the twins."""
        for number in list(self._twins):
            self._remove(number)

    def _remove(self, number: int) -> None:
        bpy.data.objects.remove(self._twins.pop(number))


def _comparable(
    twin: bpy.types.Object, depsgraph: bpy.types.Depsgraph, vertex_count: int, modifier_type: str
) -> bool:
    count = len(evaluated_mesh(twin, depsgraph).vertices)
    return count == vertex_count or (
        vertex_count < count <= MOST_VERTICES and modifier_type in ADDS_VERTICES_AT_THE_END
    )


def _after_armature(mesh_object: bpy.types.Object) -> Iterator[StackFault]:
    rule = RULES["modifier-after"]
    name = identity(mesh_object)
    for modifier in modifiers_after_armatures(mesh_object):
        finding = rule.finding(name, rule.told(modifier=modifier.name, mesh=name))
        yield StackFault(finding, _switching(modifier.name, on=True), modifier.type)


def _of_shape_keys(mesh_object: bpy.types.Object) -> Iterator[StackFault]:
    keys = mesh_of(mesh_object).shape_keys
    if keys is None:
        return
    rule = RULES["shape-key-order"]
    name = identity(mesh_object)
    modifier = next((one for one in read_stack(mesh_object).before if not keeps_positions(one)), None)
    if modifier is not None:
        message = Message(
            "'{modifier}' is between the shape keys of '{mesh}' and its armature; a file can store either "
            "the keys or the modifier's result.",
            modifier=modifier.name,
            mesh=name,
        )
        fix = Message("Apply the modifier to every key before exporting the rig, or remove it.")
        yield StackFault(rule.finding(name, message, fix), _switching(modifier.name, on=False), modifier.type)
    if not keys.use_relative:
        message = Message(
            "The shape keys of '{mesh}' are absolute, but engines use relative ones.", mesh=name
        )
        fix = Message("Switch on Relative for the shape keys.")
        yield StackFault(rule.finding(name, message, fix), _show_first_key)


def _switching(name: str, *, on: bool) -> Callable[[bpy.types.Object], object]:
    return lambda twin: _switch(twin.modifiers[name], on=on)


def _switch(modifier: bpy.types.Modifier, *, on: bool) -> None:
    # In renders too: a check of the render shows what is enabled there.
    modifier.show_viewport = modifier.show_render = on


def _show_first_key(twin: bpy.types.Object) -> None:
    twin.active_shape_key_index = 0
    twin.show_only_shape_key = True
