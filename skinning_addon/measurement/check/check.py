"""A whole check: every skinned mesh of a scene over everything it plays, down to the worst frames and the
findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import bpy

from ...core.profiles.profile import Profile
from ...core.verdicts.finding import Finding, worst_first
from ...core.verdicts.tolerance import EXACT, Tolerance
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.instant import Instant
from ...scene.identification import identity, object_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.instanced_meshes import bring_in_instanced
from ...scene.objects.modifier_stack import is_simulated
from ...scene.objects.render_visibility import rendered_objects, show_as_rendered
from ...scene.staging.clip_staging import Scanned
from ..findings.export_findings import MissingSurface, findings_of_modifiers, missing_surface
from ..findings.file_findings import (
    finding_of_rest,
    finding_of_stillness,
    findings_of_clips,
    findings_of_drivers,
    findings_of_libraries,
)
from ..findings.playback_losses import PlaybackLosses
from ..findings.rig_findings import (
    finding_of_hidden,
    finding_of_refusal,
    findings_of_binding,
    findings_of_unbound_meshes,
    findings_of_visibility,
    nothing_to_check,
)
from ..findings.stack_findings import StackFault, cut_after_armature, faults_of_stack
from ..findings.suppressions import suppressions_of
from ..findings.weight_findings import findings_of_rig
from ..frame.character_height import height_scales
from ..frame.mesh_measurement import MeshMeasurement
from ..refit.copy_estimate import Character, findings_of_cure
from .block_measuring import Alone, BlockMeasuring, Followers, Progress, Sharing
from .causes import Attributions, StackMeasurements
from .check_settings import CheckSettings
from .frame_blocks import blocks_of
from .report import FileReport, MeshReport
from .scan import SceneScan
from .scan_state import ScanState
from .scene_playing import is_still, playbacks, with_ranges_where_still
from .worst_frames import Subject, WorstFrames


def default_tolerance(profile: Profile, good: float) -> Tolerance:
    """Return the default distance a mesh may lie from Blender's, in metres: rounding under Blender's own
    profile, and the limit for good under an engine's.
    """
    # More digits than these are of no use.
    return EXACT if profile.is_blender else Tolerance(float(f"{good:.3g}"), relative=False)


def check_scene(
    scene: bpy.types.Scene,
    file: str,
    settings: CheckSettings,
    progress: Progress | None = None,
    sharing: Sharing | None = None,
) -> FileReport:
    """Check the meshes of the open scene, and of its file. sharing: with other processes, if any.

    Changes the scene: it plays clips, shows hidden meshes, and switches off modifiers after the armature.

    Raises:
        UsageError: the clip or the frames don't exist.
    """
    bring_in_instanced(scene)
    meshes, findings = _meshes_to_check(scene, as_rendered=settings.as_rendered)
    faults: dict[str, tuple[StackFault, ...]] = {identity(one): faults_of_stack(one) for one in meshes}
    for one in meshes:
        cut_after_armature(one)
    worst = WorstFrames(height_scales(scene, meshes), settings.thresholds)
    with (
        SceneScan(
            scene,
            meshes,
            settings.device,
            settings.profiles,
            as_rendered=settings.as_rendered,
            follow_simulations=True,
        ) as scan,
        Attributions(scan, settings.thresholds) as attributions,
        StackMeasurements(scene, scan, faults, settings.thresholds) as stacks,
    ):
        findings += _of_rigs([one for one in meshes if identity(one) in scan.measured], scan.instant)
        # Before anything plays: modifiers may be animated.
        missing = _missing_surfaces(scan)
        chosen, of_clips = _played(scene, scan, settings.clips)
        findings += of_clips
        resting = {name for name, one in scan.measured.items() if one.binding.joint_count}
        sharing = sharing if sharing is not None and not _depends_on_frames_before(scene) else Alone()
        blocks = blocks_of(chosen, settings.frames_of, sharing.most)
        measuring = BlockMeasuring(scan, Followers(worst, attributions, stacks), blocks, settings, progress)
        states = sharing.run(blocks, measuring)
        measuring.put(reduce(ScanState.then, states))
        resting -= measuring.posed
        reports = _mesh_reports(scan, worst, settings)
        for one in scan.measured.values():
            findings += findings_of_binding(one.binding)
        findings += attributions.findings(worst)
        findings += stacks.findings(worst)
        losses = reduce(PlaybackLosses.then, (measuring.losses(*one) for one in enumerate(states)))
        findings += _of_playback(scan, losses.without(scan.refused), settings, worst)
        findings += _of_modifiers(scan, missing, settings, worst)
        findings += list(_cures(scan, chosen, reports, findings))
        findings += [finding_of_rest(name) for name in sorted(resting - scan.refused.keys())]
        findings += [finding_of_refusal(name, error) for name, error in scan.refused.items()]
    findings += [*findings_of_unbound_meshes(scene), *findings_of_libraries(), *findings_of_drivers(scene)]
    if not meshes:
        findings.append(nothing_to_check())
    suppressions, unreadable = suppressions_of(scene.objects)
    return FileReport(file, reports, worst_first([*findings, *unreadable]), suppressions=tuple(suppressions))


def _meshes_to_check(
    scene: bpy.types.Scene, *, as_rendered: bool
) -> tuple[list[bpy.types.Object], list[Finding]]:
    """Return the deformed meshes, and findings about what is hidden. as_rendered: see `CheckSettings`."""
    findings = [finding for one in scene.objects for finding in findings_of_visibility(one)]
    if not as_rendered:
        return deformed_meshes(scene), findings
    show_as_rendered(scene)
    meshes, rendered = deformed_meshes(scene), rendered_objects(scene)
    findings += [finding_of_hidden(one) for one in meshes if one not in rendered]
    return [one for one in meshes if one in rendered], findings


def _played(
    scene: bpy.types.Scene, scan: SceneScan, clips: tuple[str, ...] | None
) -> tuple[Sequence[Scanned], list[Finding]]:
    """Return what to play, and findings about it. clips: see `CheckSettings`."""
    chosen = playbacks(scene, clips)
    if clips is not None:
        return chosen, []
    findings = [*findings_of_clips(scene, chosen)]
    chosen = with_ranges_where_still(scene, chosen)
    if scan.measured and is_still(chosen[:1]):
        findings.append(finding_of_stillness(chosen))
    return chosen, findings


def _of_playback(
    scan: SceneScan,
    losses: PlaybackLosses,
    settings: CheckSettings,
    worst: WorstFrames,
) -> Iterator[Finding]:
    """Report what the exported files lack of what Blender plays."""
    yield from losses.of_clips(settings.profiles)
    for mesh, profile_id in worst.subjects():
        measured = scan.subject(mesh, profile_id)
        body = worst.body((mesh, profile_id))
        yield from losses.of_mesh(measured.binding, measured.profile, body, settings.thresholds)


def _cures(
    scan: SceneScan,
    chosen: Sequence[Scanned],
    reports: Sequence[MeshReport],
    findings: Sequence[Finding],
) -> Iterator[Finding]:
    """Name game-ready copies as the cure of meshes that are off, with what they would leave."""
    scan.player.restore()
    figures: dict[tuple[str, str], list[MeshReport]] = {}
    for one in reports:
        if len(set(one.armatures)) == 1:
            figures.setdefault((one.profile, one.armatures[0]), []).append(one)
    characters: dict[tuple[str, ...], Character] = {}
    for (profile, armature), meshes in figures.items():
        off = {one.object: one.worst for one in meshes}
        if (armature, *off) not in characters:
            copied = [object_of(one) for one in off]
            characters[armature, *off] = Character(scan.scene, object_of(armature), copied, chosen)
        character = characters[armature, *off]
        yield from findings_of_cure(character, off, findings, scan.subject(meshes[0].object, profile).profile)


def _missing_surfaces(scan: SceneScan) -> dict[str, MissingSurface]:
    """Measure what meshes lack without their modifiers, by mesh, at the current frame."""
    unit = scan.scene.unit_settings.scale_length
    found = {name: missing_surface(object_of(name), one.binding, unit) for name, one in scan.measured.items()}
    return {name: one for name, one in found.items() if one is not None}


def _of_modifiers(
    scan: SceneScan, missing: Mapping[str, MissingSurface], settings: CheckSettings, worst: WorstFrames
) -> Iterator[Finding]:
    for mesh, profile_id in worst.subjects():
        if mesh in missing:
            measured, body = scan.subject(mesh, profile_id), worst.body((mesh, profile_id))
            yield from findings_of_modifiers(
                missing[mesh], measured.binding, measured.profile, body, settings.thresholds
            )


def _of_rigs(meshes: Sequence[bpy.types.Object], instant: Instant) -> Iterator[Finding]:
    for one in meshes:
        contents = instant.contents(one)
        binding = read_binding(
            one, instant.depsgraph, contents, armatures=instant.armatures, once=instant.once
        )
        yield from findings_of_rig(one, contents, binding)


def _depends_on_frames_before(scene: bpy.types.Scene) -> bool:
    """Whether a frame of the scene may depend on those that were shown before it."""
    return scene.rigidbody_world is not None or any(
        one.particle_systems or any(map(is_simulated, one.modifiers)) for one in scene.objects
    )


def _mesh_reports(scan: SceneScan, worst: WorstFrames, settings: CheckSettings) -> tuple[MeshReport, ...]:
    order = {one.id: number for number, one in enumerate(settings.profiles)}
    # Profiles of different exporters see the clips in turn.
    subjects = sorted(worst.subjects(), key=lambda one: order[one[1]])
    return tuple(_mesh_report(scan.subject(*one), worst, one, settings) for one in subjects)


def _mesh_report(
    measured: MeshMeasurement, worst: WorstFrames, subject: Subject, settings: CheckSettings
) -> MeshReport:
    binding = measured.binding
    return MeshReport(
        object=binding.mesh_object,
        armatures=binding.armatures,
        vertices=binding.mesh.vertex_count,
        joints=binding.joint_count,
        exact=binding.exact,
        reasons=tuple(reason.message for reason in binding.reasons),
        device=settings.device,
        technique=measured.technique,
        profile=measured.profile.id,
        worst=worst.frame(subject),
        tolerance=settings.tolerance or default_tolerance(measured.profile, worst.good(subject[0])),
        exporter_settings=measured.profile.exporter_settings,
        verified=measured.profile.verified,
    )
