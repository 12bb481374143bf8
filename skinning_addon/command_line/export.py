"""`skinscope export`: skins, matrices and expected positions, for scripts and engine programmers."""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

import bpy

from ..core.errors import BindingError
from ..core.identity import Identity
from ..core.printable import printable
from ..core.profiles.profile import BLENDER
from ..measurement.bundle import MeshBundle
from ..measurement.clip_staging import Scanned
from ..measurement.engine_buffers import read_engine_buffers
from ..measurement.mesh_measurement import scene_unit
from ..measurement.scan import FramesOf, SceneScan
from ..measurement.scene_playing import playbacks
from ..measurement.stack_findings import cut_after_armature
from ..scene.deformed_meshes import deformed_meshes
from ..scene.identification import object_of
from .blender_session import chosen_frames, open_quietly, started_device
from .output_files import Outputs, prepared_folder
from .progress import ProgressLine
from .streams import complain

VERSION = 1
AXES = {"up": "Z", "forward": "-Y", "handedness": "right"}
"""Blender's own, which all positions and matrices are in."""

COMPLETE, INCOMPLETE = 0, 1

LONGEST_FOLDER = 100

DEVICES_OF_WINDOWS = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]")


def export(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the bundle and say what is in it; return 0, or 1 where a mesh had to be left out.

    Raises:
        SkinscopeError: the file can't be read, has no skinned mesh, or the folder can't be written to.
    """
    profile = arguments.profile or BLENDER
    folder = prepared_folder(arguments.output)
    device = started_device(arguments.device)
    with ProgressLine() as progress:
        open_quietly(arguments.file, progress)
        scene = bpy.context.scene
        meshes = deformed_meshes(scene)
        for finding in [finding for one in meshes for finding in cut_after_armature(one)]:
            complain(finding.message)
        chosen = playbacks(scene, arguments.clips)
        frames_of = chosen_frames(arguments.frames)
        with SceneScan(scene, meshes, device, (profile,)) as scan:
            bundles = _collected(scan, chosen, frames_of, progress)
            left_out = {name: str(error) for name, error in scan.refused.items()}
    left_out |= {name: one.problem for name, one in bundles.items() if one.problem}
    for problem in left_out.values():
        complain(problem)
    whole = {name: one for name, one in bundles.items() if name not in left_out}
    if not whole:
        raise BindingError(
            f"'{arguments.file}' has no mesh that can be exported; an armature has to deform it."
        )
    folders = dict(zip(whole, folder_names([Identity.of(one).name for one in whole]), strict=True))
    document = {
        "version": VERSION,
        "file": arguments.file,
        "profile": profile.id,
        "unit_scale": scene_unit(bpy.context.evaluated_depsgraph_get()),
        "axes": AXES,
        "engine_axes": asdict(profile.axes),
        "packing": {
            "weights": profile.weights.format.value,
            "last_implied": profile.weights.last_implied,
            "normalised_by": profile.shader.normalise.value,
            "normals": profile.shader.normals.value,
            "index_bits": profile.palette.index_bits,
            "palette_rows": profile.palette.rows,
            "palette_entries": profile.palette.entries,
        },
        "clips": [{"name": one.name, "frames": list(frames_of(one))} for one in chosen],
        "meshes": [_entry(one, folders[name]) for name, one in whole.items()],
        "left_out": [{**_named(name), "reason": reason} for name, reason in left_out.items()],
    }
    # Together, so that what an error leaves is an older bundle, and not parts of two.
    with Outputs() as outputs:
        for name, one in whole.items():
            outputs.arrays(folder / folders[name] / "skin.npz", one.skin_arrays())
            outputs.arrays(folder / folders[name] / "frames.npz", one.frame_arrays())
        # Last, so that a bundle with its list is a complete one.
        outputs.text(folder / "bundle.json", json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    frames = sum(len(frames_of(one)) for one in chosen)
    told = (
        f"{arguments.output}: {counted(len(whole), 'mesh', 'meshes')}, {counted(len(chosen), 'clip', 'clips')}, "
        f"{counted(frames, 'frame', 'frames')}."
    )
    print(printable(told), file=output)
    return INCOMPLETE if left_out else COMPLETE


def folder_names(objects: Sequence[str]) -> list[str]:
    """Make a folder name of each object's name: ASCII, in lower case, numbered where two would be the same.

    Short enough for every file system, and none that Windows keeps for its devices.
    """
    names: list[str] = []
    for name in objects:
        ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:LONGEST_FOLDER].rstrip("-") or "mesh"
        if DEVICES_OF_WINDOWS.fullmatch(slug):
            slug += "-mesh"
        number, candidate = 1, slug
        while candidate in names:
            number += 1
            candidate = f"{slug}-{number}"
        names.append(candidate)
    return names


def _collected(
    scan: SceneScan, chosen: Sequence[Scanned], frames_of: FramesOf, progress: ProgressLine
) -> dict[str, MeshBundle]:
    bundles: dict[str, MeshBundle] = {}
    total = sum(len(frames_of(one)) for one in chosen)
    done: set[tuple[str, float]] = set()
    for sample in scan.samples(chosen, frames_of):
        binding = scan.measured[sample.mesh].binding
        if sample.mesh not in bundles:
            depsgraph = bpy.context.evaluated_depsgraph_get()
            mesh_object = object_of(sample.mesh)
            buffers = read_engine_buffers(mesh_object, depsgraph, sample.profile)
            bundles[sample.mesh] = MeshBundle(binding, sample.measurement, buffers, sample.profile)
        bundles[sample.mesh].add(sample, binding)
        done.add((sample.playback.name, sample.frame))
        progress.frames(len(done), total)
    return bundles


def _entry(bundle: MeshBundle, folder: str) -> dict[str, object]:
    binding = bundle.binding
    return {
        **_named(binding.mesh_object),
        "armature": Identity.of(binding.armatures[0]).name,
        "armature_library": Identity.of(binding.armatures[0]).library,
        "folder": folder,
        "vertices": binding.mesh.vertex_count,
        "joints": len(bundle.passes[0].joints),
        "exact": binding.exact,
        "reasons": [reason.message for reason in binding.reasons],
        "passes": [
            {
                "armature": Identity.of(one.armature).name,
                "armature_library": Identity.of(one.armature).library,
                "blend": one.blend.value,
                "input": one.input.value,
                "masked": one.amount is not None,
            }
            for one in bundle.passes
        ],
    }


def _named(which: str) -> dict[str, object]:
    identity = Identity.of(which)
    return {"object": identity.name, "library": identity.library}


def counted(count: int, one: str, several: str) -> str:
    """Say how many there are."""
    return f"{count} {one if count == 1 else several}"
