"""An FBX or USD file, imported and posed by Blender, since we have no reader of our own for these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.message import Message
from ...scene.clips.actions import assign, fit, keyed_bones
from ...scene.clips.playback import set_frame
from ...scene.files import import_unshifted
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import armature_of, mesh_of
from ...scene.objects.animated_settings import armatures_at_some_frame
from .exported_file import FileClip, FileMesh

READERS = {".fbx": Message("Blender's FBX importer")}
USD_READER = Message("Blender's USD importer")


class ImportedFile:
    """An `ExportedFile`: the skinned meshes of the open scene, into which the file was imported.

    Importers keep the order of vertices, so their indices are those of the file.
    """

    def __init__(self, path: str | Path) -> None:
        """Import the file into an empty scene, in place of the open one.

        Raises:
            SourceFileError: it can't be imported.
        """
        scene = bpy.context.scene
        fps = scene.render.fps, scene.render.fps_base
        import_unshifted(path, *fps)
        self.path = str(path)
        self.reader = READERS.get(Path(path).suffix.lower(), USD_READER)
        scene = bpy.context.scene
        self._fps = scene.render.fps / scene.render.fps_base
        self._objects = [
            one.name for one in scene.objects if one.type == "MESH" and armatures_at_some_frame(one)
        ]
        self._armatures = [one.name for one in scene.objects if one.type == "ARMATURE"]
        for name in self._armatures:
            _disconnect(bpy.data.objects[name])
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.meshes = tuple(_mesh(bpy.data.objects[name], depsgraph) for name in self._objects)
        self._actions, self.clips = self._clips()

    def _clips(self) -> tuple[list[str], tuple[FileClip, ...]]:
        """List the imported actions that move an armature, with their names."""
        actions: list[str] = []
        clips: list[FileClip] = []
        for action in bpy.data.actions:
            keyed = keyed_bones(action)
            if any(fit(keyed, name, _bones(name)) for name in self._armatures):
                start, end = action.frame_range
                actions.append(action.name)
                clips.append(FileClip(action.name, start / self._fps, end / self._fps))
        return actions, tuple(clips)

    def positions(self, clips: Sequence[int], seconds: Sequence[float]) -> list[NDArray[np.float64]]:
        """Return (F, N, 3) world positions of each mesh while the clips play together."""
        self._play([self._actions[one] for one in clips])
        results = [np.empty((len(seconds), len(one.rest), 3)) for one in self.meshes]
        for place, time in enumerate(seconds):
            set_frame(bpy.context.scene, time * self._fps)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for name, result in zip(self._objects, results, strict=True):
                result[place] = _world_positions(bpy.data.objects[name], depsgraph)
        return results

    def _play(self, actions: Sequence[str]) -> None:
        for name in self._armatures:
            armature = bpy.data.objects[name]
            for one in actions:
                action = bpy.data.actions[one]
                found = fit(keyed_bones(action), name, _bones(name))
                mine = "|" not in one or one.split("|")[0] == name or len(self._armatures) == 1
                if found is not None and mine:
                    assign(armature, action, found.slot)


def _bones(armature: str) -> list[str]:
    return armature_of(bpy.data.objects[armature]).bones.keys()


def _disconnect(armature: bpy.types.Object) -> None:
    """Disconnect bones from their parents: Blender ignores the location keys of connected ones.

    The FBX importer of Blender up to 4.4 connects bones that touch.
    """
    connected = [one.name for one in armature_of(armature).bones if one.use_connect]
    if not connected or armature.name not in bpy.context.view_layer.objects:
        return
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name in connected:
        armature_of(armature).edit_bones[name].use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")


def _mesh(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> FileMesh:
    mesh = mesh_of(mesh_object)
    to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
    rest = read_positions(mesh).astype(np.float64) @ to_world[:3, :3] + to_world[3, :3]
    return FileMesh(mesh_object.name, mesh.name, rest, source=np.arange(len(rest)))


def _world_positions(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> NDArray[np.float64]:
    evaluated = mesh_object.evaluated_get(depsgraph)
    to_world = row_vectors(evaluated.matrix_world)
    positions = read_positions(evaluated_mesh(mesh_object, depsgraph)).astype(np.float64)
    return positions @ to_world[:3, :3] + to_world[3, :3]
