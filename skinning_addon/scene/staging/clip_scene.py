"""A separate scene in which copies of armatures play clips, leaving the user's scene unchanged.

Evaluating the originals there would overwrite unkeyed poses of the user. Constraints and drivers of copies that
refer to an original are redirected to its copy. Unlike the copies of `isolated_scene`, which show one instant,
these keep their animation.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ExportOptions
from ...core.text.identity import Identity
from ..armatures.armature_reader import ArmatureReader, read_armature
from ..clips.clip_player import ClipPlayer
from ..clips.clips import SceneClip
from ..clips.playback import Playback, play_clip, set_frame
from ..clips.playback_plan import Loss
from ..copies.copied_objects import followed_properties
from ..copies.isolated_scene import SCENE_NAME as ISOLATED
from ..copies.property_comparison import restore, restore_matrices
from ..copies.scene_settings import take_over_frame, take_over_settings
from ..identification import identity
from ..object_data import armature_of, mesh_of
from ..objects import node_inputs
from ..objects.animated_settings import (
    HIDDEN,
    animated_paths,
    modifiers_after_armatures,
    modifiers_play,
    owners_of_actions,
    stop_hiding,
)
from .pose_trimming import trim_pose

SCENE_NAME = f"{ISOLATED} clips"
"""Starts with the prefix of scenes that handlers ignore."""

OBJECTS = frozenset({"Object"})


@dataclass(frozen=True)
class ClipScene:
    """Use it only inside the `with` block of `clip_scene`, and keep nothing from it.

    scene: plays the clips. copies: by identity of the original armature object. readers: likewise, of its
    bones.
    placed: by identity of the original, mesh copies that move like the originals; not deformed unless played.
    player: plays clips on the copies.
    """

    scene: bpy.types.Scene
    copies: Mapping[str, bpy.types.Object]
    readers: Mapping[str, ArmatureReader]
    placed: Mapping[str, bpy.types.Object]
    player: ClipPlayer

    @property
    def depsgraph(self) -> bpy.types.Depsgraph:
        """The scene's depsgraph."""
        return cast("bpy.types.Depsgraph", self.scene.view_layers[0].depsgraph)

    @property
    def originals(self) -> dict[str, str]:
        """The identity of each copy's original, by the copy's identity."""
        return {identity(copy): name for name, copy in (*self.copies.items(), *self.placed.items())}

    def play(
        self, playback: Playback, options: ExportOptions | None, *, rest_unwritten: bool = False
    ) -> None:
        """Play the scene's animation or one of the originals' clips on the copies, as a file exported with
        these options holds it; None for Blender's own. rest_unwritten: see `ClipPlayer.play`.
        """
        self.player.play(self._of_copies(playback), options, rest_unwritten=rest_unwritten)

    def play_alone(self, clip: SceneClip) -> None:
        """Play one of the originals' clips on the copies, with everything that it doesn't key at rest."""
        self.player.restore()
        play_clip(self.scene, cast("SceneClip", self._of_copies(clip)))

    def losses(self, playback: Playback, options: ExportOptions | None) -> dict[Identity, frozenset[Loss]]:
        """Return what a file lacks of what Blender plays, by the original armature; see `ClipPlayer.losses`."""
        self.player.restore()
        originals = self.originals
        found = self.player.losses(self._of_copies(playback), options)
        return {Identity.of(originals[name]): loss for name, loss in found.items() if name in originals}

    def frames_in_file(
        self, playback: Playback, options: ExportOptions | None, frames: Sequence[float]
    ) -> Sequence[float]:
        """Return the frames to show for the poses that a file has; see `ClipPlayer.frames_in_file`."""
        return self.player.frames_in_file(self._of_copies(playback), options, frames)

    def groups(
        self, playback: Playback, options: Iterable[ExportOptions | None]
    ) -> list[tuple[ExportOptions | None, set[ExportOptions | None]]]:
        """Group exporters' options by what the armatures do under them; see `ClipPlayer.groups`."""
        return self.player.groups(self._of_copies(playback), options)

    def _of_copies(self, playback: Playback) -> Playback:
        if not isinstance(playback, SceneClip):
            return playback
        parts = tuple(
            replace(part, armature=identity(self.copies[part.armature]))
            for part in playback.parts
            if part.armature in self.copies
        )
        return replace(playback, parts=parts)

    def to_root(self, armature: str, frame: float) -> NDArray[np.float64]:
        """Return to_root of an armature's bones at a frame, (B, 4, 4), as Blender evaluates it."""
        set_frame(self.scene, frame)
        depsgraph = self.scene.view_layers[0].depsgraph
        return self.readers[armature].read_to_root(self.copies[armature].evaluated_get(depsgraph))


@contextmanager
def clip_scene(
    source: bpy.types.Scene,
    armatures: Sequence[bpy.types.Object],
    placed: Sequence[bpy.types.Object] = (),
    needed: Mapping[str, NDArray[np.bool_]] | None = None,
    played: Collection[str] = (),
    *,
    whole: Collection[str] = (),
) -> Iterator[ClipScene]:
    """Create the scene with copies of `armatures` and everything they depend on; remove all of it afterwards.

    placed: mesh objects whose transforms are wanted at every frame; their copies have neither modifiers nor
        shape keys.
    played: identities of the placed objects that keep both, up to the last Armature modifier: the input of a
        binding is read from their copies, frame by frame.
    whole: identities of the placed objects that keep everything, as Blender shows them.
    needed: the bones (B,) whose pose is wanted, by identity of the armature object; by default, all. Other
        bones may then be posed differently than in Blender.

    Creates and removes data-blocks and triggers frame change handlers: never call it while drawing.
    """
    # Read first, so that an armature that can't be read leaves nothing behind.
    readers: dict[str, ArmatureReader] = {identity(one): read_armature(one) for one in armatures}
    scene = bpy.data.scenes.new(SCENE_NAME)
    copies = _Copies(scene)
    try:
        take_over_settings(scene, source)
        named: dict[str, bpy.types.Object] = {identity(one): copies.of(one) for one in armatures}
        for copy in named.values():
            armature_of(copy).pose_position = "POSE"
        stand_ins: dict[str, bpy.types.Object] = {}
        for one in placed:
            name = identity(one)
            made = copies.of if name in whole else copies.playing if name in played else copies.undeformed
            stand_ins[name] = made(one)
        company = tuple(scene.collection.objects)
        take_over_frame(scene, source)
        for name, bones in (needed or {}).items():
            wanted = itertools.compress(readers[name].skeleton.names, bones)
            if trim_pose(named[name], tuple(wanted), company, scene):
                readers[name] = readers[name].of_copy(named[name])
        scene.view_layers[0].update()
        player = ClipPlayer(scene, source, copies.originals())
        yield ClipScene(scene, named, readers, stand_ins, player)
    finally:
        bpy.data.batch_remove([*copies.made, scene])


class _Copies:
    """Copies of objects with their animation, and of every object that they depend on.

    Dependencies are copied because everything evaluated in this scene, targets included, loses unkeyed edits.
    made: all data-blocks that were created.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.made: list[bpy.types.ID] = []
        self._scene = scene
        self._of: dict[bpy.types.Object, bpy.types.Object] = {}

    def originals(self) -> dict[str, str]:
        """Return the identity of each copied object's original, by the copy's identity."""
        return {identity(copy): identity(original) for original, copy in self._of.items()}

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        known = self._of.get(original)
        if known is not None:
            return known
        copy = self._of[original] = original.copy()
        self.made.append(copy)
        if copy.data is not None and original.data is not None:
            copy.data = data = copy.data.copy()
            self.made.append(data)
            own: dict[bpy.types.ID, bpy.types.ID] = {original.data: data}
            keys, own_keys = (getattr(one, "shape_keys", None) for one in (original.data, data))
            if keys is not None and own_keys is not None:
                own[keys] = own_keys
                self._turn_drivers(own_keys, own)
            self._turn_drivers(data, own)
        self._stop_hiding(copy)
        copy.hide_viewport = False
        self._scene.collection.objects.link(copy)
        if copy.parent is not None:
            inverse = copy.matrix_parent_inverse.copy()
            copy.parent = self.of(copy.parent)
            copy.matrix_parent_inverse = inverse
        for modifier, source in zip(copy.modifiers, original.modifiers, strict=True):
            if self._turn(modifier):
                restore(modifier, source)
            if isinstance(modifier, bpy.types.NodesModifier):
                self._turn_inputs(modifier)
        for constraint, source in zip(_constraints(copy), _constraints(original), strict=True):
            if self._turn(constraint):
                restore_matrices(constraint, source)
            for target in getattr(constraint, "targets", ()):
                self._turn(target)
        self._turn_drivers(copy)
        return copy

    def undeformed(self, original: bpy.types.Object) -> bpy.types.Object:
        """Return a mesh object's copy that has its original's transform and costs nothing to evaluate."""
        if original in self._of:
            # A bone depends on it, and needs it deformed.
            return self._of[original]
        copy = self.of(original)
        copy.modifiers.clear()
        if copy.parent_type == "ARMATURE":
            copy.parent_type = "OBJECT"
        keys = mesh_of(copy).shape_keys
        if keys is not None:
            uid = keys.session_uid
            copy.shape_key_clear()
            # Blender 4 leaves them behind without an owner, and warns about them when the file is saved.
            self.made.extend(one for one in bpy.data.shape_keys if one.session_uid == uid)
        return copy

    def playing(self, original: bpy.types.Object) -> bpy.types.Object:
        """Return a mesh object's copy that plays shape keys and modifiers, up to the last Armature modifier.

        If only shape keys play, it has no modifiers: deformed meshes keep their armature from being trimmed.
        """
        if original in self._of:
            # A bone depends on it, and needs it deformed.
            return self._of[original]
        copy = self.of(original)
        if not modifiers_play(original):
            copy.modifiers.clear()
            if copy.parent_type == "ARMATURE":
                copy.parent_type = "OBJECT"
            return copy
        for modifier in modifiers_after_armatures(original):
            copy.modifiers.remove(copy.modifiers[modifier.name])
        return copy

    def _stop_hiding(self, copy: bpy.types.Object) -> None:
        """Give a copy that keys hide actions of its own, without them: hidden, Blender does not evaluate it."""
        if HIDDEN not in animated_paths(copy):
            return
        for owner in owners_of_actions(copy):
            action, slot = owner.action, getattr(owner, "action_slot", None)
            if action is None:
                continue
            owner.action = own = action.copy()
            self.made.append(own)
            if slot is not None:
                owner.action_slot = own.slots[slot.identifier]
        stop_hiding(copy)

    def _turn(self, owner: bpy.types.bpy_struct) -> bool:
        """Redirect references from originals to their copies; return whether there were any."""
        turned = False
        for name in followed_properties(type(owner), OBJECTS):
            target = getattr(owner, name)
            # References to itself, as in bone constraints, may point to the copy already.
            if target is not None and target not in self.made:
                setattr(owner, name, self.of(target))
                turned = True
        return turned

    def _turn_inputs(self, modifier: bpy.types.NodesModifier) -> None:
        for identifier, value in list(node_inputs.data_blocks(modifier)):
            if isinstance(value, bpy.types.Object) and value not in self.made:
                node_inputs.hand_in(modifier, identifier, self.of(value))

    def _turn_drivers(
        self, block: bpy.types.ID, own: Mapping[bpy.types.ID, bpy.types.ID] | None = None
    ) -> None:
        """Redirect a copy's drivers to copies. own: copies of the object's data and shape keys."""
        animation = getattr(block, "animation_data", None)
        for curve in animation.drivers if animation else ():
            for target in (target for variable in curve.driver.variables for target in variable.targets):
                if isinstance(target.id, bpy.types.Object) and target.id not in self.made:
                    target.id = self.of(target.id)
                elif own and target.id in own:
                    target.id = own[target.id]


def _constraints(owner: bpy.types.Object) -> Iterator[bpy.types.Constraint]:
    yield from owner.constraints
    for bone in owner.pose.bones if owner.pose else ():
        yield from bone.constraints
