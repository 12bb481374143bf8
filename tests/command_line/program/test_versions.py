"""A report is written even if the program doesn't know its own version."""

import pytest

from skinning_addon.command_line.program import versions


@pytest.fixture
def no_manifest(tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "MANIFEST", tmp_path / "blender_manifest.toml")
    versions.skinscope_version.cache_clear()
    yield
    versions.skinscope_version.cache_clear()


def test_a_package_copied_without_its_manifest_still_reports(no_manifest, skinscope):  # noqa: ARG001
    ran = skinscope("check", "missing.blend", "--format", "json")
    assert ran.status == 2
    report = ran.json
    assert report["skinscope"] == "unknown"
    assert "missing.blend" in report["files"][0]["error"]
