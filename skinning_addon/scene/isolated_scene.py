"""A scene of its own in which copies of objects are evaluated, so that nobody's own objects change.

Whatever a scene evaluates, Blender writes animated values back to the originals: evaluating an object of the user's in
another scene, even one that is only the target of a modifier there, takes back every edit that has no key yet, without
undo. So all that a copy depends on is a copy too, without animation: originals hold the values of the present frame, as
animation, drivers and the user have left them. Copies stand where the originals stand, freed of parents and constraints.

Node groups of geometry nodes may name objects inside them; those alone are evaluated as they are.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import bpy

SCENE_NAME = ".skinscope input"
"""Scenes made here; handlers that follow the user's scenes leave them out."""

SCENE_SETTINGS = ("use_simplify", "simplify_subdivision", "simplify_subdivision_render")
"""What of a scene's settings changes how modifiers are evaluated."""

IDENTITY = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


class IsolatedScene:
    """Makes copies and evaluates them. Use it as a context manager: they, and what was read of them, end with it.

    Makes and removes data-blocks, a few milliseconds: never use it while drawing.
    """

    def __init__(self, depsgraph: bpy.types.Depsgraph | None = None) -> None:
        """depsgraph: where the originals are evaluated; without one they stand where they were last seen."""
        self._depsgraph = depsgraph
        self._made: list[bpy.types.ID] = []
        self._copies: dict[bpy.types.Object, bpy.types.Object] = {}

    def __enter__(self) -> IsolatedScene:
        source = self._depsgraph.scene.original if self._depsgraph else bpy.context.scene
        self._scene = bpy.data.scenes.new(SCENE_NAME)
        self._made.append(self._scene)
        # The properties, not frame_set, which would run every add-on's frame handlers.
        self._scene.frame_current = source.frame_current
        self._scene.frame_subframe = source.frame_subframe
        for name in SCENE_SETTINGS:
            setattr(self._scene.render, name, getattr(source.render, name))
        self._origin = bpy.data.objects.new(SCENE_NAME, None)
        self._made.append(self._origin)
        return self

    def __exit__(self, *_: object) -> None:
        self._copies.clear()
        # All at once: Blender sorts out its users and relations anew after each removal.
        bpy.data.batch_remove(self._made)

    def copy_of(
        self, original: bpy.types.Object, modifiers: Collection[str] | None = None
    ) -> bpy.types.Object:
        """Return the copy of an object, made on first use with all that its modifiers and bones depend on.

        modifiers: the names of those that it keeps; None for all.
        """
        known = self._copies.get(original)
        if known is not None:
            return known
        copy = self._copies[original] = original.copy()
        self._made.append(copy)
        if modifiers is not None:
            for modifier in [one for one in copy.modifiers if one.name not in modifiers]:
                copy.modifiers.remove(modifier)
        if copy.animation_data:
            copy.animation_data_clear()
        self._give_own_data(copy)
        _stand_at(
            copy, original.evaluated_get(self._depsgraph) if self._depsgraph else original, self._origin
        )
        copy.constraints.clear()
        copy.hide_viewport = False
        for modifier in copy.modifiers:
            self._point_to_copies(modifier)
        for bone in copy.pose.bones if copy.pose else ():
            for constraint in bone.constraints:
                self._point_to_copies(constraint)
                if isinstance(constraint, bpy.types.ArmatureConstraint):
                    for target in constraint.targets:
                        self._point_to_copies(target)
        return copy

    def evaluated(self, copy: bpy.types.Object) -> bpy.types.Object:
        """Evaluate a copy as it is now."""
        self._scene.collection.objects.link(copy)
        view_layer = self._scene.view_layers[0]
        view_layer.update()
        return copy.evaluated_get(view_layer.depsgraph)

    def _give_own_data(self, copy: bpy.types.Object) -> None:
        """Copy an object's data too: Blender would take what is evaluated here for an edit of everybody's mesh.

        Meshes share their arrays with their copies, so this costs next to nothing.
        """
        if copy.data is None:
            return
        copy.data = data = copy.data.copy()
        self._made.append(data)
        for block in (data, getattr(data, "shape_keys", None)):
            if block and block.animation_data:
                block.animation_data_clear()

    def _point_to_copies(self, owner: bpy.types.bpy_struct) -> None:
        for name in object_properties(type(owner)):
            target = getattr(owner, name)
            # What names itself, as bones' constraints do, names its copy already.
            if target is not None and target not in self._made:
                setattr(owner, name, self.copy_of(target))
        if isinstance(owner, bpy.types.NodesModifier):
            for name, value in owner.items():
                if isinstance(value, bpy.types.Object):
                    owner[name] = self.copy_of(value)


@cache
def object_properties(owner: type[bpy.types.bpy_struct]) -> tuple[str, ...]:
    """Name the properties of a type that are objects and can be set."""
    return tuple(
        one.identifier
        for one in owner.bl_rna.properties
        if isinstance(one, bpy.types.PointerProperty)
        and not one.is_readonly
        and one.fixed_type.identifier == "Object"
    )


def _stand_at(copy: bpy.types.Object, placed: bpy.types.Object, origin: bpy.types.Object) -> None:
    """Put a copy where `placed` is. An inverse of a parent's matrix takes any matrix, shear and all, to the last digit."""
    world = placed.matrix_world.copy()
    copy.parent, copy.parent_type = origin, "OBJECT"
    copy.matrix_parent_inverse = world
    copy.delta_location = copy.delta_rotation_euler = (0, 0, 0)
    copy.delta_rotation_quaternion = (1, 0, 0, 0)
    copy.delta_scale = (1, 1, 1)
    # After the deltas, which are taken out of what is set here.
    copy.matrix_basis = IDENTITY
