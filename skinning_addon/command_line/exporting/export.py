"""`skinscope export`: skins, hierarchies, matrices and expected positions, for scripts and engine
programmers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import bpy

from ...core.profiles.profile import BLENDER, Profile
from ...core.text.errors import BindingError
from ...core.text.identity import Identity
from ...core.text.message import counted
from ...core.text.printable import printable
from ...measurement.bundles.bundle import MeshBundle
from ...measurement.bundles.engine_buffers import read_engine_buffers
from ...measurement.bundles.hierarchy_bundle import HierarchyBundle
from ...measurement.check.scan import FramesOf, SceneScan
from ...measurement.check.scene_playing import playbacks
from ...measurement.findings.stack_findings import cut_after_armature
from ...measurement.frame.mesh_measurement import scene_unit
from ...scene.identification import object_of
from ...scene.objects.carried_objects import SceneContents, scene_contents
from ...scene.objects.deformed_meshes import deformed_meshes, make_evaluable
from ...scene.staging.clip_staging import Scanned
from ..arguments.options import ALL_BONES
from ..arguments.shared_arguments import require_clips_from
from ..program.blender_session import chosen_frames, open_quietly, started_device
from ..program.clips_from import bring, names_to_play, packed_clips, told_of
from ..program.folder_names import folder_names
from ..program.output_files import Outputs, filled_folder
from ..program.progress import ProgressLine
from ..program.streams import complain
from .bundle_document import (
    BundleContent,
    everything_left_out,
    left_out_entry,
    packing_entry,
    said_of_left_out,
)

VERSION = 2
AXES = {"up": "Z", "forward": "-Y", "handedness": "right"}
"""Blender's own axes, used for all positions and matrices."""

COMPLETE, INCOMPLETE = 0, 1


def export(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the bundle and say what is in it; return 0, or 1 if part of a character had to be left out.

    Raises:
        SkinscopeError: the file can't be read, has nothing to export, or the folder can't be written to.
    """
    require_clips_from(arguments)
    with filled_folder(arguments.output) as folder:
        return _fill(folder, arguments, output)


def _fill(folder: Path, arguments: argparse.Namespace, output: TextIO) -> int:
    profile = arguments.profile or BLENDER
    device = started_device(arguments.device)
    with ProgressLine() as progress:
        with packed_clips(arguments.clips_from, arguments.file, arguments.clips, progress) as packed:
            open_quietly(arguments.file, progress)
            brought = bring(packed, retarget=arguments.retarget)
        scene = bpy.context.scene
        chosen = playbacks(scene, names_to_play(brought, arguments.clips))
        for one in told_of(brought, arguments.clips):
            complain(one.message)
        meshes = deformed_meshes(scene)
        for finding in [finding for one in meshes for finding in cut_after_armature(one)]:
            complain(finding.message)
        frames_of = chosen_frames(arguments.frames)
        contents = scene_contents(scene, meshes)
        if arguments.bones == ALL_BONES:
            for one in contents.carried:
                make_evaluable(object_of(one.object), scene, bpy.context.view_layer)
        with SceneScan(scene, meshes, device, (profile,)) as scan:
            hierarchy = _hierarchy(scan, profile, contents if arguments.bones == ALL_BONES else None)
            bundles = _collected(scan, hierarchy, chosen, frames_of, progress)
            refused = {name: str(error) for name, error in scan.refused.items()}
    refused |= {name: one.problem for name, one in bundles.items() if one.problem}
    left_out = everything_left_out(refused, contents, hierarchy)
    for one in left_out:
        if one.of_character:
            complain(one.reason)
    whole = [one for name, one in bundles.items() if name not in refused]
    content = BundleContent(whole, hierarchy)
    if not content.entries:
        raise BindingError(
            f"'{arguments.file}' has no mesh to export; a mesh needs an armature that deforms it."
        )
    folders = folder_names([Identity.of(name).name for name in content.entries])
    document = {
        "version": VERSION,
        "file": arguments.file,
        "profile": profile.id,
        "unit_scale": scene_unit(bpy.context.evaluated_depsgraph_get()),
        "axes": AXES,
        "engine_axes": asdict(profile.axes),
        "packing": packing_entry(profile),
        "clips_from": arguments.clips_from,
        "clips": [
            {
                "name": one.name,
                "file": arguments.clips_from if one.name in brought.names else arguments.file,
                "frames": list(frames_of(one)),
            }
            for one in chosen
        ],
        "bones": arguments.bones,
        **content.lists(folders),
        "left_out": [left_out_entry(one) for one in left_out],
    }
    # Together, so that an error leaves the older bundle, not a mix of two.
    with Outputs() as outputs:
        for name, arrays in content.files(folders):
            outputs.arrays(folder / name, arrays)
        # Last, so that a bundle with its index is a complete one.
        outputs.text(folder / "bundle.json", json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    frames = sum(len(frames_of(one)) for one in chosen)
    told = ", ".join(
        (
            *content.counts(),
            counted(len(chosen), "clip", "clips"),
            counted(frames, "frame", "frames"),
        )
    )
    print(printable(f"{arguments.output}: {told}."), file=output)
    if left_out:
        print(printable(said_of_left_out(left_out)), file=output)
    return INCOMPLETE if any(one.of_character for one in left_out) else COMPLETE


def _hierarchy(scan: SceneScan, profile: Profile, contents: SceneContents | None) -> HierarchyBundle:
    """Prepare for the frames. contents: what goes into the hierarchy; None for nothing."""
    if contents is None:
        return HierarchyBundle((), (), scan.instant.armatures, profile)
    skinning = (Identity.of(name) for one in scan.measured.values() for name in one.binding.armatures)
    armatures = dict.fromkeys((*skinning, *contents.armatures_with_parts()))
    return HierarchyBundle(armatures, contents.carried, scan.instant.armatures, profile)


def _collected(
    scan: SceneScan,
    hierarchy: HierarchyBundle,
    chosen: Sequence[Scanned],
    frames_of: FramesOf,
    progress: ProgressLine,
) -> dict[str, MeshBundle]:
    """Play all frames, adding them to the hierarchy and to the meshes, which are returned."""
    bundles: dict[str, MeshBundle] = {}
    total = sum(len(frames_of(one)) for one in chosen)
    for done, (playback, frame) in enumerate(scan.instants(chosen, frames_of), start=1):
        for sample in scan.samples_at(playback, frame):
            binding = scan.measured[sample.mesh].binding
            if sample.mesh not in bundles:
                mesh_object = object_of(sample.mesh)
                buffers = read_engine_buffers(mesh_object, scan.instant.depsgraph, sample.profile)
                bundles[sample.mesh] = MeshBundle(binding, sample.measurement, buffers, sample.profile)
            bundles[sample.mesh].add(sample, binding)
        hierarchy.add(scan.instant, playback.name, frame)
        progress.frames(done, total)
    return bundles
