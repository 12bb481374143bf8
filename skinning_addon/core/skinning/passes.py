"""A pass: one deformation of a mesh by one armature, and how passes chain and blend."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field
from ..maths.once import Once, each_time
from ..text.errors import InvalidArrayError
from .joints import Joints
from .skin import BoneSkin, RuledSkin, Skin


class Blend(Enum):
    """How the matrices of a vertex's joints are combined into one transformation."""

    LINEAR = "linear"
    VOLUME = "volume"
    """Blender's Preserve Volume: dual quaternions with the scale split off; see `volume_palette`."""
    DUAL_QUATERNION = "dual quaternion"
    """As published and as in engines: rigid motions only; see `dual_quaternion`. Blender never uses this."""


class PassInput(Enum):
    """The positions that a pass starts from."""

    PREVIOUS = "previous"
    """The result of the pass before it."""
    RUN_START = "run start"
    """The input of the nearest earlier pass with input PREVIOUS (Blender's Multi Modifier option)."""


class SkinRule(Protocol):
    """How a profile changes the weights of bones. once: shares what other rules make of the same weights.

    key: equal for rules that change all weights alike. is_by_vertex: whether what happens to a vertex depends
    on its own weights alone.
    """

    @property
    def key(self) -> Hashable: ...

    @property
    def is_by_vertex(self) -> bool: ...

    def __call__(self, skin: BoneSkin, once: Once = each_time) -> RuledSkin: ...


@dataclass(frozen=True, eq=False)
class FollowingWeights:
    """The sources of weights that change with the pose.

    Envelopes and bendy bones weight a vertex by its position at the start of the pass. If an earlier pass moves
    the vertices, that position, and so the skin, differs from frame to frame.

    grouped: the weights from vertex groups. by_envelopes: whether envelopes replace the groups.
    multiplied: whether bones with that option multiply their weights by their envelopes.
    rule: how a profile changes the bone weights; None for Blender itself.
    """

    grouped: BoneSkin
    by_envelopes: bool
    multiplied: bool = True
    rule: SkinRule | None = None

    @property
    def key(self) -> Hashable:
        """Equal for weights that are the same wherever the vertices are."""
        return self.grouped, self.by_envelopes, self.multiplied, None if self.rule is None else self.rule.key


@dataclass(frozen=True, eq=False)
class Pass:
    """One deformation of the mesh by one armature; Blender's stack of modifiers becomes a chain of passes.

    skin: the influences, joints numbered as in `joints`.
    joints: the entries of the palette.
    armature: name of the armature object whose pose the pass uses.
    blend: how the joints of a vertex are blended.
    amount: (V,) float32, or None for 1 everywhere; modifiers such as Bevel extrapolate weights beyond 0 and 1,
        and Blender uses them unclamped. It interpolates *positions*, v + amount * (skinned - v); folding it
        into the weights would be right only for linear blending.
    input: which positions the pass starts from.
    positional: whether the weights depend on where the vertices lie relative to the bones at rest, as with
        envelopes and bendy bones; they are then valid only while the mesh object does not move relative to the
        armature.
    rest_mesh_to_root: (4, 4) float64, the mesh object's place in the rest pose; None if it does not move
        relative to the armature, as for skins: its current place is used. Needed for parts carried by a bone.
    following: what the skin is rebuilt from at every frame; None if it is static, as it nearly always is.
    dropped: (V,) float32, the share of each vertex's weight that an engine dropped when deriving this skin from
        Blender's; None for Blender's own.
    authored_counts: (V,) int32, how many bones move each vertex by Blender's weights, before an engine limits
        them; None for Blender's own.
    """

    skin: Skin
    joints: Joints
    armature: str
    blend: Blend = Blend.LINEAR
    amount: NDArray[np.float32] | None = None
    input: PassInput = PassInput.PREVIOUS
    positional: bool = False
    rest_mesh_to_root: NDArray[np.float64] | None = None
    following: FollowingWeights | None = None
    dropped: NDArray[np.float32] | None = None
    authored_counts: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if self.amount is not None:
            amount = read_only("amount", self.amount, np.float32, (self.skin.vertex_count,))
            if not np.isfinite(amount).all():
                raise InvalidArrayError("amount must be a number for every vertex.")
            set_field(self, "amount", amount)
        if self.skin.joints.size and int(self.skin.joints.max()) >= len(self.joints):
            raise InvalidArrayError(
                f"The skin names joint {int(self.skin.joints.max())}, but there are only "
                f"{len(self.joints)} joints."
            )
