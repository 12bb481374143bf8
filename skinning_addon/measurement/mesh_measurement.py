"""One bound mesh measured at the present frame."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..core.binding import Binding
from ..core.deviation import Deviation, measure_deviation
from ..core.software_skinning import SkinnedVertices
from ..scene.binding_reader import read_binding
from ..scene.blender_result import BlenderResult, read_blender_result
from ..scene.frame_reader import Frame, FrameReader
from .devices import Skinner, make_skinner


@dataclass(frozen=True, eq=False)
class Measurement:
    """A mesh at one instant, as we skin it and as Blender does, and how far the two lie apart."""

    frame: Frame
    skinned: SkinnedVertices
    blender: BlenderResult
    deviation: Deviation


class MeshMeasurement:
    """Measures one mesh object, frame after frame, on one device. Keeps no Blender object; free it after use."""

    def __init__(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, device: str) -> None:
        """Bind the mesh. device: 'gpu' or 'cpu', as `resolve_device` returns it.

        Raises:
            BindingError: see `read_binding`.
        """
        self.binding: Binding = read_binding(mesh_object, depsgraph)
        self._reader = FrameReader(self.binding, mesh_object)
        self.skinner: Skinner = make_skinner(device, self.binding.passes, self.binding.mesh)

    def measure(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Measurement:
        """Skin the mesh at the present frame, to_root by our own pass, and compare with Blender's evaluated mesh.

        Raises:
            BindingError: the mesh or its armatures are not what was bound any more.
        """
        mesh = self.binding.mesh
        frame = self._reader.read(mesh_object, depsgraph, by_hierarchy=True)
        blender = read_blender_result(mesh_object, depsgraph, mesh.vertex_count)
        skinned = self.skinner.skin(frame.palettes)
        deviation = measure_deviation(
            skinned.positions,
            blender.positions,
            mesh.positions,
            diagonal=mesh.diagonal,
            vertex_areas=mesh.vertex_areas,
            mesh_to_world=frame.mesh_to_world,
            metres_per_unit=depsgraph.scene.unit_settings.scale_length,
        )
        return Measurement(frame, skinned, blender, deviation)

    def free(self) -> None:
        """Give back what the device holds."""
        self.skinner.free()
