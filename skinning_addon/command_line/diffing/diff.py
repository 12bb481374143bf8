"""`skinscope diff`: compares an engine's own positions with a bundle's prediction, and with Blender. Needs no
Blender.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from ...core.foreign.engine_axes import axes_from_directions
from ...core.foreign.engine_comparison import EngineComparison, PredictedMesh, compare_with_engine
from ...core.profiles.profile import BLENDER_ID
from ...core.skinning.deviation import Deviation, measure_deviation
from ...core.text.errors import ConfigError, InvalidArrayError
from ...core.verdicts.suppression import Suppression, this_day
from ...core.verdicts.tolerance import EXACT, Tolerance
from ...measurement.frame.worst_frame import WorstFrame, worst_frame
from ..arguments.config import find_config, read_config
from ..program.output_files import prepared_file, write_report
from .bundle_files import Arrays, Bundle, read_bundle
from .diff_report import Diff, write_diff
from .engine_positions import EnginePositions, read_engine_positions

AGREES, DIFFERS = 0, 1


def diff(arguments: argparse.Namespace, output: TextIO) -> int:
    """Compare, and write the report; return 0 if all vertices are within tolerance, else 1.

    Raises:
        SkinscopeError: a file can't be read, or the two can't be compared.
    """
    path = prepared_file(arguments.output, inputs=[arguments.positions]) if arguments.output else None
    bundle = read_bundle(arguments.bundle)
    engine = read_engine_positions(arguments.positions)
    result = compared(
        bundle,
        engine,
        arguments.mesh or "",
        arguments.positions,
        arguments.tolerance or EXACT,
        configured=configured_suppressions(bundle),
    )
    write_report(write_diff(result, arguments.format), path, output)
    return AGREES if result.passed else DIFFERS


def configured_suppressions(bundle: Bundle) -> tuple[Suppression, ...]:
    """Return those of the nearest configuration in a bundle's folder or above it that are about the bundle, or
    about the rig that it was exported from.

    Raises:
        ConfigError: the configuration can't be read.
    """
    inside = str(bundle.folder / "bundle.json")
    config = find_config(inside)
    if config is None:
        return ()
    names = (bundle.folder, str(bundle.document.get("file", "")))
    return tuple(one for files, one in read_config(config).suppressions if any(map(files.has, names)))


def compared(
    bundle: Bundle,
    engine: EnginePositions,
    mesh_name: str,
    file: str,
    tolerance: Tolerance,
    *,
    configured: Sequence[Suppression] = (),
) -> Diff:
    """Compare an engine's positions with a mesh of a bundle. mesh_name: '' for the one that the positions name.
    configured: suppressions besides those that the mesh object carries.

    Raises:
        ConfigError: the two can't be compared.
    """
    mesh = bundle.find_mesh(mesh_name or engine.object)
    arrays = bundle.arrays(mesh)
    frames = _frames(arrays, engine, file)
    ours = PredictedMesh(
        name=mesh["object"],
        rest=arrays["positions"],
        skinned=arrays["skinned_positions"][frames],
        drawn_vertex=arrays["drawn_vertex"],
        drawn_normals=arrays["drawn_normals"],
        drawn_uv=arrays["drawn_uv"],
        spaces={
            "mesh": np.tile(np.eye(4), (len(frames), 1, 1)),
            "world": arrays["mesh_to_world"][frames],
            "root": arrays["mesh_to_root"][frames],
        },
        metres_per_unit=bundle.metres_per_unit,
    )
    try:
        comparison = compare_with_engine(ours, engine.mesh)
    except InvalidArrayError as error:
        raise ConfigError(f"'{file}': {error}") from error
    measured = _Measured(arrays, frames, comparison, bundle.metres_per_unit)
    return Diff(
        bundle=str(bundle.folder),
        file=file,
        mesh=mesh["object"],
        armature=mesh["armature"],
        profile=bundle.profile,
        comparison=comparison,
        vertices=len(ours.rest),
        drawn=len(np.unique(ours.drawn_vertex)) if len(ours.drawn_vertex) else len(ours.rest),
        joints=mesh["joints"],
        predicted=measured.worst("skinned_positions"),
        blender=measured.worst("blender_positions"),
        tolerance=tolerance,
        expected_axes=_expected_axes(bundle),
        expected_unit=_expected_unit(bundle),
        suppressions=(*bundle.suppressions(mesh), *configured),
        today=this_day(),
    )


def _expected_axes(bundle: Bundle) -> NDArray[np.float64] | None:
    axes = bundle.document.get("engine_axes")
    if bundle.profile == BLENDER_ID or axes is None:
        return None
    return axes_from_directions(axes["up"], axes["forward"], axes["handedness"])


def _expected_unit(bundle: Bundle) -> float | None:
    axes = bundle.document.get("engine_axes")
    return None if bundle.profile == BLENDER_ID or axes is None else float(axes["unit"])


def _frames(arrays: Arrays, engine: EnginePositions, file: str) -> NDArray[np.intp]:
    """Return which of the bundle's frames match the engine's."""
    clips, frames = arrays["clip"].tolist(), arrays["frames"]
    count = len(engine.mesh.positions)
    if engine.frames is None:
        own = [index for index, clip in enumerate(clips) if engine.clips is None or clip in engine.clips]
        if len(own) != count:
            raise ConfigError(
                f"'{file}' has positions at {count} frames, and the bundle has {len(own)}; name the "
                "frames in 'frames' (and 'clip'), or write positions at all of them."
            )
        return np.array(own)
    names = list(dict.fromkeys(clips))
    if engine.clips is None and len(names) > 1:
        raise ConfigError(
            f"'{file}' does not say which clip its frames belong to; add 'clip': {', '.join(names)}."
        )
    of_frames = engine.clips or tuple(names * count)
    found: list[int] = []
    for clip, frame in zip(of_frames, engine.frames.tolist(), strict=True):
        here = [
            index for index, name in enumerate(clips) if name == clip and abs(frames[index] - frame) < 1e-4
        ]
        if not here:
            there = ", ".join(
                f"{one:g}" for one, name in zip(frames.tolist(), clips, strict=True) if name == clip
            )
            raise ConfigError(
                f"'{file}': the bundle has no frame {frame:g} of '{clip}'; it has {there or f'only {names}'}."
            )
        found.append(here[0])
    return np.array(found)


@dataclass(frozen=True, eq=False)
class _Measured:
    """The engine's positions compared with a bundle's."""

    arrays: Arrays
    frames: NDArray[np.intp]
    comparison: EngineComparison
    metres_per_unit: float

    def worst(self, name: str) -> WorstFrame:
        """Return the frame at which a vertex lies furthest from its position in the array of this name."""
        deviations = [self._deviation(name, index) for index in range(len(self.frames))]
        worst = max(range(len(deviations)), key=lambda index: deviations[index].max)
        one = deviations[worst]
        vertex = one.worst_vertex
        source = int(self._known[vertex]) if vertex >= 0 else -1
        described = worst_frame(
            one,
            str(self.arrays["clip"][self.frames[worst]]),
            float(self.arrays["frames"][self.frames[worst]]),
            frames=len(self.frames),
            bone=_strongest_joint(self.arrays, source),
            relative=max(deviation.relative for deviation in deviations),
        )
        return replace(described, worst_vertex=source)

    @property
    def _known(self) -> NDArray[np.intp]:
        return self.comparison.source[self.comparison.source >= 0]

    def _deviation(self, name: str, index: int) -> Deviation:
        source = self._known
        rest = self.arrays["positions"]
        return measure_deviation(
            self.comparison.positions[index][self.comparison.source >= 0],
            self.arrays[name][self.frames[index]][source],
            rest[source],
            diagonal=float(np.linalg.norm(np.ptp(rest, axis=0))),
            vertex_areas=np.ones(len(source)),
            mesh_to_world=self.arrays["mesh_to_world"][self.frames[index]],
            metres_per_unit=self.metres_per_unit,
        )


def _strongest_joint(arrays: Mapping[str, NDArray[Any]], vertex: int) -> str:
    if vertex < 0:
        return ""
    own = slice(int(arrays["starts"][vertex]), int(arrays["starts"][vertex + 1]))
    return str(arrays["joint_names"][arrays["joints"][own][np.argmax(arrays["weights"][own])]])
