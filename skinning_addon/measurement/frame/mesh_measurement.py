"""Measures one bound mesh at the current frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...core.blending.skinner import Skinner
from ...core.profiles.binding import Binding, Reason
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.deviation import EXACT_RELATIVE
from ...core.text.errors import StaleBindingError
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.binding_signature import BindingSignature
from ...scene.binding.frame import Frame
from ...scene.binding.frame_reader import FrameReader
from ...scene.binding.instant import Instant
from ...scene.binding.pose_reasons import reasons_of_deviation, reasons_of_pose
from ...scene.meshes.blender_result import BlenderResult, read_blender_result
from ...scene.meshes.mesh_contents import MeshContents
from .devices import make_skinner
from .measured_run import MeasuredRun, Measurement, compare_frames
from .posed_mesh import PosedMesh, PosedSpan, frames_of, skinned_together

ResultReader = Callable[[bpy.types.Object, bpy.types.Depsgraph, int], BlenderResult]
"""Reads Blender's result for a mesh object with this many bound vertices."""


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
    def contents(self) -> MeshContents:
        """Of the mesh, as it was bound last."""
        return self._contents

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
        posed = self.posed(mesh_object, instant)
        blender = self.result(mesh_object, instant, read_result)
        alone = PosedSpan(posed, (posed.frame,))
        run = self.measured([alone], [blender], scene_unit(instant.depsgraph), mesh_object)
        return run.at(0)

    def posed(self, mesh_object: bpy.types.Object, instant: Instant) -> PosedMesh:
        """Read the mesh at an instant, to be skinned then or later; the GPU skins it at once.

        If the mesh is no longer the one that was bound, it is bound again.

        Raises:
            BindingError: it can't be skinned at this frame.
        """
        frame = self._read(mesh_object, instant)
        skinned = None if self._device == "cpu" else self._skinner.skin(frame.palettes)
        return PosedMesh(frame, self.binding, self._skinner, skinned)

    def result(
        self,
        mesh_object: bpy.types.Object,
        instant: Instant,
        read_result: ResultReader = read_blender_result,
    ) -> BlenderResult:
        """Read Blender's result at the instant for which `posed` was called last; once for all profiles.

        Raises:
            BindingError: see `read_blender_result`.
        """
        count = self.binding.mesh.vertex_count
        return instant.once(
            (read_result, mesh_object.session_uid, count),
            lambda: read_result(mesh_object, instant.depsgraph, count),
        )

    def measured(
        self,
        spans: Sequence[PosedSpan],
        blender: Sequence[BlenderResult],
        metres_per_unit: float,
        mesh_object: bpy.types.Object,
    ) -> MeasuredRun:
        """Skin instants that are bound alike and compare each with Blender's result there."""
        binding, frames = spans[0].binding, frames_of(spans)
        skinned = skinned_together(spans)
        run = MeasuredRun(
            frames,
            skinned,
            tuple(blender),
            compare_frames(
                binding,
                frames,
                skinned.positions,
                np.array([one.positions for one in blender]),
                metres_per_unit,
                character_size=self._character_size,
            ),
            binding,
            spans[0].posed.skinner,
        )
        if self.profile.is_blender:
            for index, frame in enumerate(frames):
                self._note(reasons_of_pose(binding, frame))
                if run.deviations.relative[index] > EXACT_RELATIVE:
                    deviation = run.deviations.at(index)
                    self._note(reasons_of_deviation(binding, frame, mesh_object, deviation))
        return run

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

    def free(self) -> None:
        """Free the device's resources."""
        self._leave_skinner()

    def _read(self, mesh_object: bpy.types.Object, instant: Instant) -> Frame:
        """Read the frame, binding again and making another skinner if needed."""
        moved = instant.moved_contents(mesh_object, self._contents)
        if moved is not self._contents:
            if self._is_bound_alike(moved):
                self._move(moved, instant)
            else:
                self._rebind(mesh_object, instant, moved)
        try:
            frame = self._frame(mesh_object, instant)
        except StaleBindingError:
            self._rebind(mesh_object, instant, self._contents_of_stale(mesh_object, instant))
            frame = self._frame(mesh_object, instant)
        if frame.chain is not self._chain:
            self._leave_skinner()
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

    def _is_bound_alike(self, contents: MeshContents) -> bool:
        """Whether only vertices have moved, and the weights don't depend on where they are."""
        before = self._contents
        return (
            contents.memberships is before.memberships
            and contents.reasons is before.reasons
            and not any(one.positional or one.rest_mesh_to_root is not None for one in self.binding.passes)
        )

    def _move(self, contents: MeshContents, instant: Instant) -> None:
        """Move the bound mesh's vertices."""
        self._contents = contents
        before = self._skinner if self._chain is self.binding.passes else None
        self.binding = replace(self.binding, mesh=contents.source)
        self._leave_skinner()
        self._reader.move(self.binding)
        self._skinner = make_skinner(
            self._device, self.binding.passes, self.binding.mesh, instant.once, before
        )
        self._chain = self.binding.passes

    def _rebind(self, mesh_object: bpy.types.Object, instant: Instant, contents: MeshContents) -> None:
        self._contents = contents
        self._leave_skinner()
        self.binding, self._reader, self._skinner = self._bound(mesh_object, instant)
        self._chain = self.binding.passes

    def _leave_skinner(self) -> None:
        """Free the skinner, unless it may still have to skin what was read before, or skins for others too."""
        if self._device != "cpu":
            self._skinner.free()

    def _bound(self, mesh_object: bpy.types.Object, instant: Instant) -> tuple[Binding, FrameReader, Skinner]:
        binding = read_binding(
            mesh_object,
            instant.depsgraph,
            self._contents,
            self.profile,
            instant.armatures,
            signature=instant.signature(mesh_object),
            once=instant.once,
        )
        # Switches may be animated: something not reproducible at one frame isn't cancelled by the next.
        self._reasons = dict.fromkeys((*self._reasons, *binding.reasons))
        binding = replace(binding, reasons=tuple(self._reasons))
        return (
            binding,
            FrameReader(binding, armatures=instant.armatures),
            make_skinner(self._device, binding.passes, binding.mesh, instant.once),
        )


def scene_unit(depsgraph: bpy.types.Depsgraph) -> float:
    """Return the length of a unit of the depsgraph's scene in metres."""
    return depsgraph.scene.unit_settings.scale_length
