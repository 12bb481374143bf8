"""A profile split into aspects: for each difference from Blender, a profile with that difference alone.

Skinning with one of them and with Blender's own profile shows how far that difference moves each vertex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from .export_options import FbxOptions, GltfOptions, NegativeFrames, Resampled, Sampling, UsdOptions
from .hierarchy import HierarchyRule
from .index_width import may_be_too_narrow
from .influence_limit import Keep, Normalise
from .profile import (
    BLENDER,
    Exporter,
    FileFormat,
    Importer,
    Lost,
    MeshMotion,
    PaletteLimits,
    Profile,
    Shader,
    ShaderBlend,
    ShaderNormalise,
    StoredWeights,
)

EVERY_KEY = FbxOptions(simplify_factor=0.0)
"""By default FBX's exporter leaves out keys, which is an aspect of its own."""


@dataclass(frozen=True)
class Aspect:
    """One cause of deviation.

    rule: stable identifier, as findings carry it. alone: Blender's profile with only this difference.
    poses_only: whether the mesh is bound as for Blender, and only posed differently.
    """

    rule: str
    alone: Profile
    poses_only: bool = False


HIDDEN_BY = {"mesh-moves": "skin-on-bone"}
"""Causes that do nothing to a mesh that another one affects: a mesh without its skin is held nowhere."""


@lru_cache(maxsize=64)
def aspects_of(profile: Profile) -> tuple[Aspect, ...]:
    """Split a profile into aspects; empty for Blender's own."""
    return tuple(_aspects(profile))


@lru_cache(maxsize=64)
def without_aspects(profile: Profile) -> Profile:
    """Return a profile of the same name that skins as Blender does."""
    return replace(
        profile,
        exporter=Exporter(),
        importer=Importer(),
        weights=StoredWeights(),
        hierarchy=HierarchyRule.MATRICES,
        palette=BLENDER.palette,
        shader=BLENDER.shader,
        lost=Lost(),
        exported_with=None,
    )


def influence_limit(profile: Profile) -> int | None:
    """Return the most influences per vertex that reach the shader, None if unlimited."""
    limits = [one for one in (profile.exporter.influences, profile.importer.influences) if one is not None]
    return min(limits, default=None)


def _aspects(profile: Profile) -> Iterator[Aspect]:
    exact = without_aspects(profile)
    yield from _losses(profile, exact)
    yield from _blends(profile, exact)
    yield from _dropped_weights(profile, exact)
    yield from _stored_weights(profile, exact)
    yield from _palettes(profile, exact)
    yield from _hierarchies(profile, exact)


def _losses(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    """Yield what a file doesn't hold of the rig."""
    for rule, is_lost, lost in _LOSSES:
        if is_lost(profile.lost):
            exporter = _with_bones_of(profile)
            every_key = EVERY_KEY if exporter.format is FileFormat.FBX else None
            # Which armature counts matters only where one alone does.
            which = profile.lost.counting_armature if lost.earlier_armatures else lost.counting_armature
            lost_alone = replace(lost, counting_armature=which)
            yield Aspect(rule, replace(exact, exporter=exporter, lost=lost_alone, exported_with=every_key))
    if profile.lost.mesh_motion is not MeshMotion.KEPT:
        lost, options = Lost(mesh_motion=profile.lost.mesh_motion), profile.export_options
        # Where the exporter looks for the mesh depends on its options.
        chosen = replace(options, simplify_factor=0.0) if isinstance(options, FbxOptions) else None
        yield Aspect("mesh-moves", replace(exact, lost=lost, exported_with=chosen))


def _blends(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    rule = _RULE_OF_BLEND.get(profile.shader.blend)
    if rule is not None:
        yield Aspect(rule, replace(exact, shader=replace(exact.shader, blend=profile.shader.blend)))


def _dropped_weights(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    """Yield what leaves out influences."""
    from_gltf = profile.exporter.format is FileFormat.GLTF
    if from_gltf or profile.importer.minimum_weight > 0:
        importer = Importer(minimum_weight=profile.importer.minimum_weight, normalise=Normalise.ALWAYS)
        exporter = Exporter(FileFormat.GLTF if from_gltf else FileFormat.NONE)
        yield Aspect("small-weights", replace(exact, exporter=exporter, importer=importer))
    limit = influence_limit(profile)
    if limit is not None:
        importer = _limit(profile, limit)
        yield Aspect("influence-limit", replace(exact, importer=importer, shader=_sums(profile)))


def _stored_weights(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    """Yield what changes the weights of influences that are kept."""
    if profile.exporter.format is FileFormat.USD:
        as_stored = replace(exact, exporter=Exporter(FileFormat.USD), shader=_sums(profile))
        yield Aspect("unweighted-in-usd", replace(as_stored, importer=profile.importer))
    if profile.exporter.format is FileFormat.FBX:
        as_stored = replace(exact, exporter=Exporter(FileFormat.FBX), exported_with=EVERY_KEY)
        # Blender leaves a vertex alone if its weights hardly add up to anything; the file still has them.
        yield Aspect("ignored-weights", as_stored)
        if _stays_unnormalised(profile):
            yield Aspect("not-normalised", replace(as_stored, shader=_sums(profile)))
    if profile.weights != StoredWeights():
        yield Aspect("weight-precision", replace(exact, weights=profile.weights, shader=_sums(profile)))


def _palettes(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    if may_be_too_narrow(profile.palette):
        yield Aspect("index-width", replace(exact, palette=profile.palette))
    if profile.palette.rest_at is not None:
        limits = PaletteLimits(entries=profile.palette.rest_at, beyond=profile.palette.beyond)
        yield Aspect("palette-overflow", replace(exact, palette=limits))


def _hierarchies(profile: Profile, exact: Profile) -> Iterator[Aspect]:
    if profile.hierarchy is not HierarchyRule.MATRICES:
        exporter = Exporter(deform_bones_only=profile.exporter.deform_bones_only)
        alone = replace(exact, exporter=exporter, hierarchy=profile.hierarchy)
        if isinstance(profile.thinned_by, UsdOptions):
            # Which scales are written again is one thing with how they are written.
            alone = replace(alone, exported_with=profile.thinned_by)
        yield Aspect(_rule_of(profile.hierarchy), alone, poses_only=True)
    if isinstance(profile.thinned_by, FbxOptions):
        thinned = replace(exact, exported_with=profile.thinned_by)
        yield Aspect("animation-simplified", thinned, poses_only=True)
    options = profile.export_options
    if isinstance(options, GltfOptions) and options.frame_step > 1:
        whole = replace(options, playback_range=False, negative_frames=NegativeFrames.SLIDE, samples=True)
        between = replace(exact, importer=_between_keys(profile), exported_with=whole)
        yield Aspect("frames-between-keys", between, poses_only=True)
    if isinstance(options, GltfOptions) and options.cuts:
        cut = replace(options, frame_step=1, samples=True)
        yield Aspect("frames-cut-in-file", replace(exact, exported_with=cut), poses_only=True)
    if isinstance(options, GltfOptions) and not options.samples_actions:
        curves = replace(options, frame_step=1, playback_range=False, negative_frames=NegativeFrames.SLIDE)
        between = replace(exact, importer=_between_keys(profile), exported_with=curves)
        yield Aspect("curves-not-sampled", between, poses_only=True)
    if isinstance(profile.thinned_by, Resampled) and profile.thinned_by.samples_per_second:
        resampled = profile.thinned_by
        importer = Importer(samples_per_second=resampled.samples_per_second, sampling=resampled.sampling)
        every_key = replace(
            resampled.file,
            frame_step=1,
            playback_range=False,
            negative_frames=NegativeFrames.SLIDE,
            samples=True,
        )
        alone = replace(exact, importer=importer, exported_with=every_key)
        yield Aspect("animation-resampled", alone, poses_only=True)


def _between_keys(profile: Profile) -> Importer:
    """Return an importer that keeps keys, and plays what is between them as the profile's does."""
    return Importer(sampling=Sampling.CHORD) if profile.importer.sampling is Sampling.CHORD else Importer()


_RULE_OF_BLEND = {ShaderBlend.LINEAR: "preserve-volume", ShaderBlend.DUAL_QUATERNION: "dual-quaternions"}


def _with_bones_of(profile: Profile) -> Exporter:
    """Return Blender's own weights, without the bones that the file lacks."""
    only = profile.exporter.deform_bones_only
    keeps_ancestors = only and profile.exporter.keeps_ancestors
    return Exporter(profile.exporter.format if keeps_ancestors else FileFormat.NONE, deform_bones_only=only)


def _rule_of(hierarchy: HierarchyRule) -> str:
    if hierarchy is HierarchyRule.PANDA3D:
        return "turned-before-scaled"
    if hierarchy.joins_by_component:
        return "component-scale"
    if hierarchy is HierarchyRule.USD:
        return "scaled-in-usd"
    return "sheared-in-fbx" if hierarchy.is_of_fbx else "sheared-local-matrix"


_LOSSES: tuple[tuple[str, Callable[[Lost], bool], Lost], ...] = (
    ("bendy-bones", lambda lost: lost.bendy_bones, Lost(bendy_bones=True)),
    ("envelopes", lambda lost: lost.envelopes, Lost(envelopes=True)),
    ("masked-modifier", lambda lost: lost.masks, Lost(masks=True)),
    ("several-modifiers", lambda lost: lost.earlier_armatures, Lost(earlier_armatures=True)),
    ("skin-on-bone", lambda lost: lost.skins_on_bones, Lost(skins_on_bones=True)),
    ("non-deform-bones", lambda lost: lost.non_deform_bones, Lost(non_deform_bones=True)),
)


def _limit(profile: Profile, limit: int) -> Importer:
    from_gltf = profile.exporter.format is FileFormat.GLTF
    by_exporter = from_gltf and profile.exporter.influences == limit
    overwritten = profile.importer.keep is Keep.LAST_SET and not by_exporter
    return Importer(
        influences=limit,
        # glTF files store the largest first.
        keep=Keep.LARGEST if from_gltf and not overwritten else profile.importer.keep,
        normalise=Normalise.ALWAYS if by_exporter else profile.importer.normalise,
    )


def _sums(profile: Profile) -> Shader:
    """Return Blender's blend with the profile's handling of weights that do not add up to one."""
    return Shader(
        ShaderBlend.BLENDER, profile.shader.normalise, profile.shader.origin, BLENDER.shader.normals
    )


def _stays_unnormalised(profile: Profile) -> bool:
    return (
        profile.importer.normalise is not Normalise.ALWAYS
        and profile.shader.normalise is ShaderNormalise.NEVER
    )
