"""What the user has set about previews, as the draw handlers need it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from ...core.profiles.profile import BLENDER, Profile
from ...drawing.display_settings import DisplaySettings
from ...drawing.rectangle import Color
from ...drawing.techniques import TechniqueChoice

DEFAULT_DISPLAY = "shaded"


class BlenderMesh(Enum):
    """How Blender's own result is seen beside ours."""

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
    offset: by how much a preview is drawn beside its mesh, world space, scene units; zeros for in place.
    show_figures: whether figures and the legend are written into the 3D view.
    step: where skinning is stopped; None for the result.
    same_color, off_color: of what is written there about meshes that equal Blender's, and about others; sRGB.
    blender_mesh: how Blender's own mesh is seen; has no say in a split view.
    split: where the line lies that splits the view, Blender's result left of it, as a share of the view's width; None
        where the view is whole.
    technique: how meshes are skinned and drawn.
    profile: as whom previews skin.
    """

    shown: bool = True
    display: str = DEFAULT_DISPLAY
    drawing: DisplaySettings = field(default_factory=DisplaySettings)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    show_figures: bool = True
    step: SpaceStep | None = None
    same_color: Color = (1.0, 1.0, 1.0, 1.0)
    off_color: Color = (1.0, 1.0, 1.0, 1.0)
    blender_mesh: BlenderMesh = BlenderMesh.SHOWN
    split: float | None = None
    technique: TechniqueChoice = field(default_factory=TechniqueChoice)
    profile: Profile = BLENDER

    @property
    def hides_blenders_mesh(self) -> bool:
        """Whether Blender is to draw nothing of its own where a preview stands in for it."""
        return self.shown and (self.split is not None or self.blender_mesh is not BlenderMesh.SHOWN)
