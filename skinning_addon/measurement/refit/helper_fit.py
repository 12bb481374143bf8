"""Helper bones for what an engine's limit of influences leaves off: found, hung under bones, fitted, judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.refit.helper_bones import Blends, HungHelper, hang
from ...core.refit.hierarchy import GameHierarchy
from ...core.refit.judging import NOTICEABLE, better_of, distances, figures, joined
from ...core.refit.progress import part
from ...core.refit.wanted import Wanted
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.skinning.skeleton import invert_affine
from ...core.skinning.skin import Skin
from .helped_weights import FitsWeights, MeshFit, Rule, helped_weights
from .helper_choice import HelperChoice

ROUNDS = 2
"""How often helpers are rejected and weights fitted again before the last fit."""


@dataclass(frozen=True, eq=False)
class Helpers:
    """H helpers as they are played. blends: over the joints without helpers. hung: over all frames. finals: (n,
    H, 4, 4), at the fitted ones.
    """

    blends: Blends
    hung: tuple[HungHelper, ...]
    finals: NDArray[np.float64]

    def of(self, helpers: NDArray[np.intp]) -> Helpers:
        """Return some of them."""
        return Helpers(
            self.blends.of(helpers), tuple(self.hung[one] for one in helpers), self.finals[:, helpers]
        )


@dataclass(frozen=True, eq=False)
class HelperFit:
    """helpers: those that are kept. skins: of each mesh, over the joints and then the helpers. wanted: with the
    helpers' motion. rejected: how many made frames worse that the fit has not seen.
    """

    helpers: Helpers
    skins: tuple[Skin, ...]
    wanted: tuple[Wanted, ...]
    rejected: int


def fit_helpers(
    fits: Sequence[MeshFit],
    hierarchy: GameHierarchy,
    rest_to_root: NDArray[np.float64],
    fitted: NDArray[np.intp],
    held_out: NDArray[np.bool_],
    *,
    count: int,
    sides: Sides,
    rule: Rule,
    last_fit: FitsWeights,
    clip_bones: bool = False,
    progress: Callable[[float], None],
) -> HelperFit:
    """Find up to `count` helpers for all meshes together, and fit weights with them.

    fits: at least one. rest_to_root: (D, 4, 4), of the hierarchy's bones. fitted: the recorded frames that
    `wanted` has, of which held_out (n,) are those that the fit may not see. last_fit: of weights, once helpers
    are chosen. clip_bones: whether helpers get some later, so that some serve what these leave.
    """
    work = _HelperWork(fits, held_out, sides, rule)
    rest = np.concatenate([np.eye(4)[None], rest_to_root])
    progress(0.0)
    choice = HelperChoice(held_out, sides, rest, rule, clip_bones=clip_bones)
    blends = choice.found(fits, count, lambda done: progress(0.3 * done))
    # What helpers do before they lose shear says which vertices follow them.
    helpers = Helpers(blends, (), blends.finals(fits[0].wanted.finals, rest))
    heads = work.heads(blends, work.fitted(helpers, lambda done: progress(0.3 + 0.2 * done)))
    hung = tuple(_hung(blends, heads, hierarchy, rest))
    helpers = Helpers(blends, hung, _finals(hung, fitted))
    return _without_worse(work, helpers, last_fit, lambda done: progress(0.5 + 0.5 * done))


def _hung(
    blends: Blends,
    heads: NDArray[np.float64],
    hierarchy: GameHierarchy,
    rest: NDArray[np.float64],
) -> Iterator[HungHelper]:
    still = np.broadcast_to(np.eye(4), (len(hierarchy.to_root), 1, 4, 4))
    to_root = np.concatenate([still, hierarchy.to_root], axis=1)
    finals = blends.finals(invert_affine(rest)[0] @ to_root, rest)
    for number, (shares, head) in enumerate(zip(blends.shares, heads, strict=True)):
        yield hang(shares, finals[:, number], head, to_root, rest)


def _without_worse(
    work: _HelperWork, helpers: Helpers, last_fit: FitsWeights, progress: Callable[[float], None]
) -> HelperFit:
    """Fit weights, and again without the helpers that make held-out frames worse, until none does."""
    rejected = 0
    parts = ROUNDS + 3
    skins = work.fitted(helpers, part(progress, 0, parts))
    for number in range(ROUNDS):
        worse = work.worse(helpers, skins)
        if not worse.any():
            break
        rejected += int(worse.sum())
        helpers, skins = work.without(helpers, skins, worse, part(progress, 1 + number, parts))
    last = work.fitted(helpers, lambda done: progress((ROUNDS + 1 + 2 * done) / parts), last_fit)
    # Where worst frames get better at the cost of the mean, helpers keep their weights of before.
    skins = work.instead(last, work.worse(helpers, last), skins)
    worse = work.worse(helpers, skins)
    rejected += int(worse.sum())
    skins = work.never_further_off(helpers, work.instead(skins, worse, work.without_helpers))
    used = work.used(helpers, skins)
    kept = np.flatnonzero(used | used[helpers.blends.mirrored])
    skins = tuple(_renumbered(one, work.joint_count, len(used), kept) for one in skins)
    helpers = helpers.of(kept)
    return HelperFit(helpers, skins, work.wanted(helpers), rejected)


class _HelperWork:
    def __init__(
        self,
        fits: Sequence[MeshFit],
        held_out: NDArray[np.bool_],
        sides: Sides,
        rule: Rule,
    ) -> None:
        self._fits, self._held_out = fits, held_out
        self._sides, self._rule = sides, rule
        self.joint_count = len(sides.mirrored_joints)

    def heads(self, blends: Blends, skins: Sequence[Skin]) -> NDArray[np.float64]:
        """Return where helpers are at rest, (H, 3): in the middle of the vertices that follow them, which then
        lose least by lost shear.
        """
        result = np.zeros((len(blends), 3))
        total = np.full(len(blends), np.finfo(np.float64).tiny)
        for fit, skin in zip(self._fits, skins, strict=True):
            own = skin.joints >= self.joint_count
            helpers, vertices = skin.joints[own] - self.joint_count, skin.vertex_of_influence[own]
            counts = np.square(skin.weights[own], dtype=np.float64)
            np.add.at(result, helpers, counts[:, None] * fit.wanted.rest[vertices])
            np.add.at(total, helpers, counts)
        image = result[blends.mirrored] * (-1.0, 1.0, 1.0)
        pairs = blends.mirrored != np.arange(len(blends))
        result[pairs] += image[pairs]
        total[pairs] += total[blends.mirrored][pairs]
        return result / total[:, None]

    def wanted(self, helpers: Helpers) -> tuple[Wanted, ...]:
        """Return what each mesh is to reach, with the helpers among the joints."""
        return tuple(fit.wanted_with(helpers.finals) for fit in self._fits)

    def fitted(
        self, helpers: Helpers, progress: Callable[[float], None], fit_skin: FitsWeights = fit_weights
    ) -> tuple[Skin, ...]:
        """Fit the weights of vertices that may follow helpers; the others keep theirs."""
        return tuple(
            helped_weights(
                fit,
                helpers.finals,
                self._held_out,
                self._sides_with(helpers),
                fit_skin=fit_skin,
                progress=part(progress, number, len(self._fits)),
            )
            for number, fit in enumerate(self._fits)
        )

    def without(
        self,
        helpers: Helpers,
        skins: Sequence[Skin],
        rejected: NDArray[np.bool_],
        progress: Callable[[float], None],
    ) -> tuple[Helpers, tuple[Skin, ...]]:
        """Return the helpers that are not rejected (H,), and skins whose weights are fitted again at vertices
        that followed the others.
        """
        kept = np.flatnonzero(~rejected)
        left, again = helpers.of(kept), []
        for number, (fit, skin) in enumerate(zip(self._fits, skins, strict=True)):
            own = _renumbered(skin, self.joint_count, len(rejected), kept)
            again.append(
                helped_weights(
                    replace(fit, skin=own),
                    left.finals,
                    self._held_out,
                    self._sides_with(left),
                    only=fit.alike.most(self._following(skin, rejected)),
                    progress=part(progress, number, len(self._fits)),
                )
            )
        return left, tuple(again)

    def used(self, helpers: Helpers, skins: Sequence[Skin]) -> NDArray[np.bool_]:
        """Mark the helpers (H,) that any vertex follows."""
        result = np.zeros(len(helpers.blends), dtype=np.bool_)
        for skin in skins:
            result[skin.joints[skin.joints >= self.joint_count] - self.joint_count] = True
        return result

    def worse(self, helpers: Helpers, skins: Sequence[Skin]) -> NDArray[np.bool_]:
        """Mark the helpers (H,) whose vertices lie further off, in the mean square over any clip's frames that
        the fit has not seen, than without helpers; with those of the other side.
        """
        result = np.zeros(len(helpers.blends), dtype=np.bool_)
        for fit, skin, wanted in zip(self._fits, skins, self.wanted(helpers), strict=True):
            if not (skin.joints >= self.joint_count).any():
                continue
            found = distances(wanted.of_frames(self._held_out), self._rule(skin))
            before = fit.after[:, self._held_out]
            within = NOTICEABLE * wanted.size
            sources = wanted.sources[self._held_out]
            for number in range(len(result)):
                own = np.unique(skin.vertex_of_influence[skin.joints == self.joint_count + number])
                for source in np.unique(sources).tolist() if len(own) else ():
                    cut = np.ix_(own, np.flatnonzero(sources == source))
                    with_it, without = figures(found[cut]), figures(before[cut])
                    result[number] |= with_it.root_mean_square > without.root_mean_square + within
        return result | result[helpers.blends.mirrored]

    def never_further_off(self, helpers: Helpers, skins: Sequence[Skin]) -> tuple[Skin, ...]:
        """Give single vertices whose largest distance grows on frames that the fit has not seen, and does not
        fall over all, the weights that they have without helpers.
        """
        result = []
        for fit, skin, wanted in zip(self._fits, skins, self.wanted(helpers), strict=True):
            found = distances(wanted, self._rule(skin))
            judged = better_of(fit.after, found, self._held_out, wanted.clips, wanted.size, alike=fit.alike)
            result.append(joined(skin, fit.skin, judged.returned))
        return tuple(result)

    @property
    def without_helpers(self) -> tuple[Skin, ...]:
        """Return what each mesh has without any."""
        return tuple(fit.skin for fit in self._fits)

    def instead(
        self, skins: Sequence[Skin], rejected: NDArray[np.bool_], others: Sequence[Skin]
    ) -> tuple[Skin, ...]:
        """Give vertices that follow rejected helpers (H,) other skins' weights, with all that go with them."""
        return tuple(
            joined(skin, other, fit.alike.most(self._following(skin, rejected)))
            for fit, skin, other in zip(self._fits, skins, others, strict=True)
        )

    def _following(self, skin: Skin, helpers: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the vertices (V,) that follow any of the marked helpers (H,)."""
        marked = np.concatenate([np.zeros(self.joint_count, dtype=np.bool_), helpers])
        result = np.zeros(skin.vertex_count, dtype=np.bool_)
        result[skin.vertex_of_influence[marked[skin.joints]]] = True
        return result

    def _sides_with(self, helpers: Helpers) -> Sides:
        return Sides(
            np.concatenate([self._sides.mirrored_joints, self.joint_count + helpers.blends.mirrored])
        )


def _finals(hung: Sequence[HungHelper], fitted: NDArray[np.intp]) -> NDArray[np.float64]:
    if not hung:
        return np.empty((len(fitted), 0, 4, 4))
    return np.stack([invert_affine(one.rest_to_root[None])[0] @ one.to_root[fitted] for one in hung], axis=1)


def _renumbered(skin: Skin, joint_count: int, helpers: int, kept: NDArray[np.intp]) -> Skin:
    """Return a skin over the joints and, of so many helpers, those that are kept."""
    table = np.arange(joint_count + helpers, dtype=np.int32)
    table[joint_count + kept] = joint_count + np.arange(len(kept))
    return Skin(skin.starts, table[skin.joints].astype(np.int32), skin.weights)
