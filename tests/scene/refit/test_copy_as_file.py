"""Game-ready copies exported by Blender's glTF exporter are in the file as Blender shows them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.gltf.animation import read_animations
from skinning_addon.core.gltf.container import read_gltf
from skinning_addon.core.gltf.posed_file import read_posable_file
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.exports.vertex_numbers import number_vertices
from tests.command_line.rig_files import animated_rig
from tests.installed_package import CHECKOUT
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions
from tests.scene.refit.evaluated import play, world_positions
from tests.scene.refit.planning import copied, planned, the_armature

DEFAULT_INFLUENCES = 4

OTHER_OPTIONS = {"mannequiny.glb": {"export_optimize_animation_size": False}}
"""By default, the exporter leaves out the motion of bones that turn by less than 1e-4, of the original as of the
copy: 3.5e-5 of this character's size."""


@pytest.mark.rigs
@pytest.mark.parametrize("mode", ["ACTIONS", "NLA_TRACKS"])
@pytest.mark.parametrize("name", ["Fox.glb", "mannequiny.glb", "m2m_bird.blend", "mpfb_rigify_plain.blend"])
def test_the_file_holds_what_blender_shows(rigs_folder: Path, tmp_path: Path, name: str, mode: str):
    open_rig(rigs_folder / name)
    original, scene = the_armature(), bpy.context.scene
    armature, meshes = copied(planned(original, influences=DEFAULT_INFLUENCES))
    number_vertices(list(meshes.values()), after_modifiers=False)
    for one in scene.objects:
        one.select_set(one == armature or one in meshes.values())
    path = tmp_path / "copy.glb"
    bpy.ops.export_scene.gltf(
        filepath=str(path),
        use_selection=True,
        export_attributes=True,
        export_animation_mode=mode,
        **OTHER_OPTIONS.get(name, {}),
    )
    file = read_posable_file(path)
    animations = {one.name: one for one in file.animations}
    clips = list_clips(scene, [armature])
    # In this mode, Blender writes every action of the file, and names clips after these.
    told = {
        clip.name: f"{clip.name} game-ready" if mode == "ACTIONS" and bpy.app.version >= (4, 4) else clip.name
        for clip in clips
    }
    assert set(told.values()) <= set(animations)
    if mode == "NLA_TRACKS":
        assert set(told.values()) == set(animations)
    numbers = {one: [p for p in file.primitives if p.name == mesh.name] for one, mesh in meshes.items()}
    for clip in clips:
        play(armature, clip)
        # The exporter samples whole frames.
        first, last = math.ceil(clip.frame_start), math.floor(clip.frame_end)
        frames = [first, (first + last) // 2, last]
        for one, mesh in meshes.items():
            positions = file.positions(
                [animations[told[clip.name]]], [frame / scene.render.fps for frame in frames], numbers[one]
            )
            for index, frame in enumerate(frames):
                set_frame(scene, frame)
                wanted = world_positions(mesh)
                size = np.linalg.norm(np.ptp(wanted, axis=0))
                for primitive, at in zip(numbers[one], positions, strict=True):
                    assert primitive.source is not None
                    # Y up in the file.
                    in_blender = at[index][:, [0, 2, 1]] * (1, -1, 1)
                    off = np.abs(in_blender - wanted[primitive.source]).max() / size
                    assert off <= 1e-5, (clip.name, frame)


@pytest.fixture
def enabled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The extension, listed among the enabled ones, which Blender's exporter asks: the module that Blender
    enables, at the top of the installed one, or of the checkout where none is installed.
    """
    name, add_ons = sys.modules["skinning_addon"].__name__.rpartition(".")[0], bpy.context.preferences.addons
    if name:
        assert name in add_ons
        yield
        return
    spec = spec_from_file_location(
        "skinscope", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "skinscope", module)
    spec.loader.exec_module(module)
    add_ons.new().module = "skinscope"
    yield
    add_ons.remove(add_ons["skinscope"])
    for one in [one for one in sys.modules if one.startswith("skinscope.")]:
        del sys.modules[one]


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize("mode", ["ACTIONS", "BROADCAST"])
def test_either_is_exported_with_its_own_clips_alone(tmp_path: Path, mode: str):
    """By the exporter's defaults, from a file that has both."""
    rig = animated_rig(RigOptions(seed=3, influences=8, scale="none"))
    key_poses(rig, 12)
    unused = rig.armature.animation_data.action.copy()
    unused.name, unused.use_fake_user = "Unused", True
    copies = [copied(planned(rig.armature, [rig.mesh]))[0] for _ in range(2)]
    scene = bpy.context.scene

    def exported(armature: bpy.types.Object) -> list[str]:
        for one in scene.objects:
            one.select_set(one == armature)
        path = tmp_path / "one.glb"
        bpy.ops.export_scene.gltf(filepath=str(path), use_selection=True, export_animation_mode=mode)
        return sorted(one.name for one in read_animations(read_gltf(path)))

    assert exported(rig.armature) == ["Unused", "Wild"]
    for copy in copies:
        of_tracks = bpy.app.version < (4, 4) and mode == "ACTIONS"
        tracks = list(copy.animation_data.nla_tracks)
        own = [track.name if of_tracks else track.strips[0].action.name for track in tracks]
        assert exported(copy) == sorted(own)
        assert len(own) == 2
