"""Blender's own evaluated meshes at every frame of some clips, to compare a file with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.text.errors import BindingError
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.binding.binding_reader import read_binding
from ...scene.clips.clip_player import ClipPlayer
from ...scene.clips.playback import Playback, set_frame
from ...scene.identification import identity, object_of
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh, not_finite
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.meshes.mesh_reader import read_draw_mesh, read_positions, read_source_mesh
from ...scene.object_data import mesh_of
from ...scene.objects.animated_settings import armatures_at_some_frame
from ...scene.objects.deformed_meshes import make_evaluable
from ...scene.refit.rest_of_anything import first_frame
from ..frame.body_parts import BodyParts, body_parts
from ..frame.character_height import character_sizes, height_scales
from .resting import has_keys, resting, standing_still, without_keys

Progress = Callable[[int, int], None]
"""Called with the number of frames done, and the total."""


@dataclass(frozen=True, eq=False)
class RestShape:
    """A mesh with all armatures at rest. rest: mesh space. drawn: its vertices, split for drawing."""

    rest: SourceMesh
    drawn: DrawMesh


@dataclass(frozen=True, eq=False)
class RecordedMesh:
    """A mesh object as Blender evaluates it, at the end of its modifier stack.

    object, armatures: identities. data_name: of its mesh. joints: bones that move it. rest: with all
    armatures at rest, mesh space; of a mesh without any, at the first frame. rest_to_world: (4, 4), at the
    same moment. shapes: the meshes that files may hold: the first shape key alone, if the mesh has any, or
    the mesh as nothing moves it, if it has no armature; then that of `rest`. body: which bone moves each
    vertex. size: of the character, scene units.
    """

    object: str
    data_name: str
    armatures: tuple[str, ...]
    joints: int
    rest: SourceMesh
    rest_to_world: NDArray[np.float64]
    shapes: tuple[RestShape, ...]
    body: BodyParts
    size: float


@dataclass(frozen=True, eq=False)
class RecordedClip:
    """frames: (F,), scene frames. positions: for each mesh (F, V, 3) float32, mesh space; to_world: for each
    mesh (F, 4, 4), row vectors. Meshes by identity.
    """

    name: str
    frames: tuple[float, ...]
    positions: dict[str, NDArray[np.float32]]
    to_world: dict[str, NDArray[np.float64]]

    def world(self, mesh: str, place: int) -> NDArray[np.float64]:
        """Return a mesh's (V, 3) world positions at one of the frames."""
        matrix = self.to_world[mesh][place]
        return self.positions[mesh][place].astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]

    def at(self, places: Sequence[int]) -> RecordedClip:
        """Return the clip with only some of its frames."""
        return RecordedClip(
            self.name,
            tuple(self.frames[one] for one in places),
            {mesh: positions[places] for mesh, positions in self.positions.items()},
            {mesh: matrices[places] for mesh, matrices in self.to_world.items()},
        )


@dataclass(frozen=True, eq=False)
class Recording:
    """fps: frames per second. metres_per_unit: of the scene. refused: meshes that can't be recorded, and the
    reasons.
    """

    meshes: tuple[RecordedMesh, ...]
    clips: tuple[RecordedClip, ...]
    fps: float
    metres_per_unit: float
    refused: dict[str, BindingError]


def record(
    scene: bpy.types.Scene,
    meshes: Sequence[bpy.types.Object],
    clips: Sequence[tuple[Playback, Sequence[float]]],
    progress: Progress | None = None,
) -> Recording:
    """Play clips at their frames and record what Blender shows.

    Changes the scene, as `ClipPlayer` does; only for files opened for it.
    """
    for one in meshes:
        make_evaluable(one, scene, bpy.context.view_layer)
    without_bones = [one for one in meshes if not armatures_at_some_frame(one)]
    if without_bones:
        first_frame(scene, without_bones, clips[0][1][0])
    refused: dict[str, BindingError] = {}
    recorded = _at_rest(scene, meshes, refused)
    total, done = sum(len(frames) for _, frames in clips), 0
    results: list[RecordedClip] = []
    player = ClipPlayer(scene)
    for playback, frames in clips:
        player.play(playback)
        if without_bones:
            first_frame(scene, without_bones, frames[0])
        result = _empty_clip(playback, frames, recorded)
        for place, frame in enumerate(frames):
            set_frame(scene, frame)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for one in [held for held in recorded if held.object not in refused]:
                try:
                    _take(one, depsgraph, result, place)
                except BindingError as error:
                    refused[one.object] = error
            done += 1
            if progress is not None:
                progress(done, total)
        results.append(result)
    render = scene.render
    return Recording(
        tuple(one for one in recorded if one.object not in refused),
        tuple(results),
        render.fps / render.fps_base,
        scene.unit_settings.scale_length,
        refused,
    )


def _empty_clip(playback: Playback, frames: Sequence[float], meshes: Sequence[RecordedMesh]) -> RecordedClip:
    return RecordedClip(
        playback.name,
        tuple(frames),
        {one.object: np.empty((len(frames), one.rest.vertex_count, 3), dtype=np.float32) for one in meshes},
        {one.object: np.empty((len(frames), 4, 4)) for one in meshes},
    )


def _take(mesh: RecordedMesh, depsgraph: bpy.types.Depsgraph, clip: RecordedClip, place: int) -> None:
    mesh_object = object_of(mesh.object)
    positions = read_positions(evaluated_mesh(mesh_object, depsgraph))
    if len(positions) != mesh.rest.vertex_count:
        raise BindingError(
            "'{mesh}' has {found} vertices at one frame and {expected} at rest, so a file can't be compared; "
            "switch off the modifier that changes them.",
            rule="vertices-differ",
            mesh=mesh.object,
            found=len(positions),
            expected=mesh.rest.vertex_count,
        )
    if not np.isfinite(positions).all():
        raise not_finite(mesh.object)
    clip.positions[mesh.object][place] = positions
    clip.to_world[mesh.object][place] = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)


def _at_rest(
    scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object], refused: dict[str, BindingError]
) -> list[RecordedMesh]:
    scales, sizes = height_scales(scene, meshes), character_sizes(scene, meshes)
    bodies = {identity(one): _body(one, scales[identity(one)]) for one in meshes}
    recorded: list[RecordedMesh] = []
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    stored = _stored_shapes(armatures, meshes)
    with resting(armatures, meshes, bpy.context.view_layer):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for one in meshes:
            name = identity(one)
            evaluated = evaluated_mesh(one, depsgraph)
            if not len(evaluated.vertices):
                refused[name] = BindingError(
                    "'{mesh}' has no vertices, so there is nothing to skin.", rule="no-vertices", mesh=name
                )
                continue
            armatures, joints, body = bodies[name]
            rest = read_source_mesh(evaluated)
            posed = RestShape(rest, read_draw_mesh(evaluated))
            # Those with other vertices are no earlier stage of what is compared.
            count = rest.vertex_count
            others = (one for one in stored.get(name, ()) if one.rest.vertex_count == count)
            recorded.append(
                RecordedMesh(
                    name,
                    mesh_of(one).name,
                    armatures,
                    joints,
                    rest,
                    row_vectors(one.evaluated_get(depsgraph).matrix_world),
                    (*others, posed),
                    body.of_mesh(len(evaluated.vertices)),
                    sizes[name],
                )
            )
    return recorded


def _stored_shapes(
    armatures: Sequence[bpy.types.Object], meshes: Sequence[bpy.types.Object]
) -> dict[str, list[RestShape]]:
    """Return, by identity, what files may hold besides the mesh as it is at rest: it without shape keys, and,
    if it has no armature, as nothing moves it.
    """
    view_layer = bpy.context.view_layer
    still = [one for one in meshes if not armatures_at_some_frame(one)]
    with_keys = [one for one in meshes if has_keys(one)]
    found: dict[str, list[RestShape]] = {identity(one): [] for one in (*with_keys, *still)}
    if not found:
        return {}

    def read(shown: Sequence[bpy.types.Object]) -> None:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for one in shown:
            mesh = evaluated_mesh(one, depsgraph)
            found[identity(one)].append(RestShape(read_source_mesh(mesh), read_draw_mesh(mesh)))

    with resting(armatures, meshes, view_layer), standing_still(still, view_layer):
        with without_keys(with_keys, view_layer):
            read(with_keys)
        read(still)
    return found


def _body(mesh_object: bpy.types.Object, height_scale: float) -> tuple[tuple[str, ...], int, BodyParts]:
    """Return a mesh's armatures, joints, and the bones of its vertices; nothing if it can't be bound."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    try:
        parts = read_mesh_contents(mesh_object, depsgraph)
        binding = read_binding(mesh_object, depsgraph, parts, armatures=ArmatureReaders())
    except BindingError:
        return (), 0, BodyParts(np.full(0, "", dtype=np.dtype("U1")), height_scale)
    return binding.armatures, binding.joint_count, body_parts(binding, height_scale)
