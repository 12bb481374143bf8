"""Pictures of a character at one instant: as Blender draws it, or with its meshes skinned and drawn by us."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.skinning.mesh import DrawMesh
from ...core.skinning.passes import Pass
from ...core.text.errors import BindingError
from ...core.text.round_number import nearest_round_number
from ...core.verdicts.verdict import HEIGHT_OF_THRESHOLDS
from ...drawing.chain_cache import ChainCache
from ...drawing.display_settings import USUAL_LIMIT, DisplaySettings
from ...drawing.displays import WIREFRAME, find_display
from ...drawing.draw_call import DrawCallSize
from ...drawing.heat_scale import HeatScale
from ...drawing.off_screen import Picture
from ...drawing.skinned_drawing import SkinnedDrawing
from ...drawing.techniques import TechniqueChoice
from ...scene.binding.frame import Frame
from ...scene.identification import object_of
from ...scene.meshes.blender_result import BlenderResult
from ...scene.meshes.mesh_reader import read_draw_mesh
from ...scene.meshes.stack_input import input_mesh
from ...scene.staging.clip_staging import Scanned
from ..check.scan import SceneScan
from ..frame.measured_run import Measurement
from .blender_view import draw_blender_view
from .camera import Camera
from .material_looks import material_looks
from .played_meshes import PlayedMesh

SKIN_COLOR = (0.36, 0.52, 0.66)
"""Linear Rec.709: a blue that can't be taken for Blender's own grey."""

EDGE_COLOR = (0.35, 0.6, 0.85, 1.0)
"""For edges alone, against the dark background."""

EDGE_OVER_HEAT = (1.0, 1.0, 1.0, 0.22)
"""Faint: the heat map's colours matter more."""


@dataclass(frozen=True, eq=False)
class PosedMesh:
    """One mesh object at the instant of the picture."""

    name: str
    binding: Binding
    draw_mesh: DrawMesh
    measurement: Measurement

    @property
    def frame(self) -> Frame:
        """The bound mesh at this instant."""
        return self.measurement.frame

    @property
    def reference(self) -> BlenderResult | None:
        """Blender's own result."""
        return self.measurement.blender

    @property
    def world_positions(self) -> NDArray[np.float64]:
        """(V, 3), skinned."""
        mesh_to_world = self.measurement.frame.mesh_to_world
        return self.measurement.skinned.positions @ mesh_to_world[:3, :3] + mesh_to_world[3, :3]


def posed_meshes(scan: SceneScan, playback: Scanned, frame: float) -> list[PosedMesh]:
    """Play `playback` to a frame, and measure all meshes of `scan` there.

    Raises:
        BindingError: none of them can be skinned; the message is that of the first.
    """
    posed = []
    for sample in scan.samples([playback], lambda _: [frame]):
        with input_mesh(object_of(sample.mesh), bpy.context.evaluated_depsgraph_get()) as mesh:
            draw_mesh = read_draw_mesh(mesh)
        posed.append(
            PosedMesh(sample.mesh, scan.measured[sample.mesh].binding, draw_mesh, sample.measurement)
        )
    if not posed:
        raise next(
            iter(scan.refused.values()),
            BindingError("The active scene has no mesh with an armature."),
        )
    return posed


def framed_points(posed: Sequence[PosedMesh]) -> NDArray[np.float64]:
    """Return the positions that a camera should frame, (N, 3), world space."""
    return np.concatenate([one.world_positions for one in posed])


def heat_scale_for(posed: Sequence[PosedMesh], metres_per_unit: float) -> HeatScale:
    """Choose the scale, in scene units, that suits the character's height at rest.

    The scale for 1.8 m times a round number, so that ticks stay round and a colour means the same distance
    for all characters of similar size.
    """
    rest = [
        one.binding.mesh.positions @ one.measurement.frame.mesh_to_world[:3, 2]
        + one.measurement.frame.mesh_to_world[3, 2]
        for one in posed
    ]
    heights = np.concatenate(rest)
    height = float(np.ptp(heights)) * metres_per_unit if heights.size else 0.0
    factor = nearest_round_number(height / HEIGHT_OF_THRESHOLDS) if height > 0 else 1.0
    return HeatScale().scaled(factor / metres_per_unit)


AUTOMATIC_CHOICE = TechniqueChoice()


class CharacterPicture:
    """Draws into one picture, at twice its size for smooth edges. Owns its GPU memory, and what is costly to
    compute from the meshes' bindings: free it after use.

    draw_calls: of each mesh in the last drawing.
    """

    SAMPLES = 2

    def __init__(self, scene: bpy.types.Scene, size: tuple[int, int], camera: Camera) -> None:
        """size: width and height of the result in pixels."""
        self._scene = scene
        self._camera = camera
        self._picture = Picture(self.SAMPLES * size[0], self.SAMPLES * size[1])
        self.draw_calls: list[tuple[DrawCallSize, ...]] = []
        self._caches: dict[tuple[Pass, ...], ChainCache] = {}

    def blender(self) -> NDArray[np.uint8]:
        """Draw the scene as Blender does; (height, width, 4), sRGB, the top row first."""
        draw_blender_view(self._picture, self._scene, bpy.context.view_layer, self._camera)
        return self._pixels()

    def skinned(
        self,
        posed: Sequence[PosedMesh | PlayedMesh],
        display: str,
        heat_scale: HeatScale,
        *,
        wireframe: bool = False,
        technique: TechniqueChoice = AUTOMATIC_CHOICE,
        limit: int | None = USUAL_LIMIT,
    ) -> NDArray[np.uint8]:
        """Draw `posed` with our own shaders, inside Blender's drawing of the rest of the scene.

        limit: see `DisplaySettings.influence_limit`.

        Raises:
            BindingError: a mesh can't be skinned by this technique.
        """
        self.draw_calls.clear()
        with _hidden([one.name for one in posed]):
            draw_blender_view(self._picture, self._scene, bpy.context.view_layer, self._camera)
        settings = DisplaySettings(
            base_color=SKIN_COLOR,
            wire_color=EDGE_COLOR if display == WIREFRAME else EDGE_OVER_HEAT,
            wireframe=wireframe,
            heat_scale=heat_scale,
            influence_limit=limit,
        )
        for one in posed:
            self._draw(one, display, settings, technique)
        return self._pixels()

    def _draw(
        self,
        posed: PosedMesh | PlayedMesh,
        display: str,
        settings: DisplaySettings,
        choice: TechniqueChoice,
    ) -> None:
        chain, mesh, draw_mesh = posed.frame.chain, posed.binding.mesh, posed.draw_mesh
        cache = self._caches.setdefault(chain, ChainCache(chain))
        draw_calls = choice.technique.draw_calls(cache, mesh, draw_mesh, choice.limit)
        drawing = SkinnedDrawing(chain, mesh, draw_mesh, draw_calls=draw_calls)
        try:
            self.draw_calls.append(drawing.sizes)
            drawing.update(posed.frame.palettes)
            blender = posed.reference
            if find_display(display).needs_reference and blender is not None:
                drawing.set_reference(blender.positions, blender.normals)
            drawing.set_materials(material_looks(object_of(posed.name)))
            with self._picture.drawing():
                drawing.draw(
                    display,
                    self._camera.world_to_view,
                    self._camera.view_to_clip,
                    posed.frame.mesh_to_world,
                    settings,
                )
        finally:
            drawing.free()

    def _pixels(self) -> NDArray[np.uint8]:
        return averaged(self._picture.pixels(), self.SAMPLES)

    def free(self) -> None:
        """Free the GPU memory."""
        self._picture.free()
        self._caches.clear()


@contextmanager
def _hidden(names: Sequence[str]) -> Iterator[None]:
    """Keep Blender from drawing objects while the block runs."""
    # Not hide_viewport: an object that is hidden that way is not evaluated.
    seen = [one for one in (object_of(name) for name in names) if not one.hide_get()]
    for one in seen:
        one.hide_set(True)
    bpy.context.view_layer.update()
    try:
        yield
    finally:
        for one in seen:
            one.hide_set(False)
        bpy.context.view_layer.update()


def averaged(pixels: NDArray[np.uint8], samples: int) -> NDArray[np.uint8]:
    """Join blocks of samples x samples pixels into one."""
    height, width, channels = pixels.shape
    blocks = pixels.reshape(height // samples, samples, width // samples, samples, channels)
    # In integers: ten million pixels as floats take a second.
    total = blocks.sum(axis=(1, 3), dtype=np.uint16)
    return ((total + samples * samples // 2) // (samples * samples)).astype(np.uint8)
