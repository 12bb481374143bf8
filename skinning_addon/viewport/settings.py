"""What the user has set about previews, as the draw handlers need it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..drawing.displays import DisplaySettings

DEFAULT_DISPLAY = "shaded"


@dataclass(frozen=True)
class PreviewSettings:
    """One scene's settings.

    display: name of a display of the drawing layer, such as 'deviation'.
    drawing: how displays look.
    offset: by how much a preview is drawn beside its mesh, world space, scene units; zeros for in place.
    show_figures: whether figures and the legend are written into the 3D view.
    """

    display: str = DEFAULT_DISPLAY
    drawing: DisplaySettings = field(default_factory=DisplaySettings)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    show_figures: bool = True
