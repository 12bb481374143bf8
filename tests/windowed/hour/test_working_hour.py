"""An hour of an artist's work in sixty steps; each screen is looked at.

On a screen of 1280x800 in English; with --every-screen in English and Korean, at 1280x800 and 1920x1080, with
interface scales 1 and 1.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import HEIGHT, WIDTH, virtual_screen, windowed_blender
from tests.windowed.hour.artist import Artist
from tests.windowed.hour.hours_work import STEPS
from tests.windowed.scenes import text_of


@dataclass(frozen=True)
class Screen:
    """A screen and how the interface is set up on it. size: in pixels."""

    size: tuple[int, int]
    scale: float
    language: str

    @property
    def name(self) -> str:
        return f"{self.size[0]}x{self.size[1]}-{self.scale:g}-{self.language[:2]}"


USUAL = Screen((WIDTH, HEIGHT), 1, "en_US")
SCREENS = [
    Screen(size, scale, language)
    for language in ("en_US", "ko_KR")
    for size in ((WIDTH, HEIGHT), (1920, 1080))
    for scale in (1, 1.5)
]

SET_UP = """\
preferences = bpy.context.preferences
preferences.view.ui_scale = {scale}
preferences.view.language = {language!r}
preferences.view.use_translate_interface = preferences.view.use_translate_tooltips = True
"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    screens = SCREENS if metafunc.config.getoption("--every-screen", default=False) else [USUAL]
    metafunc.parametrize("screen", screens, ids=[one.name for one in screens])


@pytest.fixture
def artist(user_resources: Path, screen: Screen, tmp_path: Path) -> Iterator[Artist]:
    with (
        virtual_screen(*screen.size) as display,
        windowed_blender(display, user_resources, size=screen.size) as blender,
    ):
        blender.run(SET_UP.format(scale=screen.scale, language=screen.language))
        blender.run(f"FILE = {str(tmp_path / 'human.blend')!r}")
        for name in ("bar_character.py", "preview_figures.py", "hour/character_of_the_hour.py"):
            blender.run(text_of(name), timeout=400)
        blender.run(text_of("hour/panel_record.py"))
        blender.screenshot(timeout=120)
        yield Artist(blender, screen.scale)


def test_an_hour_of_work(artist: Artist, screen: Screen) -> None:
    for number, step in enumerate(STEPS, 1):
        artist.step = f"{screen.name}-{number:02d}-{step.__name__}"
        with no_complaint(artist.blender, ("traceback",)):
            step(artist)
    assert not artist.complaints, "\n".join(artist.complaints)
