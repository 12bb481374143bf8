"""What is said of a prediction never exceeds its weakest stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.profile import Group
from skinning_addon.core.profiles.verification import (
    Evidence,
    Verification,
    evidence_entry,
    read_verification,
)
from skinning_addon.core.text.errors import ProfileError

AGREED = Evidence("three.js", "0.187.0", 11, 1e-6)


@pytest.mark.parametrize(
    ("verification", "standing"),
    [
        (Verification(), "assumed"),
        (Verification(file=AGREED), "file verified; import, playback and skinning assumed"),
        (
            Verification(file=AGREED, importing=AGREED, skinning=AGREED),
            "file, import and skinning verified; playback assumed",
        ),
        (Verification(AGREED, AGREED, AGREED, AGREED), "verified"),
    ],
)
def test_what_is_said(verification: Verification, standing: str):
    assert verification.standing == standing
    assert verification.complete is (standing == "verified")


def test_engines_that_run_here_are_verified_and_no_others():
    whole = {name for name in profile_ids() if load_profile(name).verified.complete}
    assert whole == {"threejs", "babylonjs", "playcanvas", "vtk", "usd"}
    for name in profile_ids():
        profile = load_profile(name)
        expected = None if profile.group is not Group.ENGINE else profile.exporter.format.value
        assert (profile.verified.file is not None) is (expected is not None), name
    assert load_profile("unity-4").verified.standing.startswith("file verified;")
    assert load_profile("unity-4").verified.beyond


def test_a_profile_that_extends_another_was_not_compared(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'label = "Mine"\nversion = "1"\nsources = ["it"]\nextends = "threejs"\n', encoding="utf-8"
    )
    assert load_profile(str(path)).verified == Verification()


def test_what_is_read_is_what_was_written():
    entry = {"file": evidence_entry(AGREED), "beyond": ["reduction"]}
    assert read_verification(entry) == Verification(file=AGREED, beyond=("reduction",))


@pytest.mark.parametrize(
    "text",
    [
        "verified = true",
        "[verified.whole]\nby = 'it'",
        "[verified.file]\nby = 'it'\nversion = '1'\nrigs = 3",
        "[verified.file]\nby = 'it'\nversion = '1'\nrigs = 0\nfigure = 0.0",
        "[verified.file]\nby = 'it'\nversion = '1'\nrigs = 3\nfigure = nan",
    ],
)
def test_anything_else_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "mine.toml"
    path.write_text(f'label = "Mine"\nversion = "1"\nsources = ["it"]\n{text}\n', encoding="utf-8")
    with pytest.raises(ProfileError, match=r"verified is .*; it must be tables named file"):
        load_profile(str(path))
