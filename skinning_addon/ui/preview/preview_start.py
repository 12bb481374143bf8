"""Starts previews of many meshes: one after the other, all or none."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...core.text.errors import SkinscopeError
from ...viewport.character.authored import Authored
from ...viewport.character.preview import Preview
from ...viewport.character.stale import Stale
from ...viewport.session import ViewportSession


class PreviewStart:
    """Binds meshes one at a time, which takes about a second for a million vertices, and shows all of them at
    the end.

    Until then nothing has changed: if dropped half-way, none is started and running previews continue. Keeps
    no Blender object.

    refused: a sentence for each mesh that can't be skinned.
    """

    def __init__(
        self,
        session: ViewportSession,
        meshes: Iterable[bpy.types.Object],
        authored: Iterable[Authored] = (),
    ) -> None:
        """authored: of each mesh, what it is compared with; with themselves if left out."""
        meshes = list(meshes)
        self.refused: list[str] = []
        self._session = session
        self._waiting = [(one.session_uid, one.name) for one in meshes]
        self._authored = {one.session_uid: original for one, original in zip(meshes, authored, strict=False)}
        self._count = len(self._waiting)
        self._bound: list[Preview] = []

    @property
    def count(self) -> int:
        """How many meshes there are."""
        return self._count

    @property
    def done(self) -> int:
        """How many of them have been bound or refused."""
        return self._count - len(self._waiting)

    @property
    def next_name(self) -> str:
        """The name of the mesh that is bound next; empty once all are done."""
        return self._waiting[0][1] if self._waiting else ""

    def bind_next(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Bind one mesh. One that has been deleted meanwhile is skipped."""
        uid, _ = self._waiting.pop(0)
        mesh_object = self._session.objects.find(uid)
        if mesh_object is None:
            return
        try:
            self._bound.append(
                Preview(mesh_object, depsgraph, self._session.profile_in(depsgraph), self._authored.get(uid))
            )
        except SkinscopeError as error:
            self.refused.append(str(error))

    def finish(self) -> list[bpy.types.Object]:
        """Show the bound meshes, replacing previews they had; return the meshes."""
        for preview in self._bound:
            # Something may have moved while the others were being bound.
            preview.mark(Stale.OBJECTS | Stale.POSE)
        self._session.add(self._bound)
        found = [self._session.objects.find(preview.uid) for preview in self._bound]
        return [one for one in found if one is not None]
