"""Measuring the meshes of a scene over clips and frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import bpy

from ..core.errors import BindingError
from ..scene.deformed_meshes import make_evaluable
from ..scene.playback import Playback, play, set_frame
from .mesh_measurement import Measurement, MeshMeasurement

FramesOf = Callable[[Playback], Sequence[float]]
"""Chooses the frames of a clip, in its own time."""


@dataclass(frozen=True, eq=False)
class Sample:
    """One mesh at one frame of one clip."""

    mesh: str
    playback: Playback
    frame: float
    measurement: Measurement


class SceneScan:
    """Measures meshes of a scene that was opened for it: it plays clips, and shows hidden meshes so that Blender
    evaluates them. Use it as a context manager; the devices' resources end with it.

    measured: by name of the mesh object. refused: what can't be skinned, and why.
    """

    def __init__(self, scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object], device: str) -> None:
        """Bind `meshes`. device: 'gpu' or 'cpu', as `resolve_device` returns it."""
        self._scene = scene
        self.measured: dict[str, MeshMeasurement] = {}
        self.refused: dict[str, BindingError] = {}
        for one in meshes:
            make_evaluable(one, scene, bpy.context.view_layer)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for one in meshes:
            try:
                self.measured[one.name] = MeshMeasurement(one, depsgraph, device)
            except BindingError as error:
                self.refused[one.name] = error

    def __enter__(self) -> SceneScan:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.measured.values():
            one.free()

    def samples(self, playbacks: Sequence[Playback], frames_of: FramesOf) -> Iterator[Sample]:
        """Play each clip and yield every mesh at every frame, frame by frame.

        A mesh that can't be skinned at some frame (scaled to zero there) joins `refused` and is left out from then on.
        """
        for playback in playbacks:
            play(self._scene, playback)
            for frame in frames_of(playback):
                set_frame(self._scene, frame)
                yield from self._at(playback, frame)

    def _at(self, playback: Playback, frame: float) -> Iterator[Sample]:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for name, one in self.measured.items():
            if name in self.refused:
                continue
            try:
                measurement = one.measure(self._scene.objects[name], depsgraph)
            except BindingError as error:
                self.refused[name] = error
                continue
            yield Sample(name, playback, frame, measurement)
