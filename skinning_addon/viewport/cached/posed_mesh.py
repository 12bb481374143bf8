"""One mesh of which poses are kept: palettes, a twentieth of its vertices."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette
from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.profile import BLENDER
from ...core.text.errors import BindingError
from ...drawing.palette_rows import packed_rows
from ...drawing.skinned_drawing import SkinnedDrawing
from ...drawing.techniques import TechniqueChoice
from ...scene.binding.frame_reader import FrameReader
from ...scene.binding.instant import Instant
from ...scene.binding.steady_reader import SteadyReader
from ...scene.meshes.armature_result import modifiers_after
from ...scene.meshes.blender_result import read_blender_positions
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.objects.animated_settings import deformation_is_animated, input_plays
from ..character.bound_mesh import bind_mesh
from .cached_mesh import CachedMesh
from .kept_pose import KeptPose, RowLayout
from .stored_frame import StoredFrame, StoredPose

LARGEST_DEVIATION = 1e-5
"""From Blender's own mesh, as a share of the mesh's diagonal: a mesh that is further off is not shown."""

FRAMES_BETWEEN_PROOFS = 50
"""Every so many recorded frames, the mesh is skinned and compared with Blender's."""


class PosedMesh(CachedMesh[StoredPose]):
    """A mesh bound as Blender deforms it, with the palettes of its frames."""

    def __init__(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Bind it. May make data-blocks: not while drawing, nor while Blender evaluates.

        Raises:
            BindingError: it can't be bound, or palettes can't hold it.
        """
        super().__init__(mesh_object)
        self._refuse_other_movement(mesh_object, depsgraph)
        self._contents = read_mesh_contents(mesh_object, depsgraph, for_drawing=True)
        self._bound = bind_mesh(mesh_object, depsgraph, self._contents, BLENDER)
        if self._bound.binding.reasons:
            raise BindingError(self._bound.binding.reasons[0].message)
        self._reader = FrameReader(self._bound.binding, armatures=self._bound.armatures, is_live=True)
        self._skinner = SoftwareSkinner(self._bound.binding.passes, self._bound.binding.mesh)
        self._layout = RowLayout.of(self._bound.binding.passes)
        self._steady: SteadyReader | None = None
        self._unproven = 0
        self._to_prove: list[tuple[tuple[AnyPalette, ...], NDArray[np.float32]]] = []
        self._is_animated = deformation_is_animated(mesh_object)
        self._is_trusted = self._shows_blenders(mesh_object, depsgraph)

    def _shows_blenders(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether it is Blender's mesh as it is bound: a proof while Blender plays would take longer than a
        frame.
        """
        now = self._reader.read(mesh_object, depsgraph)
        if now.chain is not self._bound.binding.passes:
            return False
        try:
            self._compare(now.palettes, self._blenders(mesh_object, depsgraph))
        except BindingError:
            return False
        return True

    def _blenders(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> NDArray[np.float32]:
        return read_blender_positions(mesh_object, depsgraph, self._bound.binding.mesh.vertex_count)

    def _refuse_other_movement(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        after = modifiers_after(mesh_object, depsgraph)
        if after:
            raise BindingError(
                "'{mesh}': bones can't repeat its modifier '{modifier}'",
                mesh=self.name,
                modifier=after[0],
            )
        if input_plays(mesh_object):
            raise BindingError("'{mesh}': its shape changes before its armature bends it", mesh=self.name)

    def read(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, instant: Instant
    ) -> StoredPose:
        """See `CachedMesh`. Every so often, it is proven that this is the mesh that Blender shows: by `prove`,
        or at once of the first frame if it was another when it was bound, or after an edit.
        """
        proves = self._unproven % FRAMES_BETWEEN_PROOFS == 0
        # Whatever is edited is forgotten, so that between proofs only animation could have changed the binding.
        is_bound = not self._is_animated and not proves
        if self._steady is not None and is_bound:
            matrices = self._steady.read(mesh_object, instant)
            if matrices is not None:
                self._unproven += 1
                kept = KeptPose(self._steady.passes, matrices, self._layout)
                return StoredPose(self._steady.mesh_to_world, kept)
        frame = self._reader.read(mesh_object, depsgraph, instant=instant, is_bound=is_bound)
        if frame.chain is not self._bound.binding.passes:
            raise BindingError("'{mesh}': its weights follow its pose", mesh=self.name)
        if proves:
            self._to_prove.append((frame.palettes, self._blenders(mesh_object, depsgraph)))
            if not self._is_trusted:
                self.prove()
                self._is_trusted = True
        self._unproven += 1
        self._steady = self._reader.steady(frame, mesh_object, instant)
        return StoredPose(frame.mesh_to_world, packed_rows(frame.palettes, self._layout.each))

    def prove(self) -> None:
        """See `CachedMesh`."""
        while self._to_prove:
            self._compare(*self._to_prove.pop())

    @property
    def byte_count(self) -> int:
        """See `CachedMesh`."""
        waiting = sum(blenders.nbytes for _, blenders in self._to_prove) if self._to_prove else 0
        return super().byte_count + waiting

    def as_own(self, stored: StoredFrame) -> StoredPose | None:
        """See `CachedMesh`."""
        if isinstance(stored, StoredPose) and len(stored.rows) == self._layout.count:
            return stored
        return None

    def _compare(self, palettes: tuple[AnyPalette, ...], blenders: NDArray[np.float32]) -> None:
        """Compare with Blender's mesh, (V, 3).

        Raises:
            BindingError: they are not the same.
        """
        ours = self._skinner.skin_positions(palettes)
        limit = LARGEST_DEVIATION * float(np.linalg.norm(np.ptp(blenders, axis=0)))
        apart = float(np.abs(ours - blenders).max(initial=0.0))
        if not apart <= limit:
            raise BindingError("'{mesh}': bones alone do not give Blender's mesh", mesh=self.name)

    def drop(self) -> None:
        """Forget all frames; the next one is proven."""
        super().drop()
        self._unproven = 0
        self._to_prove.clear()

    def drop_within(self, spans: Iterable[tuple[float, float]]) -> None:
        """See `CachedMesh`."""
        super().drop_within(spans)
        self._unproven, self._is_trusted = 0, False

    def _make_drawing(self) -> SkinnedDrawing | None:
        drawn = self._contents.drawn
        if drawn is None:
            return None
        passes, mesh = self._bound.binding.passes, self._bound.binding.mesh
        choice = TechniqueChoice()
        calls = choice.technique.draw_calls(self._bound.cache, mesh, drawn, choice.limit)
        return SkinnedDrawing(passes, mesh, drawn, draw_calls=calls)

    def _send(self, drawing: SkinnedDrawing, frame: StoredPose) -> None:
        drawing.update_rows(frame.rows)
