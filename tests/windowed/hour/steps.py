"""What the steps of the hour have in common: what is true inside Blender, and waiting for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.windowed.hour.artist import Artist

Step = Callable[[Artist], None]

SHOWN = "session.previews and all(figures(one)['settled'] for one in range(len(session.previews)))"
REPORT = "session.checks.results.of(scene.session_uid, settings.profiles.profile)"
CHECKED = f"{REPORT} not in (None, before) and not session.checks.results.outdated"
PLAYER = "next(iter(session.players))"
ENGINE = "threejs"
NAMES = (
    "[round(sum(one.co.length for one in body.data.vertices), 4),"
    " round(sum(group.weight for one in body.data.vertices for group in one.groups), 3),"
    " [round(value, 4) for one in rig.pose.bones['upper_arm_fk.L'].matrix_basis for value in one],"
    " body.mode, rig.mode]"
)
"""What undo has to leave alone or put back: positions, weights, pose and mode."""
BODY = (0.423, 0.4)
"""Where the character's chest is in the view, as fractions of its width and height."""


def adding_to(steps: list[Step]) -> Callable[[Step], Step]:
    """Return a decorator that adds a step to these."""

    def step(do: Step) -> Step:
        steps.append(do)
        return do

    return step


def value(artist: Artist, code: str) -> Any:
    """Return the value of an expression inside Blender, in which the scene, rig and body have their names."""
    # Undo and reload leave older references without an object.
    return artist.blender.run("name_things()\n" + code)


def wait(artist: Artist, condition: str, timeout: float = 300) -> None:
    """Wait until an expression is true inside Blender."""
    artist.blender.wait_until(f"name_things() or ({condition})", timeout)


def check_and_wait(artist: Artist) -> None:
    """Press Check, and wait for its report: what was found before may still be there, or again."""
    value(artist, f"before = {REPORT}")
    artist.push("skinscope.profile_check")
    wait(artist, CHECKED, 300)


def names(artist: Artist) -> Any:
    """Return what undo has to leave alone or put back: positions, weights, pose and mode."""
    return value(artist, NAMES)
