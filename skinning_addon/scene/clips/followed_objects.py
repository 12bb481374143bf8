"""What an armature's pose depends on besides its own keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy


def followed_objects(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """List the objects that an armature's bones follow, by constraints, drivers or as its parent."""
    if armature.parent is not None:
        yield armature.parent
    yield from _targets((armature,))
    yield from followed_by_bones(armature)


def followed_by_bones(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """List the objects that an armature's bones follow, by constraints or drivers."""
    yield from _targets(armature.pose.bones if armature.pose else ())
    data = armature.animation_data
    for curve in data.drivers if data is not None else ():
        for variable in curve.driver.variables:
            yield from (one.id for one in variable.targets if isinstance(one.id, bpy.types.Object))


def _targets(owners: Iterable[bpy.types.Object | bpy.types.PoseBone]) -> Iterator[bpy.types.Object]:
    for constraint in (one for owner in owners for one in owner.constraints):
        targets = getattr(constraint, "targets", None) or (constraint,)
        for target in targets:
            followed = getattr(target, "target", None)
            if followed is not None:
                yield followed
