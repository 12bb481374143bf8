"""One previewed mesh object: bound, bound anew when it changes, and live in every view layer that shows it."""

from __future__ import annotations

from enum import IntFlag

import bpy

from ..core.binding import Binding
from ..core.errors import BindingError, StaleBindingError
from ..scene.binding_reader import read_binding
from ..scene.binding_signature import BindingSignature, binding_signature
from ..scene.mesh_parts import MeshParts, read_mesh_parts
from ..scene.modifier_stack import armature_objects
from ..scene.stack_input import has_changing_input, input_has_changed
from .live_mesh import LiveMesh
from .pace import Pace

LayerKey = tuple[int, str]
"""A view layer, by its scene's session_uid and its own name: one object is posed differently in two of them."""


class Stale(IntFlag):
    """What may have changed since a preview was last brought up to date."""

    NOTHING = 0
    POSE = 1
    """Something moved."""
    OBJECTS = 2
    """The object or an armature changed somehow; its signature tells whether it has to be bound anew."""
    MESH = 4
    """Coordinates, weights or modifiers changed: bind anew."""


class Preview:
    """A mesh object of the user's that is skinned by us. Keeps no Blender object; free it after use.

    Event handlers `mark` it, the draw handler has it `follow` the scene, and a timer has it `bind` again: binding may
    make data-blocks, which nothing that draws may do.

    uid: session_uid of the original object. name: of the object when it was last seen.
    binding: None while it can't be bound.
    paused: a sentence that says why nothing is drawn just now; it goes on by itself once the cause is gone.
    error: a sentence that says why it was switched off for good.
    wanted_in: the view layer that waits for it to be bound anew, None where nobody does.
    """

    def __init__(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Bind the mesh. Makes no GPU objects.

        Raises:
            BindingError: nothing deforms the mesh, it is being edited, and so on; see `read_binding`.
        """
        self.uid: int = mesh_object.session_uid
        self.name = mesh_object.name
        self.paused = ""
        self.error = ""
        self.binding: Binding | None = None
        self.wanted_in: LayerKey | None = None
        self._revision = 0
        self._stale = Stale.NOTHING
        self._live_meshes: dict[LayerKey, LiveMesh] = {}
        self._binding_pace = Pace(seconds=0.0)
        self._parts: MeshParts | None = None
        self._signature: BindingSignature | None = None
        self._watched: frozenset[int] = frozenset()
        self._input_changes = False
        self._bind(mesh_object, depsgraph)

    def mark(self, stale: Stale) -> None:
        """Note that something may have changed. Cheap, and safe from any thread: nothing is read here."""
        self._stale |= stale
        self._revision += 1

    def watches(self, uid: int) -> bool:
        """Tell whether the preview depends on the data-block with this session_uid."""
        return uid in self._watched

    def live_mesh(self, layer: LayerKey) -> LiveMesh | None:
        """Return what there is for a view layer so far."""
        return self._live_meshes.get(layer)

    @property
    def binding_due(self) -> float:
        """From when on the mesh may be bound anew."""
        return self._binding_pace.due

    def follow(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, layer: LayerKey
    ) -> LiveMesh | None:
        """Bring the preview up to date in one view layer, as far as that goes without binding anew.

        Returns what is to be drawn, perhaps a moment old; None where the preview is paused.
        """
        self.name = mesh_object.name
        if self._may_have_to_be_bound():
            self.wanted_in = layer
        if self.binding is None or self._parts is None or self._parts.drawn is None:
            return None
        live = self._live_meshes.get(layer)
        try:
            if live is None:
                live = self._live_meshes[layer] = LiveMesh(self.binding, self._parts.drawn, mesh_object)
            live.follow(self._revision, mesh_object, depsgraph)
        except StaleBindingError:
            # Animated switches of modifiers are among what the depsgraph does not report.
            self._stale |= Stale.MESH
            self.wanted_in = layer
        except BindingError as error:
            self.paused = str(error)
            return None
        self.paused = ""
        return live

    def bind_if_needed(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Deal with the marks that `follow` could not deal with; tell whether there is something new to draw.

        Not without a rest since the last time: painting weights and posing have to stay smooth. Makes data-blocks where
        the armature is not first in the modifier stack: never call it while drawing.
        """
        if not self._binding_pace.allows():
            return False
        stale, self._stale, self.wanted_in = self._stale, Stale.NOTHING, None
        paused = self.paused
        try:
            with self._binding_pace:
                if self._is_still_valid(mesh_object, stale):
                    return False
                self._bind(mesh_object, depsgraph, self._parts_still_valid(mesh_object, stale))
        except BindingError as error:
            self.paused = str(error)
            return self.paused != paused
        self.paused = ""
        return True

    def switch_off(self, error: str) -> None:
        """End the preview for good and keep the sentence that says why."""
        self.error = error
        self.paused = ""
        self.wanted_in = None
        self.free()

    def free(self) -> None:
        """Give the GPU's memory back."""
        for live in self._live_meshes.values():
            live.free()
        self._live_meshes.clear()

    def _may_have_to_be_bound(self) -> bool:
        """Take down the marks that need nothing but a new frame, and tell whether any need more."""
        if self.binding is None or self._input_changes:
            return self._stale is not Stale.NOTHING
        self._stale &= ~Stale.POSE
        return self._stale is not Stale.NOTHING

    def _is_still_valid(self, mesh_object: bpy.types.Object, stale: Stale) -> bool:
        """Tell whether the binding is right although `stale` was marked."""
        if self.binding is None or stale & Stale.MESH or binding_signature(mesh_object) != self._signature:
            return False
        # Only where something moved: looking makes data-blocks, and Blender reports those as changes of all objects.
        moved = bool(stale & Stale.POSE)
        return not (moved and input_has_changed(mesh_object, self.binding.mesh.positions))

    def _parts_still_valid(self, mesh_object: bpy.types.Object, stale: Stale) -> MeshParts | None:
        """Return what was read of the mesh, if only an armature has changed since."""
        parts = self._parts
        if parts is None or self._signature is None or stale & Stale.MESH:
            return None
        if binding_signature(mesh_object).mesh != self._signature.mesh:
            return None
        return None if input_has_changed(mesh_object, parts.source.positions) else parts

    def _bind(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, parts: MeshParts | None = None
    ) -> None:
        self.free()
        self.binding = None
        self._watched = _data_blocks(mesh_object)
        self._parts = parts or read_mesh_parts(mesh_object, for_drawing=True)
        binding = read_binding(mesh_object, depsgraph, self._parts)
        self._signature = binding_signature(mesh_object)
        self._input_changes = has_changing_input(mesh_object)
        self.binding = binding


def _data_blocks(mesh_object: bpy.types.Object) -> frozenset[int]:
    """Collect the session_uids of all that the binding of an object is read from."""
    armatures = armature_objects(mesh_object)
    blocks = (mesh_object, mesh_object.data, *armatures, *(armature.data for armature in armatures))
    return frozenset(block.session_uid for block in blocks)
