"""The script that draws what a game-ready copy cures: what it exports, copies, matches and draws, on a small rig."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest

from docs import write_cure_picture as script
from tests.command_line.rig_files import rig_file, without_flaws
from tests.engines.capture import CapturedMesh, Engine
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.random_rig import RigOptions

SHEARED = RigOptions(seed=12, influences=3, inherit_scale="ALIGNED")


class BySpecification(Engine):
    """An engine that needs no Node: it poses files as the specification says."""

    def install(self) -> None:
        pass

    @property
    def command(self) -> list[str | Path]:
        return []

    def capture_meshes(self, file: Path, times: Sequence[float], folder: Path) -> list[CapturedMesh]:
        assert folder.is_dir()
        content = SkinnedGltf.read(file)
        (clip,) = content.clips
        positions, sources = zip(*(content.positions(clip, one) for one in times), strict=True)
        return [CapturedMesh(np.array(positions), sources[0], {"position": content.at_rest()})]


@pytest.fixture
def cure(tmp_path: Path) -> script.Cure:
    rig = rig_file(tmp_path / "rig.blend", SHEARED, without_flaws)
    return script.cure_of(rig, "Sway", BySpecification(), tmp_path)


def test_the_export_is_off_and_the_copy_is_not(cure: script.Cure):
    mesh = bpy.data.objects[cure.mesh]
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bpy.context.scene.frame_set(cure.frame)
    shown = [evaluated.matrix_world @ one.co for one in evaluated.data.vertices]
    assert np.allclose(cure.authored, shown, atol=1e-5), "it is what Blender shows"
    before, after = (cure.off(one)[0] for one in (cure.exported, cure.copied))
    assert 0 < 10 * after < before
    for one, largest in ((cure.exported, before), (cure.copied, after)):
        assert 0 < cure.off(one)[1] <= largest


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
def test_each_is_drawn_with_its_own_positions(cure: script.Cure):
    height, width = script.PANEL[1] + script.FOOTER, 3 * script.PANEL[0] + script.BESIDE
    pixels = script.picture_of(cure)
    assert pixels.shape == (height, width, 4)
    for name in ("authored", "exported", "copied"):
        drawn = bpy.data.objects[name].data.vertices
        assert np.allclose([one.co for one in drawn], getattr(cure, name), atol=1e-6)
    panels = np.split(pixels[: script.PANEL[1], : 3 * script.PANEL[0], :3].astype(int), 3, axis=1)
    authored, exported, copied = (
        ((one[:, :, 2] - one[:, :, 0] > 60).sum(), (one[:, :, 0] - one[:, :, 2] > 60).sum()) for one in panels
    )
    assert authored == (0, 0), "what Blender shows is gray"
    assert exported[1] > 1000, "the export is yellow and red where it is off"
    assert copied[0] > 1000, "the copy is blue where it is near"
    assert copied[1] < exported[1]


def test_vertices_are_found_by_their_places():
    rest = np.random.default_rng(1).normal(size=(50, 3))
    numbers = np.array([3, 1, 4, 1, 49])
    assert (script.vertices_at(rest[numbers], rest) == numbers).all()
    with pytest.raises(SystemExit, match="share"):
        script.vertices_at(rest[numbers], np.concatenate((rest, rest[3:4])))
    with pytest.raises(SystemExit, match="share"):
        script.vertices_at(rest[numbers] + 1, rest)


def test_the_columns_say_how_far_off_each_is():
    still = np.zeros((1000, 3))
    off, near = still.copy(), still.copy()
    off[:, 0], near[0, 2] = 0.34, 0.004
    said = script.texts(script.Cure("Human", 40, still, off, near), 1.0)
    assert [one[1] for one in said] == ["as authored", "34 cm off", "4 mm off"]
    assert "frame 40" in said[0][2]


@pytest.mark.parametrize("page", ["README.md", "docs/refit.md"])
def test_the_page_shows_the_picture(page: str):
    shown = (script.CHECKOUT / page).read_text(encoding="utf-8")
    assert f"images/{script.PICTURE.name})" in shown
    assert script.PICTURE.stat().st_size < 600_000
