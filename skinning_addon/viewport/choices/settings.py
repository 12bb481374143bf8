"""The user's preview settings, as the draw handlers need them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

import bpy

from ...core.maths.once import Known
from ...core.profiles.profile import BLENDER, Profile
from ...drawing.display_settings import DisplaySettings
from ...drawing.rectangle import Color
from ...drawing.techniques import TechniqueChoice

Value = TypeVar("Value")

DEFAULT_DISPLAY = "shaded"


class BlenderMesh(Enum):
    """How Blender's own result is shown beside ours."""

    SHOWN = "shown"
    """As Blender itself draws it."""
    GHOST = "ghost"
    """Translucent, drawn by us."""
    HIDDEN = "hidden"


@dataclass(frozen=True)
class SpaceStep:
    """Where skinning is stopped; see `core.inspection.spaces`. step: 0 to 3. spread: 0 to 1."""

    step: float
    spread: float


@dataclass(frozen=True)
class PreviewSettings:
    """One scene's settings.

    shown: whether previews are drawn at all.
    display: name of a display of the drawing layer, such as 'deviation'.
    drawing: how displays look.
    offset: of a preview from its mesh, world space, scene units; zeros for in place. beside: whether it is
    instead chosen for each view, see `objects.beside`.
    show_figures: whether figures and the legend are written into the 3D view. step: where skinning is
    stopped; None for the result. same_color, off_color: for text there about meshes that equal Blender's, and
    about others; sRGB. blender_mesh: how Blender's own mesh is shown; ignored in a split view. split:
    position of the line that splits the view, Blender's result left of it, as a fraction of the view's width;
    None for no split. technique: how meshes are skinned and drawn. profile: the engine profile that previews
    skin with; engine: the chosen one, of which `profile` may be a single aspect: that of the rule `alone`.
    """

    shown: bool = True
    display: str = DEFAULT_DISPLAY
    drawing: DisplaySettings = field(default_factory=DisplaySettings)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    beside: bool = False
    show_figures: bool = True
    step: SpaceStep | None = None
    same_color: Color = (1.0, 1.0, 1.0, 1.0)
    off_color: Color = (1.0, 1.0, 1.0, 1.0)
    blender_mesh: BlenderMesh = BlenderMesh.SHOWN
    split: float | None = None
    technique: TechniqueChoice = field(default_factory=TechniqueChoice)
    profile: Profile = BLENDER
    engine: Profile = BLENDER
    alone: str = ""

    @property
    def is_in_place(self) -> bool:
        """Whether previews are drawn where Blender's meshes are."""
        return not self.beside and not any(self.offset)

    @property
    def hides_blenders_mesh(self) -> bool:
        """Whether Blender should not draw its own mesh if a preview stands in for it."""
        return hides_blenders_mesh(self.blender_mesh, shown=self.shown, is_split=self.split is not None)


def hides_blenders_mesh(blender_mesh: BlenderMesh, *, shown: bool, is_split: bool) -> bool:
    """Tell whether Blender should not draw its own mesh if a preview stands in for it. is_split: whether views
    are split; shown, blender_mesh: see `PreviewSettings`.
    """
    return shown and (is_split or blender_mesh is not BlenderMesh.SHOWN)


class SettingsReader:
    """Reads scenes' settings: dozens of properties, which several parts of a redraw ask for."""

    def __init__(self, read: Callable[[bpy.types.Scene], PreviewSettings]) -> None:
        self._read = read
        self._kept: Known | None = None
        self._read_for: tuple[int, Known] | None = None

    def __call__(self, scene: bpy.types.Scene) -> PreviewSettings:
        """Return a scene's settings as they are now."""
        return self.known(scene.session_uid, lambda: self._read(scene))

    def known(self, key: Hashable, read: Callable[[], Value], /) -> Value:
        """Return something else that does not change while a view is drawn; outside of a block it is read
        each time. See `Once`.
        """
        return read() if self._kept is None else self._kept(key, read)

    def once(self, region: int) -> _Keeping:
        """For blocks during which no setting changes, such as a draw callback: read each scene's only once.

        region: that is drawn, by its pointer.
        """
        return _Keeping(self, Known(), region)

    def once_more(self, region: int) -> _Keeping:
        """The same for what is drawn over a region: no setting has changed since `once`, if that was the last
        block and this region's.
        """
        last, self._read_for = self._read_for, None
        return _Keeping(self, last[1] if last is not None and last[0] == region else Known())

    def keep(self, kept: Known | None, read_for: int | None = None) -> None:
        """From now on return what is kept, None for reading each time again. read_for: a region whose next
        block may go on with what was kept until now.
        """
        self._read_for = None if read_for is None or self._kept is None else (read_for, self._kept)
        self._kept = kept


class _Keeping:
    """A block of a reader's. Not a generator, which takes three times as long: every redraw has two."""

    __slots__ = ("_kept", "_reader", "_region")

    def __init__(self, reader: SettingsReader, kept: Known, region: int | None = None) -> None:
        self._reader, self._kept, self._region = reader, kept, region

    def __enter__(self) -> None:
        self._reader.keep(self._kept)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._reader.keep(None, self._region if kind is None else None)
