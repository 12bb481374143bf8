"""The weights of many meshes, changed by a profile's rule at once.

A rule costs a few dozen calls, which take longer than the sums if a mesh is small. What happens to a vertex
rarely depends on the others, so the meshes' skins can be put one behind the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..maths.once import Known
from ..skinning.passes import SkinRule
from ..skinning.skin import BoneSkin, RuledSkin

LARGE = 4096
"""Skins of so many vertices are changed alone: then calls cost little beside the sums."""


class RuledTogether:
    """Skins, and what rules have made of them. A rule is applied to all skins that are there by then."""

    def __init__(self) -> None:
        self._skins: dict[BoneSkin, None] = {}
        self._ruled: dict[Hashable, dict[BoneSkin, RuledSkin]] = {}
        self._known = Known()

    def add(self, skin: BoneSkin) -> None:
        """Let a skin, as stored, be changed by every rule from now on."""
        if skin.vertex_count < LARGE:
            self._skins[skin] = None

    def ruled(self, rule: SkinRule, skin: BoneSkin) -> RuledSkin:
        """Return what a rule makes of a skin: the same as the rule alone."""
        if not rule.is_by_vertex or skin not in self._skins:
            return rule(skin, self._known)
        ruled = self._ruled.setdefault(rule.key, {})
        if skin not in ruled:
            waiting = tuple(one for one in self._skins if one not in ruled)
            if len(waiting) == 1:
                ruled[skin] = rule(skin, self._known)
                return ruled[skin]
            whole = self._known(waiting, lambda: BoneSkin.joined(waiting))
            ruled.update(zip(waiting, _parts(rule(whole, self._known), waiting), strict=True))
        return ruled[skin]


def _parts(ruled: RuledSkin, skins: Sequence[BoneSkin]) -> list[RuledSkin]:
    parts: list[RuledSkin] = []
    first = 0
    for one in skins:
        vertices = slice(first, first + one.vertex_count)
        starts = ruled.skin.starts[first : vertices.stop + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        part = BoneSkin(starts - starts[0], ruled.skin.indices[entries], ruled.skin.weights[entries])
        parts.append(RuledSkin(part, ruled.missing[vertices], ruled.dropped[vertices]))
        first = vertices.stop
    return parts
