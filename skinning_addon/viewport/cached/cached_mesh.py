"""One mesh whose frames are kept, and its drawing from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

import bpy

from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import find_display
from ...drawing.skinned_drawing import SkinnedDrawing
from ...measurement.pictures.material_looks import material_looks
from ...scene.binding.instant import Instant
from ...scene.identification import identity
from ..character.view import View
from .stored_frame import StoredFrame

AnyFrame = TypeVar("AnyFrame", bound=StoredFrame)


class CachedMesh(ABC, Generic[AnyFrame]):
    """What is known of a mesh's frames. Keeps no Blender object; owns GPU objects once drawn: free it after
    use.

    uid: session_uid of the original object. name: its identity. frames: by frame, subframes included. unseen:
    those that another Blender recorded, and that this one has not shown yet.
    """

    def __init__(self, mesh_object: bpy.types.Object) -> None:
        self.uid: int = mesh_object.session_uid
        self.name = identity(mesh_object)
        self.frames: dict[float, AnyFrame] = {}
        self.unseen: set[float] = set()
        self._drawing: SkinnedDrawing | None = None
        self._shown: AnyFrame | None = None

    @abstractmethod
    def read(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, instant: Instant
    ) -> AnyFrame:
        """Return what Blender shows now. Makes no data-blocks.

        Raises:
            BindingError: it has to be bound again, or can't be kept this way.
        """

    @abstractmethod
    def as_own(self, stored: StoredFrame) -> AnyFrame | None:
        """Return a frame from elsewhere, if it is one that this mesh can have; None if not."""

    @abstractmethod
    def _make_drawing(self) -> SkinnedDrawing | None:
        """Return the drawing, None if there is nothing to draw."""

    @abstractmethod
    def _send(self, drawing: SkinnedDrawing, frame: AnyFrame) -> None:
        """Send a frame to the GPU."""

    def keep(
        self,
        frame: float,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        instant: Instant,
    ) -> None:
        """Keep what Blender shows now as a frame. Raises what `read` does."""
        self.frames[frame] = self.read(mesh_object, depsgraph, instant)
        self.unseen.discard(frame)

    def prove(self) -> None:
        """Compare recorded frames with Blender's mesh, as far as that was left for later: it takes longer than
        a frame, and is done before any is shown.

        Raises:
            BindingError: they are not the same.
        """

    def take(self, frame: float, stored: StoredFrame) -> None:
        """Keep what another Blender recorded, if this mesh can have it."""
        own = self.as_own(stored)
        if own is not None:
            self.frames[frame] = own
            self.unseen.add(frame)

    @property
    def byte_count(self) -> int:
        """Memory that the frames take."""
        count = len(self.frames)
        return count * self.bytes_a_frame if count else 0

    @property
    def bytes_a_frame(self) -> int:
        """Memory that each frame takes; 0 while none is known. All are of a size."""
        for one in self.frames.values():
            return one.byte_count
        return 0

    def drop(self) -> None:
        """Forget all frames; the binding stays."""
        self.frames.clear()
        self.unseen.clear()

    def drop_within(self, spans: Iterable[tuple[float, float]]) -> None:
        """Forget the frames that are later than the first and earlier than the second of any of these; the next
        one that is recorded is proven.
        """
        for low, high in spans:
            for frame in [one for one in self.frames if low < one < high]:
                del self.frames[frame]
                self.unseen.discard(frame)

    def draw(
        self, frame: float, display: str, view: View, look: DisplaySettings, mesh_object: bpy.types.Object
    ) -> None:
        """Draw a frame into the current 3D view; one that is not known is left out."""
        stored = self.frames.get(frame)
        if stored is None:
            return
        if self._drawing is None:
            self._drawing = self._make_drawing()
        drawing = self._drawing
        if drawing is None:
            return
        if self._shown is not stored:
            self._send(drawing, stored)
            self._shown = stored
        if find_display(display).uses_materials and not drawing.has_materials:
            drawing.set_materials(material_looks(mesh_object))
        drawing.draw(display, view.world_to_view, view.view_to_clip, stored.mesh_to_world, look)

    def free(self) -> None:
        """Give the GPU's memory back."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
        self._shown = None
