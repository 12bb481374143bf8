"""One mesh whose frames are kept, and its drawing from them."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.profile import BLENDER
from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import find_display
from ...drawing.palette_rows import packed_rows, rows_per_joint
from ...drawing.skinned_drawing import SkinnedDrawing
from ...drawing.techniques import TechniqueChoice
from ...measurement.pictures.material_looks import material_looks
from ...scene.binding.frame_reader import Frame, FrameReader
from ...scene.binding.instant import Instant
from ...scene.identification import identity
from ...scene.meshes.armature_result import modifiers_after
from ...scene.meshes.blender_result import read_blender_positions
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.objects.animated_settings import deformation_is_animated, input_plays
from ..character.bound_mesh import bind_mesh
from ..character.view import View
from .stored_frame import StoredFrame

LARGEST_DEVIATION = 1e-5
"""From Blender's own mesh, as a share of the mesh's diagonal: what is further off is not shown."""

FRAMES_BETWEEN_PROOFS = 50
"""Every so many recorded frames, the mesh is skinned and compared with Blender's."""


class CachedMesh:
    """A mesh bound as Blender deforms it, with what is known of its frames. Keeps no Blender object; owns GPU
    objects once drawn: free it after use.

    uid: session_uid of the original object. frames: by frame, subframes included. refused: a sentence that says
    why palettes can't hold it; empty if they can.
    """

    def __init__(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Bind it. May make data-blocks: not while drawing, nor while Blender evaluates.

        Raises:
            BindingError: it can't be bound.
        """
        self.uid: int = mesh_object.session_uid
        self.name = identity(mesh_object)
        self.frames: dict[float, StoredFrame] = {}
        self._contents = read_mesh_contents(mesh_object, depsgraph, for_drawing=True)
        self._bound = bind_mesh(mesh_object, depsgraph, self._contents, BLENDER)
        self._reader = FrameReader(self._bound.binding, armatures=self._bound.armatures, is_live=True)
        self._skinner: SoftwareSkinner | None = None
        self._unproven = 0
        self._is_animated = deformation_is_animated(mesh_object)
        self._drawing: SkinnedDrawing | None = None
        self._shown: StoredFrame | None = None
        self.refused = self._why_refused(mesh_object, depsgraph)

    def _why_refused(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> str:
        after = modifiers_after(mesh_object, depsgraph)
        if after:
            return Message(
                "'{mesh}': bones can't repeat its modifier '{modifier}'",
                mesh=self.name,
                modifier=next(iter(after)),
            )
        if input_plays(mesh_object):
            return Message("'{mesh}': its shape changes before its armature bends it", mesh=self.name)
        return str(self._bound.binding.reasons[0].message) if self._bound.binding.reasons else ""

    @property
    def byte_count(self) -> int:
        """Memory that the frames take. All have as many joints."""
        one = next(iter(self.frames.values()), None)
        return 0 if one is None else len(self.frames) * one.byte_count

    def read(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, instant: Instant
    ) -> StoredFrame:
        """Return what Blender shows now; every so often, prove that this is the mesh that Blender shows.

        Raises:
            BindingError: it has to be bound again, or palettes can't hold it.
        """
        proves = self._unproven % FRAMES_BETWEEN_PROOFS == 0
        # Whatever is edited is forgotten, so that between proofs only animation could have changed the binding.
        is_bound = not self._is_animated and not proves
        frame = self._reader.read(mesh_object, depsgraph, instant=instant, is_bound=is_bound)
        if frame.chain is not self._bound.binding.passes:
            raise BindingError("'{mesh}': its weights follow its pose", mesh=self.name)
        if proves:
            self._prove(frame, mesh_object, depsgraph)
        self._unproven += 1
        rows = packed_rows(frame.palettes, rows_per_joint(frame.chain))
        return StoredFrame(rows, frame.mesh_to_world)

    def _prove(self, frame: Frame, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Compare with Blender's mesh.

        Raises:
            BindingError: they are not the same.
        """
        mesh = self._bound.binding.mesh
        blenders = read_blender_positions(mesh_object, depsgraph, mesh.vertex_count)
        if self._skinner is None:
            self._skinner = SoftwareSkinner(frame.chain, mesh)
        ours = self._skinner.skin_positions(frame.palettes)
        limit = LARGEST_DEVIATION * float(np.linalg.norm(np.ptp(blenders, axis=0)))
        apart = float(np.abs(ours - blenders).max(initial=0.0))
        if not apart <= limit:
            raise BindingError("'{mesh}': bones alone do not give Blender's mesh", mesh=self.name)

    def drop(self) -> None:
        """Forget all frames; the binding stays."""
        self.frames.clear()
        self._unproven = 0

    def draw(
        self,
        frame: StoredFrame,
        display: str,
        view: View,
        look: DisplaySettings,
        mesh_object: bpy.types.Object,
    ) -> None:
        """Draw a frame into the current 3D view."""
        drawing = self._drawing
        if drawing is None:
            drawn = self._contents.drawn
            if drawn is None:
                return
            passes, mesh = self._bound.binding.passes, self._bound.binding.mesh
            choice = TechniqueChoice()
            calls = choice.technique.draw_calls(self._bound.cache, mesh, drawn, choice.limit)
            drawing = self._drawing = SkinnedDrawing(passes, mesh, drawn, draw_calls=calls)
        if self._shown is not frame:
            drawing.update_rows(frame.rows)
            self._shown = frame
        if find_display(display).uses_materials and not drawing.has_materials:
            drawing.set_materials(material_looks(mesh_object))
        drawing.draw(display, view.world_to_view, view.view_to_clip, frame.mesh_to_world, look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
        self._shown = None
