"""What a fit reached, and what it did not and why, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.refit.judging import Figures
from ...core.refit.kind import Kind
from ...core.text.counts import helper_bones
from ...core.text.length import format_length
from ...core.text.message import Message
from .fitting import RefittedMesh
from .recording import VARIED
from .refit import Refit

DOING = {
    "Playing": Message("playing clips and the range of motion"),
    "Fitting": Message("fitting weights"),
    "Fitting helper bones": Message("fitting helper bones"),
    "Fitting bones": Message("fitting the bones' motion"),
    "Fitting clip bones": Message("fitting clip bones"),
}
"""A fit's stages as the interface shows them."""

WORTH_TELLING = 1e-4
"""Metres: what is left below this is not worth a sentence."""


def fit_sentence(fit: Refit, metres: float) -> Message:
    """Say how near fitted weights come in clips, also on frames of them that the fit has not seen. metres: of
    the armature's unit.
    """
    meshes = _following(fit)
    if not meshes:
        return Message("No weights are fitted")
    if not any(mesh.fitted for mesh in meshes):
        return Message("No vertex needed a fit: all keep their weights")
    clips = {
        "most": _largest((mesh.after for mesh in meshes), metres),
        "most_before": _largest((mesh.before for mesh in meshes), metres),
    }
    unseen = [one for mesh in meshes for name, one in mesh.held_out.items() if name != VARIED]
    if not unseen:
        return Message(
            "Weights fitted: clips are off by at most {most}, by {most_before} with the largest weights",
            **clips,
        )
    return Message(
        "Weights fitted: clips are off by at most {most}, by {most_before} with the largest weights; in "
        "frames that the fit has not seen by {unseen} (99.9% within {nearly_all}), by {unseen_before} with "
        "the largest",
        **clips,
        unseen=_largest((mesh.held_out for mesh in meshes), metres),
        nearly_all=format_length(metres * max(one.nearly_all for one in unseen)),
        unseen_before=_largest((mesh.held_out_before for mesh in meshes), metres),
    )


def apart_sentences(fit: Refit) -> Iterator[Message]:
    """Say what is not in a fit: shape keys that move, and meshes that no weights can be fitted to."""
    if fit.without_keys:
        yield Message(
            "Distances of the fit are without shape keys that are keyed or driven, such as those of '{mesh}': "
            "the copy has them as well, and what it is off by in all counts them",
            mesh=fit.without_keys[0],
        )
    for mesh in fit.meshes:
        if mesh.moves_as_object:
            yield Message(
                "'{mesh}' keeps its largest weights: it moves against its armature as an object, which no "
                "weights make up for; parent it to '{armature}'",
                mesh=mesh.mesh_object,
                armature=fit.plan.armature,
            )


def pose_sentence(fit: Refit, metres: float) -> Message | None:
    """Say how near fitted weights come in poses that no clip has; None without any. metres: of the armature's
    unit.
    """
    after, before = (
        [of[VARIED].largest for mesh in fit.meshes if mesh.fitted and VARIED in (of := getattr(mesh, name))]
        for name in ("after", "before")
    )
    if not after or metres * max(after) <= WORTH_TELLING:
        return None
    return Message(
        "Poses of the range of motion, which no clip plays, are off by at most {most}, by {most_before} with "
        "the largest weights",
        most=format_length(metres * max(after)),
        most_before=format_length(metres * max(before)),
    )


def clip_bone_sentence(fit: Refit, metres: float) -> Message | None:
    """Say how near clips come without their clip bones, or that there are none; None if none were asked for.
    metres: of the armature's unit.
    """
    found = [one for mesh in fit.meshes for name, one in mesh.uncorrected.items() if name != VARIED]
    if not found:
        if not fit.asked_clip_bones:
            return None
        if not fit.helpers:
            return Message("There are no clip bones: they hang on helper bones, and there are none")
        return Message("There are no clip bones: clips come no nearer by them")
    return Message(
        "Clip bones bring these clips nearer: where they rest, as in other poses, helper bones alone would "
        "leave up to {most} in them (99.9% within {nearly_all})",
        most=format_length(metres * max(one.largest for one in found)),
        nearly_all=format_length(metres * max(one.nearly_all for one in found)),
    )


def drift_sentences(fit: Refit, metres: float) -> Iterator[Message]:
    """Say what baked clips are not for, and how far bones are from where they were authored. metres: of the
    armature's unit.
    """
    if fit.kind != Kind.BAKED:
        return
    yield Message("These clips are baked: do not blend or retarget them")
    if any(metres * one.distance > WORTH_TELLING for one in fit.drifts):
        turned = max(fit.drifts, key=lambda one: one.degrees)
        yield Message(
            "Bones are up to {distance} ('{bone}') and {degrees:.1f} degrees ('{turned}') from where they were "
            "authored; {count:,} stay there: root, hands, feet, head, eyes and sockets",
            distance=format_length(metres * fit.drifts[0].distance),
            bone=fit.drifts[0].bone,
            degrees=turned.degrees,
            turned=turned.bone,
            count=len(fit.anchored),
        )


def tolerance_sentence(fit: Refit, metres: float) -> Message | None:
    """Say whether a tolerance was reached; None if there was none. metres: of the armature's unit."""
    if not fit.tolerance:
        return None
    within = format_length(metres * fit.tolerance)
    reached, where = format_length(metres * fit.reached), _judged_by(fit)
    if fit.reached <= fit.tolerance:
        if fit.helpers == 1:
            return Message(
                "1 helper bone brings 99.9% within {reached} in {where}; {within} was asked for",
                reached=reached,
                where=where,
                within=within,
            )
        return Message(
            "{helpers:,} helper bones bring 99.9% within {reached} in {where}; {within} was asked for",
            helpers=fit.helpers,
            reached=reached,
            where=where,
            within=within,
        )
    return Message(
        "{within} is out of reach: the best is 99.9% within {reached} in {where}, with {helpers}; more bring "
        "nothing",
        where=where,
        helpers=helper_bones(fit.helpers),
        reached=reached,
        within=within,
    )


def _judged_by(fit: Refit) -> Message:
    """Name the frames that a tolerance is for, see `furthest_unseen`."""
    if all(set(mesh.held_out or mesh.after) - {VARIED} for mesh in _following(fit)):
        return Message("frames of clips that weights have not seen")
    return Message("frames that weights have not seen")


def missed(fit: Refit, profile: Profile, metres: float) -> Iterator[Message]:
    """Say whether a tolerance was reached, and what else was not, and why, the most first. metres: of the
    armature's unit.
    """
    yield from apart_sentences(fit)
    yield from drift_sentences(fit, metres)
    reached = tolerance_sentence(fit, metres)
    if reached is not None:
        yield reached
    limit = influence_limit(profile)
    left = _most((mesh.after for mesh in _following(fit)), metres)
    if limit is not None and left > WORTH_TELLING:
        yield Message(
            "Up to {distance} is left in clips where more than {limit} bones move the skin, or a modifier does",
            distance=format_length(left),
            limit=limit,
        )
    yield from filter(None, (clip_bone_sentence(fit, metres), pose_sentence(fit, metres)))
    sheared = [(bone, metres * off) for bone, off in fit.sheared if metres * off > WORTH_TELLING]
    if len(sheared) == 1:
        yield Message(
            "'{bone}' is sheared by itself, which engines can't hold: by up to {distance} at its tip",
            bone=sheared[0][0],
            distance=format_length(sheared[0][1]),
        )
    elif sheared:
        yield Message(
            "{count:,} bones are sheared by themselves, which engines can't hold: '{bone}' by up to {distance} "
            "at its tip",
            count=len(sheared),
            bone=sheared[0][0],
            distance=format_length(sheared[0][1]),
        )
    if fit.rejected_helpers == 1:
        yield Message("1 helper bone is left out, which made frames worse that the fit has not seen")
    elif fit.rejected_helpers:
        yield Message(
            "{count:,} helper bones are left out, which made frames worse that the fit has not seen",
            count=fit.rejected_helpers,
        )
    returned = sum(mesh.returned for mesh in fit.meshes)
    if returned == 1:
        yield Message(
            "1 vertex keeps its former weights, which are nearer in frames that the fit has not seen"
        )
    elif returned:
        yield Message(
            "{count:,} vertices keep their former weights, which are nearer in frames that the fit has not "
            "seen",
            count=returned,
        )


def _following(fit: Refit) -> list[RefittedMesh]:
    """Return the meshes that follow bones alone."""
    return [one for one in fit.meshes if not one.moves_as_object]


def _largest(figures: Iterable[dict[str, Figures]], metres: float) -> str:
    return format_length(_most(figures, metres))


def _most(figures: Iterable[dict[str, Figures]], metres: float) -> float:
    """Return the largest distance in clips, in metres."""
    found = (each.largest for one in figures for name, each in one.items() if name != VARIED)
    return metres * max(found, default=0.0)
