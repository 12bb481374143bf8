"""Checking again: findings, a cause alone, a fix, and undo of it."""

from __future__ import annotations

import time

from tests.windowed.hour.artist import Artist
from tests.windowed.hour.steps import REPORT, SHOWN, Step, adding_to, check_and_wait, names, value, wait

STEPS: list[Step] = []
step = adding_to(STEPS)


@step
def check_again(artist: Artist) -> None:
    check_and_wait(artist)
    artist.look_for_verdict()


@step
def choose_a_finding(artist: Artist) -> None:
    artist.unfold("SKINSCOPE_PT_profile_findings")
    number = value(artist, f"[one.rule for one in {REPORT}.findings].index('influence-limit')")
    artist.click(*artist.find("row", str(number)).at())
    wait(
        artist,
        "bpy.context.window_manager.skinscope_findings.active == {number}".replace("{number}", str(number)),
    )
    artist.look()


@step
def show_it_alone(artist: Artist) -> None:
    artist.push("skinscope.finding_show")
    wait(artist, "settings.profiles.alone == 'influence-limit'")
    wait(artist, SHOWN)
    artist.look()


@step
def show_all_again(artist: Artist) -> None:
    artist.push("skinscope.finding_show")
    wait(artist, "not settings.profiles.alone")
    wait(artist, SHOWN)
    artist.look()


@step
def fix_it(artist: Artist) -> None:
    before = names(artist)
    artist.push("skinscope.fix_influences")
    wait(artist, "max(len(one.groups) for one in body.data.vertices) <= 4")
    wait(artist, SHOWN)
    assert names(artist) != before
    artist.look_for_verdict()


@step
def check_what_the_fix_left(artist: Artist) -> None:
    check_and_wait(artist)
    artist.look_for_verdict()
    assert "influence-limit" not in value(artist, f"[one.rule for one in {REPORT}.findings]")


@step
def undo_the_fix(artist: Artist) -> None:
    for _ in range(4):
        artist.press("ctrl+z")
        time.sleep(0.5)
        if value(artist, "max(len(one.groups) for one in body.data.vertices)") > 4:
            break
    assert value(artist, "max(len(one.groups) for one in body.data.vertices)") > 4
    wait(artist, SHOWN)
    artist.look_for_verdict()
