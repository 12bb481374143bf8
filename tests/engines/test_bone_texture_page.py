"""A page plays a bone texture by three.js, in a browser: its shaders put vertices where an animation controller
does, at keys, between them, and while clips fade.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import bpy
import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.scene.crowd.textured_character import (
    TexturedCharacter,
    mesh_to_root,
    placed_positions,
    read_textured,
)
from tests.browser import run_browser
from tests.command_line.crowding.walker_file import walker_file
from tests.command_line.pictures import read_picture
from tests.engines.capture import HERE
from tests.engines.test_bone_texture import SHARE, TOLERANCE, apart, read_by_threejs, written
from tests.scene.opened_rigs import open_rig

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]

READERS = HERE.parents[1] / "docs" / "readers"
THREE = HERE / "node_modules" / "three"
WITHOUT_GPU = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SIZE = (960, 540)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a texture's files with the readers and three.js, as the page says; yield the page's address."""
    for one in READERS.iterdir():
        shutil.copy(one, folder)
    shutil.copytree(THREE / "build", folder / "three")
    for name in ("loaders", "utils"):
        shutil.copytree(THREE / "examples" / "jsm" / name, folder / "three" / "addons" / name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/bone-crowd.html"
    finally:
        server.shutdown()
        server.server_close()


def moments_of(manifest: dict) -> list[dict]:
    """Samples of every clip, between samples, and fades to the next clip."""
    clips = manifest["clips"]
    found = []
    for index, clip in enumerate(clips):
        other = clips[(index + 1) % len(clips)]
        step = clip["seconds"] / max(clip["samples"] - 1, 1)
        for at, fade in (
            (0.0, 0.0),
            (3 * step, 0.0),
            (2.37 * step, 0.0),
            (4.61 * step, 0.3),
            (5.2 * step, 0.85),
        ):
            here, there = min(at, 0.99 * clip["seconds"]), 0.617 * other["seconds"]
            found.append({"a": [clip["name"], here], "b": [other["name"], there], "fade": fade})
    return found


def controllers(character: TexturedCharacter, moments: list[dict]) -> tuple[np.ndarray, np.ndarray]:
    """Return all vertices at rest (V, 3) and as an animation controller poses them, (M, V, 3); Y up, in metres."""
    rest, posed = [], []
    for mesh in character.meshes:
        (one,) = mesh.binding.passes
        skin = one.skin.normalised()
        to_file = mesh_to_root(mesh) @ character.root_to_file
        positions = np.concatenate(
            (mesh.binding.mesh.positions.astype(np.float64), np.ones((mesh.binding.mesh.vertex_count, 1))),
            axis=1,
        )
        rest.append(placed_positions(mesh, character.root_to_file))
        of_mesh = []
        for moment in moments:
            controller = Controller(character.skeleton, character.clips)
            for track, (which, weight) in enumerate((("a", 1 - moment["fade"]), ("b", moment["fade"]))):
                clip, seconds = moment[which]
                controller.set_track(
                    track, clip, position=seconds, speed=0, weight=weight, enabled=weight > 0
                )
            bones = controller.to_root()[0].astype(np.float64)
            moved = np.where(
                (one.joints.bone < 0)[:, None, None],
                mesh_to_root(mesh),
                one.joints.offset @ bones[one.joints.bone],
            )
            vertices = np.zeros((len(positions), 4))
            of_influence = skin.vertex_of_influence
            each = np.einsum(
                "nc,ncd->nd", positions[of_influence], moved[skin.joints] @ character.root_to_file
            )
            np.add.at(vertices, of_influence, skin.weights[:, None] * each)
            unmoved = skin.counts == 0
            vertices[unmoved] = positions[unmoved] @ to_file
            of_mesh.append(vertices[:, :3])
        posed.append(of_mesh)
    return np.concatenate(rest), np.concatenate(posed, axis=1)


def in_browser(folder: Path, profile: Path, moments: list[dict]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the page's shaders make of moments: (V, 3) at rest, and (M, V, 3)."""
    with served(folder) as address:
        asked = f"{address}?moments={quote(json.dumps(moments))}"
        document = run_browser(profile, asked, *WITHOUT_GPU, "--dump-dom")
    told = re.search(r'id="told">(.*?)<', document)
    assert told
    assert told[1] == "Done."
    found = re.search(r'<pre id="result">(.*?)</pre>', document, re.DOTALL)
    assert found
    result = json.loads(html.unescape(found[1]))
    return np.array(result["rest"]), np.array(result["posed"])


def off(character: TexturedCharacter, moments: list[dict], read: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return how far any vertex is off at each moment, in metres."""
    rest, expected = controllers(character, moments)
    return apart(*read, rest, expected).max(axis=1)


def diagonal(character: TexturedCharacter) -> float:
    rest = np.concatenate([placed_positions(one, character.root_to_file) for one in character.meshes])
    return float(np.linalg.norm(np.ptp(rest, axis=0)))


@pytest.mark.parametrize("pixel_format", ["float32", "half"])
def test_a_walker_is_where_a_controller_has_it_while_clips_fade_too(tmp_path, pixel_format):
    file = walker_file(tmp_path / "walker.blend")
    options = ("--relative-to", "parent", "--format", pixel_format, "--tolerance", TOLERANCE)
    manifest = written(file, tmp_path / "out", *options)
    moments = moments_of(manifest)
    open_rig(file)
    character = read_textured(bpy.context.scene, ())
    by_shader = off(character, moments, in_browser(tmp_path / "out", tmp_path / "profile", moments))
    by_script = off(character, moments, read_by_threejs(tmp_path / "out", moments))
    announced = max(clip["deviation"] for clip in manifest["clips"])
    for found in (by_shader, by_script):
        if pixel_format == "float32":
            assert found.max() <= SHARE * diagonal(character)
        else:
            assert found.max() <= announced + 1e-6 * diagonal(character)


def test_movements_from_rest_are_drawn_as_they_are_announced(tmp_path):
    file = walker_file(tmp_path / "walker.blend")
    manifest = written(file, tmp_path / "out", "--tolerance", TOLERANCE)
    moments = [one for one in moments_of(manifest) if not one["fade"]]
    open_rig(file)
    character = read_textured(bpy.context.scene, ())
    found = off(character, moments, in_browser(tmp_path / "out", tmp_path / "profile", moments))
    assert found.max() <= max(clip["deviation"] for clip in manifest["clips"]) + 1e-6


def test_script_and_shader_blend_movements_alike_while_clips_fade(tmp_path):
    manifest = written(walker_file(tmp_path / "walker.blend"), tmp_path / "out")
    moments = [one for one in moments_of(manifest) if one["fade"]]
    shader = in_browser(tmp_path / "out", tmp_path / "profile", moments)[1]
    script = read_by_threejs(tmp_path / "out", moments)[1]
    np.testing.assert_allclose(shader, script, atol=2e-6)


@pytest.mark.rigs
def test_a_thousand_foxes_are_drawn_and_each_is_where_a_controller_has_it(tmp_path, rigs_folder):
    file = rigs_folder / "Fox.glb"
    options = ("--relative-to", "parent", "--tolerance", TOLERANCE)
    manifest = written(file, tmp_path / "out", *options)
    moments = moments_of(manifest)
    open_rig(file)
    character = read_textured(bpy.context.scene, ())
    found = off(character, moments, in_browser(tmp_path / "out", tmp_path / "profile", moments))
    assert found.max() <= SHARE * diagonal(character)
    shutil.rmtree(tmp_path / "out" / "three")
    picture = tmp_path / "crowd.png"
    with served(tmp_path / "out") as address:
        window = f"--window-size={SIZE[0]},{SIZE[1]}"
        run_browser(tmp_path / "p", f"{address}?at=1.7", *WITHOUT_GPU, window, f"--screenshot={picture}")
        document = run_browser(tmp_path / "p", f"{address}?at=1.7", *WITHOUT_GPU, "--dump-dom")
    assert "1000 instances, 3 clips" in document
    colours = read_picture(picture)
    drawn = (colours[..., 0] - colours[..., 2]) > 0.1
    assert drawn.mean() > 0.02
