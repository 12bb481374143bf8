"""One vertex of one mesh at one frame, with every number on its way to the pixel: what `skinscope learn`
prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.inspection.vertex_trace import VertexTrace, trace_vertex
from ..core.profiles.binding import Binding
from ..core.profiles.profile import Profile
from ..core.text.errors import UsageError
from ..scene.armatures.profiled_reading import reader_under
from ..scene.binding.armature_poses import PoseUnder
from ..scene.binding.frame import Frame
from ..scene.identification import identity, object_of
from ..scene.matrices import row_vectors
from ..scene.staging.clip_staging import Scanned
from .check.scan import SceneScan
from .frame.measured_run import Measurement
from .pictures.camera import Margins, three_quarter_camera

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Framing:
    """How a picture is framed if the scene has no camera: its size in pixels, and the margins around the
    meshes.
    """

    size: tuple[int, int]
    margins: Margins


@dataclass(frozen=True, eq=False)
class View:
    """Where a picture is taken from. All (4, 4) float64, row vectors.

    camera: name of the scene's camera; None if there is none and the mesh is framed as `skinscope render`
    does.
    world_to_view: looks along -Z. view_to_clip: OpenGL's clip space, depth from -w to w. size: pixels, width
    and height.
    """

    camera: str | None
    world_to_view: Matrix
    view_to_clip: Matrix
    size: tuple[int, int]

    @property
    def view_projection(self) -> Matrix:
        """world_to_view @ view_to_clip."""
        return self.world_to_view @ self.view_to_clip

    def pixel(self, clip: NDArray[np.float64]) -> tuple[float, float]:
        """Return the pixel of a clip-space position (4,), from the picture's upper left corner."""
        x, y = clip[:2] / clip[3]
        return float((x + 1) / 2 * self.size[0]), float((1 - y) / 2 * self.size[1])


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was measured.

    frame_number: as played. bones: by armature, posed to_root (B, 4, 4) of all its bones, from the profile's
    hierarchy.
    skinned, blender: (3,) mesh space, the vertex as skinned with the whole mesh, and Blender's.
    """

    binding: Binding
    frame: Frame
    frame_number: float
    trace: VertexTrace
    bones: dict[str, Matrix]
    skinned: NDArray[np.float64]
    blender: NDArray[np.float64]
    view: View


def read_lesson(
    scene: bpy.types.Scene,
    meshes: Sequence[bpy.types.Object],
    playback: Scanned,
    frame: float,
    *,
    profile: Profile,
    vertex: int | None,
    framing: Framing,
) -> Lesson:
    """Play to a frame and follow one vertex of the first mesh; the other meshes only appear in the picture.

    vertex: None for the first of those with the most influences.

    Raises:
        BindingError: the mesh can't be skinned. UsageError: it has no such vertex.
    """
    name = identity(meshes[0])
    with SceneScan(scene, meshes, "cpu", (profile,)) as scan:
        samples = list(scan.samples([playback], lambda _: [frame]))
        if name in scan.refused:
            raise scan.refused[name]
        sample = next(one for one in samples if one.mesh == name)
        binding, seen = scan.subject(name, sample.profile.id).binding, sample.measurement
        chosen = _vertex(binding, vertex)
        trace = trace_vertex(binding, seen.frame.chain, seen.frame.passes, seen.frame.palettes, chosen)
        instant = scan.instant
        bones: dict[str, Matrix] = {}
        for one in binding.passes:
            armature = object_of(one.armature)
            reader = reader_under(profile, instant.armatures.of(armature.evaluated_get(instant.depsgraph)))
            bones[one.armature] = instant.to_root_under(PoseUnder.of(profile, armature, reader), armature)
        return Lesson(
            binding=binding,
            frame=seen.frame,
            frame_number=frame,
            trace=trace,
            bones=bones,
            skinned=seen.skinned.positions[chosen].astype(np.float64),
            blender=seen.blender.positions[chosen].astype(np.float64),
            view=_view(scene, instant.depsgraph, [one.measurement for one in samples], framing),
        )


def _vertex(binding: Binding, asked: int | None) -> int:
    count = binding.mesh.vertex_count
    if asked is None:
        return int(binding.passes[0].skin.counts.argmax()) if binding.passes else 0
    if not 0 <= asked < count:
        raise UsageError(
            "'{mesh}' has no vertex {vertex}; choose one from 0 to {last}.",
            mesh=binding.mesh_object,
            vertex=asked,
            last=count - 1,
        )
    return asked


def _view(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, seen: Sequence[Measurement], framing: Framing
) -> View:
    """Look through the scene's camera, or as `render` does."""
    if scene.camera is None or not isinstance(scene.camera.data, bpy.types.Camera):
        positions = [
            one.skinned.positions @ one.frame.mesh_to_world[:3, :3] + one.frame.mesh_to_world[3, :3]
            for one in seen
        ]
        framed = three_quarter_camera(np.concatenate(positions), framing.size, framing.margins)
        return View(None, framed.world_to_view, framed.view_to_clip, framing.size)
    render = scene.render
    width, height = (
        max(1, one * render.resolution_percentage // 100)
        for one in (render.resolution_x, render.resolution_y)
    )
    camera = scene.camera.evaluated_get(depsgraph)
    projection = camera.calc_matrix_camera(
        depsgraph, x=width, y=height, scale_x=render.pixel_aspect_x, scale_y=render.pixel_aspect_y
    )
    # A camera's scale does not affect its view.
    camera_to_world = camera.matrix_world.normalized()
    return View(
        identity(scene.camera),
        row_vectors(camera_to_world.inverted()),
        row_vectors(projection),
        (width, height),
    )
