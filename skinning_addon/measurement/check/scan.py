"""Measuring the meshes of a scene over clips and frames."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ExportOptions
from ...core.profiles.profile import BLENDER, Profile
from ...core.text.errors import BindingError
from ...scene.armatures.clip_in_file import ClipsInFiles
from ...scene.binding.armature_poses import PosesOverTime
from ...scene.binding.held_places import read_held_places
from ...scene.binding.instant import Instant
from ...scene.clips.clip_player import ClipPlayer
from ...scene.clips.playback import Playback
from ...scene.identification import identity, object_of
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import BlenderResult, read_blender_positions
from ...scene.meshes.input_twins import InputTwins
from ...scene.objects.animated_settings import armatures_at_some_frame
from ...scene.objects.deformed_meshes import make_evaluable
from ...scene.objects.render_visibility import show_as_rendered
from ...scene.staging.clip_scene import clip_scene
from ...scene.staging.clip_staging import Scanned, armatures_played, clips_in_files, recording
from ..frame.character_height import character_sizes
from ..frame.mesh_measurement import MeshMeasurement
from ..frame.posed_mesh import PosedMesh
from ..frame.sample import Sample
from .scene_playing import groups_of, prepare, show

FramesOf = Callable[[Scanned], Sequence[float]]
"""Chooses the frames of a clip, in its own time."""


class SceneScan:
    """Measures meshes of a scene opened for this: it plays clips, and shows hidden meshes so that Blender
    evaluates them. Use it as a context manager; the devices' resources end with it.

    by_profile: the measurements under each profile, in order, by identity of the mesh object. measured: those
    under the first. refused: meshes that can't be skinned, and why. instant: the current one; its data is
    read once for all. poses: for those who keep instants for later. player: plays the scene's clips.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        meshes: Sequence[bpy.types.Object],
        device: str,
        profiles: Sequence[Profile] = (BLENDER,),
        *,
        as_rendered: bool = False,
        follow_simulations: bool = False,
    ) -> None:
        """Bind `meshes`, once for each profile. device: 'gpu' or 'cpu', as `resolve_device` returns it.

        as_rendered: whether to use the modifiers' render visibility, at every frame. follow_simulations:
        whether simulations before an armature are followed with twins (`InputTwins`), or only named.
        """
        self.scene = scene
        self._as_rendered = as_rendered
        self.profiles = tuple(profiles)
        self.player = ClipPlayer(scene)
        self._served: set[ExportOptions | None] = set()
        self.poses = PosesOverTime()
        self.by_profile: tuple[dict[str, MeshMeasurement], ...] = tuple({} for _ in profiles)
        self.measured = self.by_profile[0]
        self.refused: dict[str, BindingError] = {}
        for one in meshes:
            make_evaluable(one, scene, bpy.context.view_layer)
        self._twins = InputTwins(scene, meshes if follow_simulations else ())
        self._held = read_held_places(
            scene,
            bpy.context.evaluated_depsgraph_get,
            [
                (identity(one), identity(armature), one, armature)
                for one in meshes
                for armature in armatures_at_some_frame(one)
            ],
            profiles,
        )
        self.instant = Instant(bpy.context.evaluated_depsgraph_get(), self._twins, held=self._held)
        sizes = character_sizes(scene, meshes)
        # Profile by profile: a rule for weights is then applied to all meshes at once.
        for profile, measured in zip(profiles, self.by_profile, strict=True):
            for one in (mesh for mesh in meshes if identity(mesh) not in self.refused):
                name = identity(one)
                try:
                    measured[name] = MeshMeasurement(one, self.instant, device, profile, sizes[name])
                except BindingError as error:
                    self.refused[name] = error
        self.refused = {name: self.refused[name] for name in map(identity, meshes) if name in self.refused}
        self._shown = self._poses() if any(one.thinned_by for one in profiles) else {}

    def _armatures(self) -> set[str]:
        return {name for each in self.by_profile for one in each.values() for name in one.binding.skeletons}

    def _poses(self) -> dict[str, NDArray[np.float64]]:
        """Read the pose of every armature that the scene shows now."""
        armatures = {name: object_of(name) for name in self._armatures()}
        readers = self.instant.armatures
        return {name: self.instant.to_root(one, readers.of(one)) for name, one in armatures.items()}

    def serves(self, profile: Profile) -> bool:
        """Whether the instant shows what a profile's file holds."""
        return profile.export_options in self._served

    def subject(self, mesh: str, profile_id: str) -> MeshMeasurement:
        """Return the measurement of a mesh under a profile of this scan."""
        return next(
            one
            for measured in self.by_profile
            if (one := measured.get(mesh)) is not None and one.profile.id == profile_id
        )

    def __enter__(self) -> SceneScan:
        return self

    def __exit__(self, *_: object) -> None:
        for measured in self.by_profile:
            for one in measured.values():
                one.free()
        self._twins.free()

    def samples(self, playbacks: Sequence[Scanned], frames_of: FramesOf) -> Iterator[Sample]:
        """Play each clip and yield every mesh at every frame, frame by frame.

        A mesh that can't be skinned at some frame (scaled to zero there) joins `refused` and is left out from
        then on.
        """
        for playback, frame in self.instants(playbacks, frames_of):
            yield from self.samples_at(playback, frame)

    def instants(self, playbacks: Sequence[Scanned], frames_of: FramesOf) -> Iterator[tuple[Scanned, float]]:
        """Play each clip and stop at every frame, which is then the `instant`.

        Profiles whose exporters have different options see each clip in turn, each as its own file holds it.
        """
        for playback in playbacks:
            for options, served in groups_of(self.player, playback, self.profiles):
                self._served = served
                clips = self._clips_in_files(playback)
                prepare(self.scene, self.player, playback, options)
                for frame in frames_of(playback):
                    show(self.scene, playback, frame)
                    if self._as_rendered and show_as_rendered(self.scene):
                        bpy.context.view_layer.update()
                    depsgraph = bpy.context.evaluated_depsgraph_get()
                    self.instant = Instant(
                        depsgraph, self._twins, clips, frame, self._held, before=self.instant
                    )
                    yield playback, frame

    def _clips_in_files(self, playback: Scanned) -> ClipsInFiles:
        """Record a clip for the profiles whose files have fewer keys than it has frames."""
        served = [one for one in self.profiles if one.export_options in self._served]
        # What a file holds, and copies of armatures, are taken from them as they were.
        self.player.restore()
        clips = clips_in_files(playback, served, self._shown)
        if not clips:
            return clips
        names = self._armatures() | set(armatures_played([playback]))
        # Copies don't need their meshes evaluated.
        with clip_scene(self.scene, [object_of(name) for name in sorted(names)]) as stage:
            for options, clip in clips.items():
                for _ in recording(stage, playback, options, clip):
                    pass
        return clips

    def blender_positions(
        self,
        playback: Playback,
        options: ExportOptions | None,
        frames: Sequence[float],
        meshes: Sequence[str],
    ) -> Iterator[tuple[float, dict[str, NDArray[np.float32]]]]:
        """Play a clip as an engine shows the file, or with None for the options as Blender plays it; yield each
        frame with Blender's own vertices, (V, 3) in world space and metres, by identity of the mesh object;
        without those that have none there.
        """
        shown = self.player.frames_in_file(playback, options, frames)
        self.player.play(playback, options, rest_unwritten=True)
        metres_per_unit = self.scene.unit_settings.scale_length
        for frame, at in zip(frames, shown, strict=True):
            show(self.scene, playback, at)
            if self._as_rendered and show_as_rendered(self.scene):
                bpy.context.view_layer.update()
            depsgraph = bpy.context.evaluated_depsgraph_get()
            found: dict[str, NDArray[np.float32]] = {}
            for name in meshes:
                mesh_object = object_of(name)
                count = self.measured[name].binding.mesh.vertex_count
                try:
                    positions = read_blender_positions(mesh_object, depsgraph, count)
                except BindingError:
                    # The scan refuses it at some frame, and reports it.
                    continue
                to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
                placed = positions @ to_world[:3, :3] + to_world[3, :3]
                found[name] = (placed * metres_per_unit).astype(np.float32)
            yield frame, found

    def posed_at_instant(
        self, leaving: Container[str] = ()
    ) -> Iterator[tuple[tuple[str, str], bpy.types.Object, PosedMesh, BlenderResult]]:
        """Read every mesh under every profile at the frame that `instants` has stopped at, to be skinned later;
        yield the mesh's identity and the profile's id, the mesh, and both results. See `samples`.

        leaving: meshes to leave out.
        """
        for profile, measured in zip(self.profiles, self.by_profile, strict=True):
            for name, one in measured.items():
                if name in self.refused or name in leaving or not self.serves(profile):
                    continue
                mesh_object = object_of(name)
                try:
                    posed = one.posed(mesh_object, self.instant)
                    blender = one.result(mesh_object, self.instant)
                except BindingError as error:
                    self.refused[name] = error
                    continue
                yield (name, profile.id), mesh_object, posed, blender

    def samples_at(self, playback: Scanned, frame: float) -> Iterator[Sample]:
        """Yield every mesh at the frame that `instants` has stopped at; see `samples`."""
        for profile, measured in zip(self.profiles, self.by_profile, strict=True):
            for name, one in measured.items():
                if name in self.refused or not self.serves(profile):
                    continue
                try:
                    measurement = one.measure(object_of(name), self.instant)
                except BindingError as error:
                    self.refused[name] = error
                    continue
                yield Sample(name, playback, frame, measurement, one.profile)
