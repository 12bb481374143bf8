"""A mesh that is measured while it plays."""

from __future__ import annotations

import threading
from collections.abc import Callable

import bpy

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.measurement.frame.frame_measurement import FrameMeasurement
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh, read_positions
from skinning_addon.viewport.character.figures import SECONDS_BETWEEN_FIGURES
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from tests.scene.posed_arm import keyed_arm


class Clock:
    """Stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.seconds = 10.0

    def __call__(self) -> float:
        return self.seconds


class PlayedMesh:
    """A mesh that is measured frame by frame, by the CPU, and is off from Blender's by `off` along x.

    grows: whether the bones are scaled by the frame's number, and with them what the mesh is off by: so figures
    tell which frame they are of.
    """

    def __init__(self, off: float = 0.0, *, grows: bool = False) -> None:
        armature = keyed_arm()
        if grows:
            _scale_by_the_frame(armature.pose.bones[0])
        self.skin = bpy.data.objects["Skin"]
        self.clock = Clock()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        binding = read_binding(self.skin, depsgraph)
        self.live = MeshInLayer(binding, read_draw_mesh(self.skin.data), clock=self.clock)
        self.live._measured._measurement = FrameMeasurement(binding, SoftwareSkinner)
        # Moves the mesh after binding, without an update that would report it.
        positions = read_positions(self.skin.data)
        positions[:, 0] += off
        self.skin.data.attributes["position"].data.foreach_set("vector", positions.reshape(-1))
        self.skin.data.update()

    def show(
        self,
        frame: int,
        *,
        plays: bool,
        later: float = SECONDS_BETWEEN_FIGURES,
        draw: Callable[[bpy.types.Depsgraph], None] = lambda _depsgraph: None,
    ) -> bool:
        """Show a frame some seconds later, draw it, and measure if it is time; return whether figures are new."""
        self.clock.seconds += later
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.live.follow(frame, self.skin, depsgraph)
        draw(depsgraph)
        return self.live.measure(self.skin, depsgraph, plays=plays)

    def let_the_other_thread_end(self) -> None:
        for thread in threading.enumerate():
            if thread.name == "skinscope figures":
                thread.join()


def _scale_by_the_frame(bone: bpy.types.PoseBone) -> None:
    for frame in (1, 12):
        bone.scale = (frame, frame, frame)
        bone.keyframe_insert("scale", frame=frame)
    for curve in fcurves(bone.id_data.animation_data.action):
        if curve.data_path.endswith("scale"):
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
