"""Measures one bound mesh at the current frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SkinnedVertices
from ...core.profiles.binding import Binding, Reason
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.deviation import EXACT_RELATIVE, Deviation, measure_deviation
from ...core.text.errors import StaleBindingError
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.binding_signature import BindingSignature
from ...scene.binding.frame_reader import Frame, FrameReader
from ...scene.binding.instant import Instant
from ...scene.binding.pose_reasons import reasons_of_deviation, reasons_of_pose
from ...scene.matrices import scales
from ...scene.meshes.blender_result import BlenderResult, read_blender_result
from ...scene.meshes.mesh_contents import MeshContents
from .devices import make_skinner

FINEST = 4 * float(np.finfo(np.float32).eps) / EXACT_RELATIVE
"""Relative to the vertices' distance from their space's origin: exactness asks for no more than four float32
steps there.
"""

ResultReader = Callable[[bpy.types.Object, bpy.types.Depsgraph, int], BlenderResult]
"""Reads Blender's result for a mesh object with this many bound vertices."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """A mesh at one instant, as we skin it and as Blender does, and how far the two lie apart."""

    frame: Frame
    skinned: SkinnedVertices
    blender: BlenderResult
    deviation: Deviation


class MeshMeasurement:
    """Measures one mesh object, frame after frame, on one device. Keeps no Blender object; free it after
    use.
    """

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        instant: Instant,
        device: str,
        profile: Profile = BLENDER,
        character_size: float = 0.0,
    ) -> None:
        """Bind the mesh. device: 'gpu' or 'cpu', as `resolve_device` returns it. profile: to skin with.

        character_size: of the character the mesh belongs to, in scene units, see `character_sizes`.

        Raises:
            BindingError: see `read_binding`.
        """
        self._device = device
        self.profile = profile
        self._character_size = character_size
        self._reasons: dict[Reason, None] = {}
        self._contents = instant.contents(mesh_object)
        self.binding, self._reader, self._skinner = self._bound(mesh_object, instant)
        self._chain = self.binding.passes

    @property
    def technique(self) -> str:
        """How the device skins, in words."""
        return self._skinner.technique

    def measure(
        self,
        mesh_object: bpy.types.Object,
        instant: Instant,
        read_result: ResultReader = read_blender_result,
    ) -> Measurement:
        """Skin the mesh at an instant, to_root by our own pass, and compare with Blender's evaluated mesh.

        The profile's exporter, hierarchy and shader affect what is skinned; it is compared with Blender's own
        result. read_result: reads that; defaults to the end of the modifier stack.

        If the mesh is no longer the one that was bound, it is bound again.

        Raises:
            BindingError: it can't be skinned at this frame.
        """
        frame = self._read(mesh_object, instant)
        mesh = self.binding.mesh
        blender = instant.once(
            (read_result, mesh_object.session_uid, mesh.vertex_count),
            lambda: read_result(mesh_object, instant.depsgraph, mesh.vertex_count),
        )
        skinned = self._skinner.skin(frame.palettes)
        deviation = compare(
            self.binding,
            frame,
            skinned,
            blender.positions,
            scene_unit(instant.depsgraph),
            character_size=self._character_size,
        )
        if self.profile.is_blender:
            self._note(reasons_of_pose(self.binding, frame))
            self._note(reasons_of_deviation(self.binding, frame, mesh_object, deviation))
        return Measurement(frame, skinned, blender, deviation)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it can't be reproduced exactly, as the frames so far have shown."""
        return tuple(self._reasons)

    def note(self, reasons: Iterable[Reason]) -> None:
        """Keep reasons that other frames have shown."""
        self._note(reasons)

    def _note(self, reasons: Iterable[Reason]) -> None:
        """Keep the reasons a frame has shown: something not reproducible at one frame isn't cancelled by the
        next.
        """
        known = len(self._reasons)
        self._reasons |= dict.fromkeys(reasons)
        if len(self._reasons) > known:
            self.binding = replace(self.binding, reasons=tuple(self._reasons))

    def skin(self, mesh_object: bpy.types.Object, instant: Instant) -> NDArray[np.float32]:
        """Skin the mesh at an instant without comparing: positions (V, 3), mesh space.

        Raises:
            BindingError: it can't be skinned at this frame.
        """
        frame = self._read(mesh_object, instant)
        return self._skinner.skin(frame.palettes).positions

    def free(self) -> None:
        """Free the device's resources."""
        self._skinner.free()

    def _read(self, mesh_object: bpy.types.Object, instant: Instant) -> Frame:
        """Read the frame, binding again and making another skinner if needed."""
        moved = instant.moved_contents(mesh_object, self._contents)
        if moved is not self._contents:
            self._rebind(mesh_object, instant, moved)
        try:
            frame = self._frame(mesh_object, instant)
        except StaleBindingError:
            self._rebind(mesh_object, instant, self._contents_of_stale(mesh_object, instant))
            frame = self._frame(mesh_object, instant)
        if frame.chain is not self._chain:
            self._skinner.free()
            self._skinner = make_skinner(self._device, frame.chain, self.binding.mesh)
            self._chain = frame.chain
        return frame

    def _frame(self, mesh_object: bpy.types.Object, instant: Instant) -> Frame:
        return self._reader.read(mesh_object, instant.depsgraph, by_hierarchy=True, instant=instant)

    def _contents_of_stale(self, mesh_object: bpy.types.Object, instant: Instant) -> MeshContents:
        """Return the data read from the mesh, which takes the longest, if only settings of modifiers or bones
        have changed.
        """
        before, now = self.binding.read_from, instant.signature(mesh_object)
        if isinstance(before, BindingSignature) and before.mesh == now.mesh:
            return self._contents
        return instant.contents(mesh_object)

    def _rebind(self, mesh_object: bpy.types.Object, instant: Instant, contents: MeshContents) -> None:
        self._contents = contents
        self._skinner.free()
        self.binding, self._reader, self._skinner = self._bound(mesh_object, instant)
        self._chain = self.binding.passes

    def _bound(self, mesh_object: bpy.types.Object, instant: Instant) -> tuple[Binding, FrameReader, Skinner]:
        binding = read_binding(
            mesh_object, instant.depsgraph, self._contents, self.profile, instant.armatures
        )
        # Switches may be animated: something not reproducible at one frame isn't cancelled by the next.
        self._reasons = dict.fromkeys((*self._reasons, *binding.reasons))
        binding = replace(binding, reasons=tuple(self._reasons))
        return (
            binding,
            FrameReader(binding, armatures=instant.armatures),
            make_skinner(self._device, binding.passes, binding.mesh),
        )


def compare(
    binding: Binding,
    frame: Frame,
    skinned: SkinnedVertices,
    reference: NDArray[np.float32],
    metres_per_unit: float,
    *,
    character_size: float = 0.0,
) -> Deviation:
    """Measure skinned vertices of a bound mesh against reference positions (V, 3), mesh space.

    character_size: of the character the mesh belongs to, in scene units; defaults to the mesh alone.
    """
    mesh = binding.mesh
    # By the largest scale, the strictest choice.
    in_mesh_space = character_size / float(scales(frame.mesh_to_world).max()) if character_size else 0.0
    return measure_deviation(
        skinned.positions,
        reference,
        mesh.positions,
        diagonal=max(mesh.diagonal, in_mesh_space, FINEST * mesh.reach),
        vertex_areas=mesh.vertex_areas,
        mesh_to_world=frame.mesh_to_world,
        metres_per_unit=metres_per_unit,
    )


def scene_unit(depsgraph: bpy.types.Depsgraph) -> float:
    """Return the length of a unit of the depsgraph's scene in metres."""
    return depsgraph.scene.unit_settings.scale_length
