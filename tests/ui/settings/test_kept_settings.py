"""What the draw handlers need of a scene's settings is made once, and again whenever a value has changed."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.settings import properties
from skinning_addon.ui.settings.properties import preview_settings

pytestmark = pytest.mark.usefixtures("session")


@pytest.fixture
def made(monkeypatch):
    """The scenes' settings made since."""
    found = []
    make = properties._made
    monkeypatch.setattr(properties, "_made", lambda *given: found.append(make(*given)) or found[-1])
    monkeypatch.setattr(properties, "_known", {})
    return found


def test_they_are_made_once_for_all_frames_and_panels(made):
    scene = bpy.context.scene
    for frame in (1, 2, 3):
        scene.frame_set(frame)
        assert preview_settings(scene) is preview_settings(scene)
    assert len(made) == 1


def test_each_scene_has_its_own(made):
    other = bpy.data.scenes.new("Other")
    other.skinscope.display = "DEVIATION"
    for _ in range(2):
        assert [preview_settings(one).display for one in (bpy.context.scene, other)] == [
            "shaded",
            "deviation",
        ]
    assert len(made) == 2


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("display", "DEVIATION"),
        ("wireframe", True),
        ("placement", "ASIDE"),
        ("threshold", 0.02),
        ("show_previews", False),
        ("show_figures", False),
        ("blender_mesh", "GHOST"),
        ("influence_limit", 2),
        ("spaces.shown", True),
        ("technique.technique", "SOFTWARE"),
        ("technique.joints_per_group", 12),
        ("profiles.profile", "threejs"),
    ],
)
def test_a_changed_value_makes_them_again(made, path, value):
    settings = bpy.context.scene.skinscope
    if path == "technique.joints_per_group":
        settings.technique.technique = "PARTITIONED"
    before = preview_settings(bpy.context.scene)
    *group, name = path.split(".")
    setattr(getattr(settings, group[0]) if group else settings, name, value)
    assert preview_settings(bpy.context.scene) != before
    assert len(made) == 2


def test_animated_settings_are_followed():
    """Blender calls no `update` for a value that a curve sets."""
    scene = bpy.context.scene
    for frame, threshold in ((1, 0.01), (11, 0.03)):
        scene.skinscope.threshold = threshold
        scene.keyframe_insert("skinscope.threshold", frame=frame)
    seen = []
    for frame in (1, 11, 1):
        scene.frame_set(frame)
        seen.append(preview_settings(scene).drawing.heat_scale.threshold)
    assert seen == pytest.approx([0.01, 0.03, 0.01], rel=1e-3)


def test_export_settings_change_the_profile():
    settings = bpy.context.scene.skinscope.profiles
    settings.profile = "threejs"
    before = preview_settings(bpy.context.scene).profile
    settings.exporter.use_own = True
    settings.exporter.export_def_bones = True
    assert not before.exporter.deform_bones_only
    assert preview_settings(bpy.context.scene).profile.exporter.deform_bones_only
