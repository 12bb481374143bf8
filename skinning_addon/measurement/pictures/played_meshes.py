"""The meshes of a character as an animation controller poses it, skinned by us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.software_skinning import SkinnedVertices
from ...core.profiles.binding import Binding
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError, StaleBindingError
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.frame import Frame
from ...scene.binding.frame_reader import FrameReader
from ...scene.binding.held_places import HeldPlaces
from ...scene.binding.instant import Instant
from ...scene.identification import identity, object_of
from ...scene.meshes.blender_result import BlenderResult
from ...scene.meshes.mesh_reader import read_draw_mesh
from ...scene.meshes.stack_input import input_mesh
from ..frame.devices import make_skinner

Poses = Mapping[str, NDArray[np.float64]]
"""to_root (B, 4, 4), by name of the armature object."""


@dataclass(frozen=True, eq=False)
class PlayedMesh:
    """One mesh object at one instant. There is no Blender result to compare it with."""

    name: str
    binding: Binding
    draw_mesh: DrawMesh
    frame: Frame
    skinned: SkinnedVertices

    @property
    def reference(self) -> BlenderResult | None:
        """Blender's own result: none."""
        return None

    @property
    def world_positions(self) -> NDArray[np.float64]:
        """(V, 3), skinned."""
        mesh_to_world = self.frame.mesh_to_world
        return self.skinned.positions @ mesh_to_world[:3, :3] + mesh_to_world[3, :3]


class PlayedMeshes:
    """Binds meshes once and skins them for any pose. Keeps no Blender object; use it as a context manager.

    refused: meshes that can't be skinned, and why.
    """

    def __init__(
        self,
        meshes: Sequence[bpy.types.Object],
        device: str,
        profile: Profile = BLENDER,
        held: HeldPlaces | None = None,
    ) -> None:
        """device: 'gpu' or 'cpu', as `resolve_device` returns it. profile: skins them. held: where its file has
        meshes that move.

        Raises:
            BindingError: none of them can be skinned.
        """
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.refused: dict[str, BindingError] = {}
        self._bound: dict[str, tuple[Binding, FrameReader, DrawMesh]] = {}
        self._device, self._profile, self._held = device, profile, held
        for one in meshes:
            try:
                self._bound[identity(one)] = _bound(one, depsgraph, profile)
            except BindingError as error:
                self.refused[identity(one)] = error
        if not self._bound:
            raise next(
                iter(self.refused.values()),
                BindingError("The active scene has no mesh with an armature."),
            )
        self._skinners = {
            name: make_skinner(device, binding.passes, binding.mesh)
            for name, (binding, _, _) in self._bound.items()
        }

    def __enter__(self) -> PlayedMeshes:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._skinners.values():
            one.free()

    def at(self, poses: Poses) -> list[PlayedMesh]:
        """Skin all meshes; armatures that `poses` does not name stay as they are.

        poses: as the profile's file holds them; its engine's hierarchy is applied.
        """
        depsgraph = bpy.context.evaluated_depsgraph_get()
        instant = Instant(depsgraph, held=self._held)
        played = []
        for name in self._bound:
            mesh_object = object_of(name)
            try:
                frame = self._read(name, poses, instant)
            except StaleBindingError:
                self._rebind(mesh_object, depsgraph)
                instant = Instant(depsgraph, held=self._held)
                frame = self._read(name, poses, instant)
            binding, _, draw_mesh = self._bound[name]
            played.append(
                PlayedMesh(name, binding, draw_mesh, frame, self._skinners[name].skin(frame.palettes))
            )
        return played

    def _read(self, name: str, poses: Poses, instant: Instant) -> Frame:
        through = not self._profile.is_blender
        reader = self._bound[name][1]
        return reader.read(
            object_of(name), instant.depsgraph, by_hierarchy=through, poses=poses, instant=instant
        )

    def _rebind(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        name = identity(mesh_object)
        self._bound[name] = bound = _bound(mesh_object, depsgraph, self._profile)
        self._skinners[name].free()
        self._skinners[name] = make_skinner(self._device, bound[0].passes, bound[0].mesh)


def _bound(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, profile: Profile
) -> tuple[Binding, FrameReader, DrawMesh]:
    binding = read_binding(mesh_object, depsgraph, profile=profile)
    with input_mesh(mesh_object, depsgraph) as mesh:
        return binding, FrameReader(binding), read_draw_mesh(mesh)
