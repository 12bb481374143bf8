"""One previewed mesh object: bound, bound again when it changes, and live in every view layer that shows
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy

from ...core.profiles.binding import Binding, Reason
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError, PoseNotReadyError, StaleBindingError
from ...core.text.message import Message
from ...scene.binding.binding_signature import BindingSignature, binding_signature
from ...scene.meshes.mesh_contents import MeshContents, moved_contents, read_mesh_contents
from ...scene.meshes.stack_input import has_changing_input
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects
from .authored import Authored
from .bound_mesh import BoundMesh, bind_mesh, data_blocks
from .held_mesh import HeldMesh
from .mesh_in_layer import MeshInLayer, Poses
from .pace import Pace
from .stale import MOVING, Marks, Stale

LayerKey = tuple[int, str]
"""A view layer, by its scene's session_uid and its own name: one object is posed differently in two of them."""


class Preview:
    """A mesh object of the user's that we skin. Keeps no Blender object; free it after use.

    Event handlers `mark` it, the draw handler has it `follow` the scene, and a timer has it `bind` again:
    binding may make data-blocks, which isn't allowed while drawing.

    uid: session_uid of the original object. name: the object's, when last seen.
    binding: None while it can't be bound.
    paused: a sentence that says why nothing is drawn right now; it resumes by itself once the cause is gone.
    error: a sentence that says why it was switched off for good.
    wanted_in: the view layer that waits for it to be bound again, None if none does. profile: the one it
    skins with, or will once it is bound again. held: where that profile's file has the mesh. authored: what a
    game-ready copy is compared with, None for others.
    """

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        profile: Profile = BLENDER,
        authored: Authored | None = None,
    ) -> None:
        """Bind the mesh. Creates no GPU objects.

        Raises:
            BindingError: nothing deforms the mesh, it is being edited, and so on; see `read_binding`.
        """
        self.uid: int = mesh_object.session_uid
        self.name = mesh_object.name
        self.authored = authored
        self.paused = ""
        self.error = ""
        self.binding: Binding | None = None
        self._bound: BoundMesh | None = None
        self.wanted_in: LayerKey | None = None
        self.profile = profile
        self.held = HeldMesh()
        self._revision = 0
        self._stale = Stale.NOTHING
        self._meshes_in_layers: dict[LayerKey, MeshInLayer] = {}
        self._binding_pace = Pace(seconds=0.0)
        self._contents: MeshContents | None = None
        self._signature: BindingSignature | None = None
        self._refused: BindingSignature | None = None
        self._watched: frozenset[int] = frozenset()
        self._input_changes = False
        self._input_moves = False
        self._edited: dict[LayerKey, tuple[bool, ...]] = {}
        self._bind(mesh_object, depsgraph)

    def mark(self, stale: Marks) -> None:
        """Note that something may have changed. Cheap, and safe from any thread: nothing is read here."""
        self._stale |= stale
        # Not for OBJECTS alone: changing an object without moving anything has it bound again, or changes
        # nothing.
        if stale & ~Stale.OBJECTS:
            self._revision += 1
        if stale & (Stale.OBJECTS | Stale.MESH):
            self.held.mark()

    def skin_as(self, profile: Profile) -> None:
        """From now on skin as another engine does. Cheap if it does already."""
        if profile is not self.profile and profile != self.profile:
            self.profile = profile
            self.mark(Stale.PROFILE)

    def watches(self, uid: int) -> bool:
        """Whether the preview depends on the data-block with this session_uid."""
        return uid in self._watched

    def mesh_in_layer(self, layer: LayerKey) -> MeshInLayer | None:
        """Return the existing mesh of a view layer, if any."""
        return self._meshes_in_layers.get(layer)

    @property
    def at_its_place(self) -> tuple[int, ...]:
        """The objects, by session_uid, that Blender would draw where it is drawn: its own, and the original."""
        return (self.uid,) if self.authored is None else (self.uid, self.authored.uid)

    @property
    def layers(self) -> tuple[LayerKey, ...]:
        """The view layers that have shown it since it was bound."""
        return tuple(self._meshes_in_layers)

    @property
    def meshes_in_layers(self) -> tuple[MeshInLayer, ...]:
        """The existing meshes of all view layers."""
        return tuple(self._meshes_in_layers.values())

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the drawing may differ from Blender's: what the binding can't reproduce, and reasons from poses
        and figures.
        """
        bound = self.binding.reasons if self.binding else ()
        posed = (reason for live in self._meshes_in_layers.values() for reason in live.reasons)
        return tuple(dict.fromkeys((*bound, *posed)))

    @property
    def binding_due(self) -> float:
        """When the mesh may be bound again."""
        return self._binding_pace.due

    def follow(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        layer: LayerKey,
        poses: Poses | None = None,
    ) -> MeshInLayer | None:
        """Bring the preview up to date in one view layer, as far as possible without binding again.

        poses: of armatures that an animation controller poses, see `MeshInLayer.follow`.
        Returns what to draw, possibly a moment old; None if the preview is paused.
        """
        self.name = mesh_object.name
        self._notice_edited_armatures(mesh_object, depsgraph, layer)
        if self._may_have_to_be_bound():
            self.wanted_in = layer
        if self._bound is None or self._contents is None or self._contents.drawn is None:
            return None
        live = self._meshes_in_layers.get(layer)
        moving = self._input_moves and self._stale & MOVING
        if moving and live is not None and live.frame is not None:
            # With the current pose and the previous shape it would match neither.
            return live
        try:
            if live is None:
                live = self._new_mesh_in_layer(self._bound, self._contents.drawn)
                self._meshes_in_layers[layer] = live
            live.follow(self._revision, mesh_object, depsgraph, poses, self.held.places)
        except StaleBindingError:
            # Animated switches of modifiers are among what the depsgraph does not report.
            self._stale |= Stale.MESH
            self.wanted_in = layer
        except BindingError as error:
            self.paused = str(error)
            return None
        self.paused = ""
        return live

    def _new_mesh_in_layer(self, bound: BoundMesh, drawn: DrawMesh) -> MeshInLayer:
        live = MeshInLayer(
            bound.binding, drawn, armatures=bound.armatures, cache=bound.cache, authored=self.authored
        )
        if self.binding is not None and self.binding is not bound.binding:
            live.move(self.binding, drawn)
        return live

    def bind_if_needed(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Handle the marks that `follow` could not; return whether there is something new to draw.

        Waits a while after the last time: painting weights and posing have to stay smooth. Makes data-blocks
        if the armature is not first in the modifier stack: never call it while drawing.
        """
        if not self._binding_pace.allows():
            return False
        stale, self._stale = self._stale, Stale.NOTHING
        layer, self.wanted_in = self.wanted_in, None
        paused = self.paused
        try:
            with self._binding_pace:
                changed = self._bring_up_to_date(mesh_object, depsgraph, stale)
        except PoseNotReadyError as error:
            # It will be as soon as Blender has drawn; no mark is needed for that.
            self._stale, self.wanted_in, self._refused = stale | Stale.MESH, layer, None
            self.paused = str(error)
            return self.paused != paused
        except BindingError as error:
            self.paused = str(error)
            return self.paused != paused
        if changed:
            self.paused = ""
        return changed

    @property
    def shadow_due(self) -> float | None:
        """When shadows may be read, None if no view layer waits for one."""
        waiting = [live.shadow_due for live in self._meshes_in_layers.values() if live.shadow_due is not None]
        return min(waiting, default=None)

    def read_shadows(
        self,
        mesh_object: bpy.types.Object,
        depsgraph_of: Callable[[LayerKey], bpy.types.Depsgraph | None],
        poses: Poses | None = None,
    ) -> bool:
        """Read what comparisons wait for (`MeshInLayer.read_shadow`); return whether there is something new
        to draw.

        poses: see `follow`.
        Makes data-blocks: never call it while drawing.
        """
        changed = False
        for layer, live in self._meshes_in_layers.items():
            depsgraph = depsgraph_of(layer) if live.shadow_due is not None else None
            # A mesh about to be bound again is not worth the time.
            if depsgraph is None or self.wanted_in is not None:
                continue
            try:
                changed |= live.read_shadow(self._revision, mesh_object, depsgraph, poses, self.held.places)
            except StaleBindingError:
                self._stale |= Stale.MESH
                self.wanted_in = layer
            except BindingError as error:
                self.paused = str(error)
                changed = True
        return changed

    def lose(self) -> None:
        """Wait for the mesh object, which is gone from the file: if undo brings it back, the preview
        resumes.
        """
        self.paused = Message(
            "'{mesh}' is no longer in the file; undo to bring it back, or stop its preview.", mesh=self.name
        )
        self.wanted_in = None
        self.free()

    def switch_off(self, error: str) -> None:
        """End the preview for good and keep the sentence that says why."""
        self.error = error
        self.paused = ""
        self.wanted_in = None
        self.free()

    def free(self) -> None:
        """Give the GPU's memory back."""
        for live in self._meshes_in_layers.values():
            live.free()
        self._meshes_in_layers.clear()

    def _notice_edited_armatures(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, layer: LayerKey
    ) -> None:
        """Mark the pose if an armature entered or left Edit Mode: Blender, which deforms nothing then,
        reports no change.

        Bendy bones are bound again, since Blender could not evaluate them meanwhile.
        """
        edited = tuple(
            armature_of(one).is_editmode for one in armature_objects(mesh_object.evaluated_get(depsgraph))
        )
        if edited != self._edited.get(layer, edited):
            bends = self.binding is not None and any(len(one.joints.bendy) for one in self.binding.passes)
            self.mark(Stale.MESH if bends else Stale.POSE)
        self._edited[layer] = edited

    def _may_have_to_be_bound(self) -> bool:
        """Clear the marks that need only a new frame, and return whether any need more."""
        if self.binding is None or self._input_changes:
            return self._stale != Stale.NOTHING
        self._stale &= ~Stale.POSE
        return self._stale != Stale.NOTHING

    def _bring_up_to_date(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, stale: Marks
    ) -> bool:
        """Do as little as the marks require; return whether there is something new to draw."""
        signature = binding_signature(mesh_object, depsgraph)
        if self.binding is None and signature == self._refused and not stale & ~Stale.OBJECTS:
            # The reasons it was refused for have not changed. Trying makes data-blocks, which Blender reports
            # as changes of all objects: it would retry forever.
            return False
        deforms_alike = (
            self.binding is not None and signature == self._signature and not stale & Stale.PROFILE
        )
        # Nothing was drawn while vertices moved: draw now even if they are back.
        waited = self._input_moves and bool(stale & MOVING)
        contents = None
        if self._signature is not None and signature.mesh == self._signature.mesh and not stale & Stale.MESH:
            # Only if something may have moved: looking makes data-blocks, and Blender reports those as changes
            # of all objects.
            looks = bool(stale & MOVING) or not deforms_alike
            contents = self._look_at_contents(mesh_object, depsgraph, stale) if looks else self._contents
        if deforms_alike and contents is not None:
            if contents is self._contents:
                return waited
            if self._move(contents):
                return True
        self._bind(mesh_object, depsgraph, contents)
        return True

    def _look_at_contents(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, stale: Marks
    ) -> MeshContents | None:
        """Return the mesh's contents as they are now: the known ones if nothing has moved, None if they have
        to be read again.
        """
        known = self._contents
        if known is None:
            return None
        contents = moved_contents(mesh_object, known, depsgraph)
        self._input_moves = contents is not known
        # Shapes are said to have moved vertices, but none has: the mesh was edited.
        return None if contents is known and stale & Stale.SHAPE else contents

    def _move(self, contents: MeshContents) -> bool:
        """Switch to moved vertices if nothing else in the binding depends on them; return whether that was
        possible.
        """
        binding, drawn = self.binding, contents.drawn
        if binding is None or drawn is None or any(one.positional for one in binding.passes):
            return False
        self._contents = contents
        self.binding = replace(binding, mesh=contents.source)
        for live in self._meshes_in_layers.values():
            live.move(self.binding, drawn)
        return True

    def _bind(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        contents: MeshContents | None = None,
    ) -> None:
        self.free()
        self.binding = self._bound = self._signature = None
        self._refused = binding_signature(mesh_object, depsgraph)
        original = self.authored.object if self.authored else None
        self._watched = data_blocks(mesh_object) | (data_blocks(original) if original else frozenset())
        self._contents = contents or read_mesh_contents(
            mesh_object, depsgraph, for_drawing=True, moving=self._input_moves
        )
        bound = bind_mesh(mesh_object, depsgraph, self._contents, self.profile)
        self._signature = binding_signature(mesh_object, depsgraph)
        self._refused = None
        self._input_changes = has_changing_input(mesh_object, depsgraph)
        self.binding, self._bound = bound.binding, bound
        scene = depsgraph.scene.original
        if not self.held.is_read_for(self.profile) and isinstance(scene, bpy.types.Scene):
            self.held.read(scene, mesh_object, self.binding)
