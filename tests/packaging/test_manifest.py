"""What Blender's extension platform requires of the manifest but its own `validate` doesn't check."""

from __future__ import annotations

import string
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def manifest() -> dict:
    return tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text(encoding="utf-8"))


def test_tags_are_ones_that_blender_knows(manifest):
    # Blender's own list; importable once bpy is.
    from _bpy_internal.extensions.tags import addons  # pyright: ignore[reportMissingImports]

    assert set(manifest["tags"]) <= addons - {"All"}


def test_tagline_fits_and_ends_without_punctuation(manifest):
    assert len(manifest["tagline"]) <= 64
    assert manifest["tagline"][-1] not in string.punctuation


def test_each_permission_gives_a_reason_that_fits_and_ends_without_punctuation(manifest):
    assert set(manifest["permissions"]) == {"files"}
    for reason in manifest["permissions"].values():
        assert 0 < len(reason) <= 64
        assert reason[-1] not in string.punctuation


def test_oldest_blender_is_4_2(manifest):
    assert manifest["blender_version_min"] == "4.2.0"
