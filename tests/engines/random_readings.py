"""Files of random characters, exported from the open scene and read by programs that share nothing with ours."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from skinning_addon.scene.clips.playback import Playback, ScenePlayback
from tests.engines.capture import Engine
from tests.engines.checked_export import write_with_one_animation
from tests.engines.exported_rig import from_y_up
from tests.engines.glb_file import GlbFile
from tests.engines.skinned_gltf import SkinnedGltf
from tests.engines.ufbx_judge import Ufbx

FPS = 24.0


class GltfJudge:
    """A .glb as exported from the open scene. has_mesh: whether it has any mesh."""

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self.path = path = folder / "character.glb"
        bpy.ops.export_scene.gltf(
            filepath=str(path),
            export_format="GLB",
            export_attributes=True,
            export_materials="NONE",
            export_optimize_animation_size=False,
            **settings,
        )
        self._file = SkinnedGltf.read(path)
        self.has_mesh = "meshes" in self._file.document

    def positions(self, clip: Playback, frames: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray] | None:
        """Return (F, N, 3) positions, Z up, and (N,) vertex numbers; None without the clip."""
        name = self._name_of(clip)
        if name is None:
            return None
        positions, sources = self._posed(name, times_of(frames))
        return from_y_up(positions), sources

    def _posed(self, name: str, times: list[float]) -> tuple[np.ndarray, np.ndarray]:
        captured = [self._file.positions(name, one) for one in times]
        return np.array([one for one, _ in captured]), captured[0][1]

    def _name_of(self, clip: Playback) -> str | None:
        names = self._file.clips
        if isinstance(clip, ScenePlayback):
            # The scene's own animation is the armature's part of it.
            usual = ("Random", "RandomAction", "Animation", "Scene")
            return next((one for one in usual if one in names), None)
        return clip.name if clip.name in names else None


def name_nodes_apart(document: dict[str, Any]) -> None:
    """Give each node of a glTF file a name of its own."""
    for number, node in enumerate(document["nodes"]):
        node["name"] = f"{number} {node.get('name', '')}"


def leave_out_keys_of_skins(document: dict[str, Any]) -> None:
    """Leave out the keys that a glTF file has of the nodes of skinned meshes."""
    for one in document.get("animations", ()):
        one["channels"] = [
            channel
            for channel in one["channels"]
            if "skin" not in document["nodes"][channel["target"]["node"]]
        ]


MENDED: dict[str, Callable[[dict[str, Any]], None]] = {
    "bone-names-shared": name_nodes_apart,
    "mesh-keys-played": leave_out_keys_of_skins,
}
"""What takes out of a file that in which an engine errs, by the finding that names it."""


class EngineJudge(GltfJudge):
    """The same, played by an engine."""

    def __init__(self, engine: Engine, folder: Path, settings: Mapping[str, object]) -> None:
        super().__init__(folder, settings)
        self._engine, self._folder = engine, folder
        self._mended: Collection[str] = ()

    def mended(self, rules: Collection[str]) -> EngineJudge:
        """Return the same file without what these rules of `MENDED` are about."""
        other = copy(self)
        other._mended = rules
        return other

    def _posed(self, name: str, times: list[float]) -> tuple[np.ndarray, np.ndarray]:
        # Engines play all animations of a file.
        alone, content = self._folder / "alone.glb", GlbFile(self.path)
        for rule in self._mended:
            MENDED[rule](content.json)
        write_with_one_animation(content, name, alone)
        return self._engine.capture(alone, times, self._folder)


def times_of(frames: tuple[int, ...]) -> list[float]:
    """Return the times of frames as keys have them, in single precision: a hair beside a key, a bone that is
    stretched a thousandfold at the next shows it.
    """
    return [float(np.float32(frame / FPS)) for frame in frames]


class FbxJudge:
    """An FBX file as exported from the open scene, which always has the mesh."""

    def __init__(self, ufbx: Ufbx, folder: Path, settings: Mapping[str, object]) -> None:
        self._ufbx, self._folder, self._settings = ufbx, folder, settings
        self.has_mesh = True
        bpy.ops.export_scene.fbx(filepath=str(folder / "character.fbx"), **settings)

    def positions(self, clip: Playback, frames: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray] | None:
        """Return (F, N, 3) positions, Z up, and (N,) vertex numbers; None without the clip."""
        for stack, start in self._stacks(clip):
            times = [(frame - start) / FPS for frame in frames]
            try:
                captured = self._ufbx.capture(self._folder / "character.fbx", times, self._folder, stack)
            except subprocess.CalledProcessError:
                continue
            (positions,) = captured.positions.values()
            return positions, np.arange(positions.shape[1])
        return None

    def _stacks(self, clip: Playback) -> Iterator[tuple[str, float]]:
        """List the animations that a clip may be, each with the frame that it begins with."""
        if isinstance(clip, ScenePlayback):
            whole = not (
                self._settings["bake_anim_use_nla_strips"] or self._settings["bake_anim_use_all_actions"]
            )
            # The scene keeps its frames; actions and strips begin at zero.
            yield "", 0.0 if whole else clip.frame_start
            return
        if clip.name in bpy.data.actions:
            # An action is written whole, even if a strip plays a part of it.
            yield f"Random|{clip.name}", bpy.data.actions[clip.name].frame_range[0]
        yield clip.name, clip.frame_start
