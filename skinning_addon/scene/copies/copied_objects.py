"""Copies of objects and of everything they depend on, as they are at the current frame.

Blender writes animated values back to the originals of everything a scene evaluates. Evaluating a user's object
in another scene, even just as a modifier's target, would thus revert every unkeyed edit, without undo. So
everything that a copy depends on is copied too, without animation, with the values that animation, drivers and
the user have set at the current frame. Copies have their originals' world transforms, but no parents or
constraints.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, cast

import bpy

from ..objects import node_inputs
from ..objects.modifier_stack import is_simulated, read_stack
from ..objects.node_trees import trees_of
from .copied_transforms import stand_at, stand_in_local_space
from .evaluated_values import take_evaluated_values
from .property_comparison import restore, restore_matrices

FOLLOWED = frozenset({"Object", "Collection", "Texture"})
"""Animatable data that modifiers, constraints, bone targets, node sockets and object data can point to."""

_TARGETS = (("target", "subtarget"), ("pole_target", "pole_subtarget"))
"""Constraint properties that refer to a target object and to its bone."""

_PARTS = re.compile(r"\d+|\D+")


class CopiedObjects:
    """Creates copies; `made` lists all data-blocks created, for the caller to remove.

    depsgraph: evaluates the originals; if None, their last evaluated transforms are used. origin: the empty
    that copies are parented to.
    """

    def __init__(self, origin: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> None:
        self.made: list[bpy.types.ID] = []
        self._made_uids: set[int] = set()
        self._origin = origin
        self._depsgraph = depsgraph
        self._copies: dict[bpy.types.ID, bpy.types.ID] = {}

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """Return the copy that replaces an object as a dependency, created on first use.

        Simulated objects become their current frame's mesh, without modifiers.
        """
        known = self._copies.get(original)
        if known is not None:
            return cast("bpy.types.Object", known)
        if original.type == "MESH" and any(map(is_simulated, original.modifiers)):
            return self._frozen(original)
        return self.with_modifiers(original, None)

    def with_modifiers(
        self,
        original: bpy.types.Object,
        modifiers: Collection[str] | None,
        *,
        by_parent: bool = True,
    ) -> bpy.types.Object:
        """Create another copy of an object, which keeps only the modifiers with these names; None for all.

        by_parent: whether a deforming parent still deforms it.
        """
        copy = self._keep(original.copy())
        # The first copy replaces the original as a dependency of others.
        self._copies.setdefault(original, copy)
        if modifiers is not None:
            for modifier in [one for one in copy.modifiers if one.name not in modifiers]:
                copy.modifiers.remove(modifier)
        if copy.animation_data:
            copy.animation_data_clear()
        stand_at(copy, self._placed(original), self._origin)
        copy.constraints.clear()
        self._give_own_data(copy)
        copy.hide_viewport = False
        self._follow(copy, {"instance_collection"})
        for modifier in copy.modifiers:
            self._follow_modifier(modifier, original.modifiers[modifier.name])
        if by_parent:
            self._deform_by_parent(copy, original)
        if copy.pose and original.pose:
            for bone, theirs in zip(copy.pose.bones, original.pose.bones, strict=True):
                for mine, source in zip(bone.constraints, theirs.constraints, strict=True):
                    self._follow_constraint(mine, source)
        if self._depsgraph:
            # Last, because redirecting to copies restores the originals' values.
            take_evaluated_values(copy, original, self._depsgraph)
        return copy

    def _frozen(self, original: bpy.types.Object) -> bpy.types.Object:
        depsgraph = self._depsgraph or bpy.context.view_layer.depsgraph
        copy = self.with_modifiers(original, (), by_parent=False)
        copy.data = self._keep(
            bpy.data.meshes.new_from_object(
                original.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph
            )
        )
        return copy

    def _placed(self, original: bpy.types.Object) -> bpy.types.Object:
        """Return an object with this one's transform at the depsgraph's frame."""
        return original.evaluated_get(self._depsgraph) if self._depsgraph else original

    def _new_empty(self) -> bpy.types.Object:
        return self._keep(bpy.data.objects.new(self._origin.name, None))

    def _keep(self, made: Any) -> Any:
        self.made.append(made)
        self._made_uids.add(made.session_uid)
        return made

    def _give_own_data(self, copy: bpy.types.Object) -> None:
        """Copy an object's data too: otherwise Blender would treat evaluation here as an edit of shared data.

        Meshes share their arrays with their copies, so this costs next to nothing.
        """
        if copy.data is None:
            return
        copy.data = data = self._keep(copy.data.copy())
        for block in (data, getattr(data, "shape_keys", None)):
            if block and block.animation_data:
                block.animation_data_clear()
        # A curve's data may refer to other objects, such as a bevel.
        self._follow(data)

    def _deform_by_parent(self, copy: bpy.types.Object, original: bpy.types.Object) -> None:
        """Replace a deforming parent with an equivalent first modifier, since copies have no such parent."""
        stack = read_stack(original)
        parent = stack.armature_parent or stack.deforming_parent
        if parent is None:
            return
        # Lattice, curve and armature objects have the same type names as the modifiers that deform by them.
        modifier: Any = copy.modifiers.new("Parent", cast("Any", parent.type))
        modifier.object = self.of(parent)
        if parent.type == "ARMATURE":
            modifier.use_vertex_groups = modifier.use_bone_envelopes = True
        elif parent.type == "CURVE":
            modifier.deform_axis = parent.track_axis
        copy.modifiers.move(len(copy.modifiers) - 1, 0)

    def _follow_modifier(self, modifier: bpy.types.Modifier, original: bpy.types.Modifier) -> None:
        followed = self._follow(modifier)
        if isinstance(modifier, bpy.types.NodesModifier):
            if self._depends_on_blocks(modifier.node_group):
                modifier.node_group = self._copy_of(modifier.node_group)
                followed = True
            for identifier, value in list(node_inputs.data_blocks(modifier)):
                if _is_followed(value):
                    node_inputs.hand_in(modifier, identifier, self._copy_of(value))
        if followed:
            restore(modifier, original)

    def _follow_constraint(self, constraint: bpy.types.Constraint, original: bpy.types.Constraint) -> None:
        if self._follow(constraint):
            restore_matrices(constraint, original)
        if isinstance(constraint, bpy.types.ArmatureConstraint):
            for target in constraint.targets:
                self._follow(target)
        if original.target_space == "LOCAL":
            for target in _objects_aimed_at(original):
                stand_in_local_space(self.of(target), self._placed(target), self._origin, self._new_empty)

    def _follow(self, owner: bpy.types.bpy_struct, names: Collection[str] | None = None) -> bool:
        """Redirect pointers from originals to copies; return whether there were any."""
        followed = False
        for name in followed_properties(type(owner)) if names is None else names:
            target = getattr(owner, name)
            # References to itself, as in bone constraints, point to the copy already.
            if target is not None and target.session_uid not in self._made_uids:
                setattr(owner, name, self._copy_of(target))
                followed = True
        return followed

    def _copy_of(self, original: Any) -> Any:
        known = self._copies.get(original)
        if known is not None:
            return known
        if isinstance(original, bpy.types.Object):
            return self.of(original)
        if isinstance(original, bpy.types.Collection):
            return self._copy_of_collection(original)
        copy = self._copies[original] = self._keep(original.copy())
        for block in (copy, getattr(copy, "node_tree", None)):
            if block and block.animation_data:
                block.animation_data_clear()
        if isinstance(original, bpy.types.NodeTree):
            self._follow_nodes(copy)
        return copy

    def _copy_of_collection(self, original: bpy.types.Collection) -> bpy.types.Collection:
        copy = self._copies[original] = self._keep(bpy.data.collections.new(original.name))
        copy.instance_offset = original.instance_offset
        for one in original.objects:
            member = self.of(one)
            # Hidden members aren't instanced.
            member.hide_viewport = one.hide_viewport
            copy.objects.link(member)
        for child in original.children:
            copy.children.link(self._copy_of(child))
        self._keep_order(original)
        return copy

    def _keep_order(self, original: bpy.types.Collection) -> None:
        """Name the members' copies so that they sort like the originals: nodes sort them by name."""
        members: list[bpy.types.ID] = [*original.objects, *original.children]
        for number, one in enumerate(sorted(members, key=lambda one: _natural(one.name))):
            self._copies[one].name = f".skinscope {number:06} {one.name}"[:60]

    def _depends_on_blocks(self, group: bpy.types.NodeTree | None) -> bool:
        """Tell whether a node group must be copied: it is animated, or refers to data-blocks that may be."""
        return any(
            tree.animation_data is not None
            or any(_named_by(node) or _named_by_sockets(node) for node in tree.nodes)
            for tree in trees_of(group)
        )

    def _follow_nodes(self, tree: bpy.types.NodeTree) -> None:
        for node in tree.nodes:
            self._follow(node, _named_by(node))
            for socket in _named_by_sockets(node):
                self._follow(socket, {"default_value"})
            inner = getattr(node, "node_tree", None)
            if inner is not None and self._depends_on_blocks(inner):
                cast("Any", node).node_tree = self._copy_of(inner)


@cache
def followed_properties(owner: type[bpy.types.bpy_struct], to: frozenset[str] = FOLLOWED) -> tuple[str, ...]:
    """Name a type's writable pointer properties whose targets have to be copied."""
    return tuple(
        one.identifier
        for one in owner.bl_rna.properties
        if isinstance(one, bpy.types.PointerProperty)
        and not one.is_readonly
        and one.fixed_type.identifier in to
    )


def _is_followed(value: object) -> bool:
    return isinstance(value, (bpy.types.Object, bpy.types.Collection, bpy.types.Texture))


def _named_by(node: bpy.types.Node) -> tuple[str, ...]:
    return tuple(name for name in followed_properties(type(node)) if getattr(node, name) is not None)


def _named_by_sockets(node: bpy.types.Node) -> list[bpy.types.NodeSocket]:
    return [one for one in node.inputs if _is_followed(getattr(one, "default_value", None))]


def _objects_aimed_at(constraint: bpy.types.Constraint) -> Iterator[bpy.types.Object]:
    """Yield targets that are whole objects, not bones: a bone's local space is relative to its armature."""
    for name, bone in _TARGETS:
        target: bpy.types.Object | None = getattr(constraint, name, None)
        if target is not None and not (target.pose and getattr(constraint, bone, "") in target.pose.bones):
            yield target


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a sort key that orders numbers within names by value and ignores case, as Blender does."""
    parts: list[str] = _PARTS.findall(name.casefold())
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
