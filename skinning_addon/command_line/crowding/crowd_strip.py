"""A picture strip of a crowd: some moments, seen from above at an angle, each drawn in one call per mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import STEPS_PER_SECOND
from ...animation.crowd.state import CrowdState
from ...drawing.crowd_drawing import CrowdDrawing
from ...drawing.display_settings import DisplaySettings
from ...drawing.off_screen import Picture
from ...measurement.pictures.annotations import Annotations
from ...measurement.pictures.blender_view import draw_blender_view
from ...measurement.pictures.camera import AZIMUTH, ELEVATION, Camera, Margins, three_quarter_camera
from ...measurement.pictures.material_looks import material_looks
from ...measurement.pictures.picture import SKIN_COLOR, averaged
from ...scene.crowd.character import CrowdMesh
from ...scene.crowd.variants import Troupe, Variant, troupes
from ...scene.identification import identity, object_of
from .playing_crowd import heard

PICTURES = 6
COLUMNS = 2
SIZE = (960, 600)
SAMPLES = 2
MARGINS = Margins(left=0.03, right=0.03, bottom=0.03, top=0.05)
FROM_ABOVE = np.radians(32.0)
TILES = 10
"""Of the ground, along each side."""

TILE_COLORS = ((0.19, 0.2, 0.185, 1.0), (0.25, 0.26, 0.24, 1.0))
EDGE = 12
LABEL_SIZE = 17.0


def draw_crowd_strip(
    scene: bpy.types.Scene,
    variants: Sequence[Variant],
    crowd: Crowd,
    moments: Sequence[CrowdState],
    title: str,
    *,
    landscape: Sequence[str] = (),
) -> NDArray[np.uint8]:
    """Draw the moments, left to right and top to bottom; (height, width, 4) sRGB, the top row first.

    landscape: the objects that the crowd walks on and around; a chequered plane is added if there are none.
    Changes the scene: all other objects are hidden. Meshes without bones are left out.

    Raises:
        BindingError: a mesh is skinned in a way that can't be drawn all at once. DeviceError: there are too
        many for the GPU.
    """
    unit = variants[0].character.metres_per_unit
    half = crowd.state.half / (1e6 * unit)
    _show_only(landscape)
    if not landscape:
        _add_ground(scene, half)
    low, high = _heights(crowd, unit)
    tallest = max(one.character.body.height * one.scale[1] for one in variants)
    camera = _camera(half, low, high + tallest)
    picture = Picture(SAMPLES * SIZE[0], SAMPLES * SIZE[1])
    view = _View(scene, picture, camera)
    parts: list[tuple[Troupe, list[CrowdDrawing]]] = []
    try:
        for troupe in troupes(variants):
            parts.append((troupe, []))
            for one in troupe.meshes:
                parts[-1][1].append(_drawing(one))
        pictures = [_labelled(view.drawn(crowd, state, parts), state, crowd) for state in moments]
    finally:
        for drawing in (one for _, drawings in parts for one in drawings):
            drawing.free()
        picture.free()
    rows = [np.concatenate(pictures[at : at + COLUMNS], axis=1) for at in range(0, len(pictures), COLUMNS)]
    strip = np.concatenate(rows)
    with Annotations(strip.shape[1], strip.shape[0]) as annotations:
        annotations.label(title, EDGE, strip.shape[0] - 3 * EDGE, LABEL_SIZE)
        return annotations.over(strip)


@dataclass(frozen=True, eq=False)
class _View:
    """What all moments share: the scene and its camera, and the picture that is drawn into."""

    scene: bpy.types.Scene
    picture: Picture
    camera: Camera

    def drawn(
        self, crowd: Crowd, state: CrowdState, parts: Sequence[tuple[Troupe, Sequence[CrowdDrawing]]]
    ) -> NDArray[np.uint8]:
        """Draw everybody in a state; one draw call per mesh."""
        draw_blender_view(self.picture, self.scene, bpy.context.view_layer, self.camera)
        settings = DisplaySettings(base_color=SKIN_COLOR)
        world_to_view, view_to_clip = self.camera.world_to_view, self.camera.view_to_clip
        for troupe, drawings in parts:
            own = state.of(troupe.members(state))
            joints = [mesh.binding.passes[0].joints for mesh in troupe.meshes]
            palettes = troupe.character.poser.palettes(own, crowd.settings, joints)
            tints = troupe.tints_of(own.cast)
            for number, (drawing, one) in enumerate(zip(drawings, palettes, strict=True)):
                wearing = troupe.wearing(number, own.cast)
                drawing.update(one[wearing], tints[wearing])
                with self.picture.drawing():
                    drawing.draw("base_color", world_to_view, view_to_clip, np.eye(4), settings)
        return averaged(self.picture.pixels(), SAMPLES)


def _drawing(mesh: CrowdMesh) -> CrowdDrawing:
    drawing = CrowdDrawing(mesh.binding.passes, mesh.binding.mesh, mesh.draw_mesh)
    drawing.set_materials(material_looks(object_of(mesh.name)))
    return drawing


def _labelled(pixels: NDArray[np.uint8], state: CrowdState, crowd: Crowd) -> NDArray[np.uint8]:
    doing = ", ".join(f"{count} {name}" for name, count in heard(state, crowd).items() if count)
    with Annotations(pixels.shape[1], pixels.shape[0]) as annotations:
        annotations.label(f"{state.step / STEPS_PER_SECOND:.2f} s: {doing}", EDGE, EDGE, LABEL_SIZE)
        return annotations.over(pixels)


def _show_only(names: Sequence[str]) -> None:
    """Hide everything but the objects of these names."""
    for one in list(bpy.context.view_layer.objects):
        one.hide_set(identity(one) not in names)
    # Otherwise Blender may go on drawing those.
    bpy.context.view_layer.update()


def _heights(crowd: Crowd, metres_per_unit: float) -> tuple[float, float]:
    """Return how high its ground lies at least and at most where agents may be, in the scene's units."""
    ground = crowd.state.ground
    if ground is None:
        return 0.0, 0.0
    heights = ground.heights[:-1, :-1][ground.free] / (1e6 * metres_per_unit)
    return float(heights.min()), float(heights.max())


def _add_ground(scene: bpy.types.Scene, half: NDArray[np.float64]) -> None:
    """Put a chequered ground under the area."""
    x, y = (np.linspace(-one, one, TILES + 1).tolist() for one in half.tolist())
    corners = [(a, b, 0.0) for b in y for a in x]
    across = TILES + 1
    cells = [(column, row) for row in range(TILES) for column in range(TILES)]
    faces = [
        (
            row * across + column,
            row * across + column + 1,
            (row + 1) * across + column + 1,
            (row + 1) * across + column,
        )
        for column, row in cells
    ]
    mesh = bpy.data.meshes.new("ground")
    mesh.from_pydata(corners, [], faces)
    for color in TILE_COLORS:
        material = bpy.data.materials.new("ground")
        material.diffuse_color = color  # pyright: ignore[reportAttributeAccessIssue]
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", [(column + row) % 2 for column, row in cells])
    scene.collection.objects.link(bpy.data.objects.new("ground", mesh))
    bpy.context.view_layer.update()


def _camera(half: NDArray[np.float64], low: float, high: float) -> Camera:
    """Frame the whole area, from the lowest ground to the heads of those who walk highest."""
    x, y = half.tolist()
    corners = np.array([(a * x, b * y, z) for a in (-1, 1) for b in (-1, 1) for z in (low, high)])
    # The camera of pictures looks at a character almost level; the crowd is tilted towards it.
    tilt = _axes(FROM_ABOVE) @ _axes(ELEVATION).T
    level = three_quarter_camera(corners @ tilt, SIZE, MARGINS)
    tilted = np.eye(4)
    tilted[:3, :3] = tilt
    return Camera(tilted @ level.world_to_view, level.view_to_clip)


def _axes(elevation: float) -> NDArray[np.float64]:
    """Return the view's axes, as columns, at an elevation."""
    back = np.array(
        (np.sin(AZIMUTH) * np.cos(elevation), -np.cos(AZIMUTH) * np.cos(elevation), np.sin(elevation))
    )
    right = np.array((np.cos(AZIMUTH), np.sin(AZIMUTH), 0.0))
    return np.stack((right, np.cross(back, right), back), axis=1)
