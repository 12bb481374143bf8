"""`diff`: an engine's positions are matched to the bundle, whatever its axes, unit and vertex order.

The bundle's own positions, rotated and shuffled, stand in for the engine; tests/engines has a real one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file
from tests.command_line.schemas import valid_junit, valid_sarif
from tests.scene.random_rig import RandomRig, RigOptions

Arrays = dict[str, np.ndarray]

ENGINES: dict[str, tuple[list[list[float]], float]] = {
    "as it is": ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1.0),
    "glTF": ([[1, 0, 0], [0, 0, -1], [0, 1, 0]], 1.0),
    "Unreal, centimetres, left-handed": ([[1, 0, 0], [0, -1, 0], [0, 0, 1]], 100.0),
    "Unity, left-handed": ([[-1, 0, 0], [0, 0, -1], [0, 1, 0]], 1.0),
    "turned about, millimetres": ([[0, 1, 0], [0, 0, -1], [-1, 0, 0]], 1000.0),
    "inches": ([[0, 0, 1], [1, 0, 0], [0, 1, 0]], 1 / 0.0254),
}
"""Where our X, Y and Z point, and how many of the engine's units one of ours is."""


def _with_uv(rig: RandomRig) -> None:
    layer = rig.mesh.data.uv_layers.new(name="UVMap")
    layer.uv.foreach_set("vector", np.random.default_rng(1).random(2 * len(layer.uv)).astype(np.float32))


@pytest.fixture
def bundle(tmp_path: Path, skinscope: Program) -> Path:
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=8, transformed=True), _with_uv)
    folder = tmp_path / "bundle"
    result = skinscope("export", path, "--output", folder, "--device", "cpu", "--frames", "1:9:4", "--profile", "threejs")  # fmt: skip
    assert result.status == 0
    return folder


def arrays_of(bundle: Path) -> tuple[Arrays, Arrays]:
    folder = bundle / "random-mesh"
    return dict(np.load(folder / "skin.npz")), dict(np.load(folder / "frames.npz"))


def moved(positions: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    return np.einsum("...nr,...rc->...nc", positions, matrices[..., :3, :3]) + matrices[..., None, 3, :3]


def drawn_elsewhere(bundle: Path, engine: str, seed: int = 0) -> tuple[Arrays, np.ndarray]:
    """The drawn vertices in an engine's own axes, unit and order, some twice; and which vertex each of them
    is.
    """
    skin, frames = arrays_of(bundle)
    axes, scale = ENGINES[engine]
    axes = np.array(axes, dtype=np.float64)
    random = np.random.default_rng(seed)
    count = len(skin["drawn_vertex"])
    order = np.concatenate((random.permutation(count), random.integers(0, count, 50)))
    source = skin["drawn_vertex"][order]
    to_world = frames["mesh_to_world"]
    normals = skin["drawn_normals"] @ np.linalg.inv(to_world[0, :3, :3]).T
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return {
        "positions": (
            moved(frames["skinned_positions"].astype(float), to_world)[:, source] @ axes * scale
        ).astype(np.float32),
        "rest_positions": (moved(skin["positions"].astype(float), to_world[0])[source] @ axes * scale).astype(
            np.float32
        ),
        "rest_normals": normals[order] @ axes,
        # Counted from the top of the picture, as glTF does.
        "uv": skin["drawn_uv"][order] * (1, -1) + (0, 1),
        "clip": frames["clip"],
        "frames": frames["frames"],
    }, source


def saved(path: Path, arrays: Arrays) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps({name: one.tolist() for name, one in arrays.items()}), encoding="utf-8")
    else:
        np.savez(path, **arrays)
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_split_and_shuffled_vertices_are_found_again(
    engine: str, bundle: Path, tmp_path: Path, skinscope: Program
):
    arrays, _ = drawn_elsewhere(bundle, engine)
    result = skinscope("diff", bundle, saved(tmp_path / "engine.npz", arrays), "--format", "json")
    report = result.json
    assert result.status == 0
    assert report["passed"] is True
    axes, scale = ENGINES[engine]
    letters = [
        f"{'-' if column[row] < 0 else ''}{'XYZ'[row]}"
        for column in np.array(axes).T
        for row in [int(np.abs(column).argmax())]
    ]
    assert [report["axes"][name] for name in "xyz"] == letters
    assert report["axes"]["handedness"] == ("left" if np.linalg.det(axes) < 0 else "right")
    assert report["scale"] == pytest.approx(scale)
    assert report["space"] == "world"
    assert (report["unmatched_count"], report["ambiguous"], report["matched_by"]) == (0, 0, "rest")
    assert report["deviation"]["relative"] < 1e-6
    assert report["deviation_from_blender"]["max"] > 1e-3


@pytest.mark.parametrize("engine", ENGINES)
def test_positions_in_order_need_no_rest(engine: str, bundle: Path, tmp_path: Path, skinscope: Program):
    _, frames = arrays_of(bundle)
    axes, scale = ENGINES[engine]
    for space, positions in (
        ("mesh", frames["skinned_positions"]),
        ("root", moved(frames["skinned_positions"].astype(float), frames["mesh_to_root"])),
    ):
        path = saved(tmp_path / f"{space}.json", {"positions": positions @ np.array(axes) * scale})
        report = skinscope("diff", bundle, path, "--format", "json").json
        assert (report["passed"], report["space"], report["matched_by"]) == (True, space, "order")
        assert report["scale"] == pytest.approx(scale)
        assert report["deviation"]["relative"] < 1e-6


def test_a_vertex_that_the_engine_moves_elsewhere_is_named(bundle: Path, tmp_path: Path, skinscope: Program):
    skin, frames = arrays_of(bundle)
    arrays, source = drawn_elsewhere(bundle, "glTF")
    vertex = int(source[7])
    off = np.array([0.0, 0.02, 0.0])
    arrays["positions"][1, source == vertex] += off
    path = saved(tmp_path / "engine.npz", arrays)
    result = skinscope("diff", bundle, path, "--format", "json")
    assert result.status == 1
    deviation = result.json["deviation"]
    assert deviation["worst_vertex"] == vertex
    assert deviation["frame"] == frames["frames"][1]
    assert deviation["max"] == pytest.approx(0.02, rel=1e-3)
    assert deviation["surface"] is deviation["run"] is None
    own = slice(skin["starts"][vertex], skin["starts"][vertex + 1])
    assert deviation["bone"] == skin["joint_names"][skin["joints"][own][skin["weights"][own].argmax()]]
    text = skinscope("diff", bundle, path).output
    assert text.startswith(f"{path}: differs. The engine's 'Random mesh' deviates by up to 2 cm from the prediction of the profile "
                           f"threejs, at vertex {vertex} ")  # fmt: skip
    assert "axes X = X, Y = Z, Z = -Y; in m; world space." in text
    assert skinscope("diff", bundle, path, "--tolerance", "3cm").status == 0
    log = valid_sarif(skinscope("diff", bundle, path, "--format", "sarif").output)
    (wrong,) = log["runs"][0]["results"]
    assert wrong["ruleId"] == "tolerance"
    assert "from the prediction of the profile threejs" in wrong["message"]["text"]
    assert valid_junit(skinscope("diff", bundle, path, "--format", "junit").output).get("failures") == "1"


def test_a_scale_that_is_wrong_is_not_fitted_away(bundle: Path, tmp_path: Path, skinscope: Program):
    arrays, _ = drawn_elsewhere(bundle, "Unreal, centimetres, left-handed")
    arrays["positions"] *= 1.01
    report = skinscope("diff", bundle, saved(tmp_path / "engine.npz", arrays), "--format", "json").json
    assert (report["passed"], report["unit"]) == (False, "cm")
    assert report["deviation"]["max"] > 0.005


def test_axes_other_than_the_profiles_are_told(bundle: Path, tmp_path: Path, skinscope: Program):
    """three.js has Y up, and a character that faces -Y in Blender faces Z there: glTF's axes."""
    for engine, rules in (("glTF", []), ("as it is", ["other-axes"])):
        arrays, _ = drawn_elsewhere(bundle, engine)
        path = saved(tmp_path / "engine.npz", arrays)
        findings = skinscope("diff", bundle, path, "--format", "json").json["findings"]
        assert [one["rule"] for one in findings] == rules


def test_a_unit_other_than_the_profiles_is_told(bundle: Path, tmp_path: Path, skinscope: Program):
    """glTF is in meters."""
    arrays, _ = drawn_elsewhere(bundle, "glTF")
    for name in ("positions", "rest_positions"):
        arrays[name] *= 100
    result = skinscope("diff", bundle, saved(tmp_path / "engine.npz", arrays), "--format", "json")
    (finding,) = result.json["findings"]
    assert (result.status, finding["rule"]) == (0, "other-unit")
    assert finding["message"] == "The engine's positions are in cm; the profile threejs expects m."


def test_vertices_that_only_one_side_has(bundle: Path, tmp_path: Path, skinscope: Program):
    arrays, source = drawn_elsewhere(bundle, "glTF")
    few = source % 10 != 0
    fewer = {name: one[:, few] if name == "positions" else one[few] if len(one) == len(source) else one for name, one in arrays.items()}  # fmt: skip
    result = skinscope("diff", bundle, saved(tmp_path / "few.npz", fewer), "--format", "json")
    assert result.status == 0
    (missing,) = result.json["findings"]
    skin, _ = arrays_of(bundle)
    assert (missing["rule"], missing["count"]) == ("missing-vertices", len(np.unique(skin["drawn_vertex"][skin["drawn_vertex"] % 10 == 0])))  # fmt: skip
    arrays["rest_positions"][3:5] += 0.5
    result = skinscope("diff", bundle, saved(tmp_path / "strange.npz", arrays), "--format", "json")
    assert result.status == 1
    assert result.json["unmatched"] == [3, 4]
    assert "unmatched-vertices" in {one["rule"] for one in result.json["findings"]}


def engine_off_by(bundle: Path, folder: Path, metres: float) -> Path:
    """Positions of an engine that puts two vertices elsewhere at rest, and all of them off at a frame."""
    arrays, _ = drawn_elsewhere(bundle, "glTF")
    arrays["positions"][1] += (0.0, metres, 0.0)
    arrays["rest_positions"][3:5] += 0.5
    return saved(folder / "engine.npz", arrays)


def test_what_a_configuration_suppresses_does_not_fail(bundle: Path, tmp_path: Path, skinscope: Program):
    path = engine_off_by(bundle, tmp_path, 0.02)
    config = tmp_path / "skinscope.toml"

    def suppressed(*rules: str, more: str = "") -> None:
        config.write_text(
            "\n".join(f'[[suppress]]\nrule = "{one}"\nreason = "Seen from afar."\n{more}' for one in rules),
            encoding="utf-8",
        )

    assert skinscope("diff", bundle, path).status == 1
    for rules in (["tolerance"], ["unmatched-vertices"]):
        suppressed(*rules)
        assert skinscope("diff", bundle, path).status == 1, "the other of the two still counts"
    suppressed("tolerance", "unmatched-vertices")
    result = skinscope("diff", bundle, path, "--format", "json")
    assert (result.status, result.json["passed"], result.json["deviation"]["passed"]) == (0, True, False)
    accepted = {"reason": "Seen from afar.", "until": None}
    assert result.json["deviation"]["suppressed"] == accepted
    assert [one["suppressed"] for one in result.json["findings"]] == [accepted]
    said = skinscope("diff", bundle, path).output
    assert said.startswith(f"{path}: differs, which is accepted. ")
    assert "The deviation is suppressed: Seen from afar." in said
    assert valid_junit(skinscope("diff", bundle, path, "--format", "junit").output).get("failures") == "0"
    for more in ('up_to = "1cm"', 'profile = "unity-4"', 'object = "Cloak*"', 'files = ["elsewhere"]'):
        suppressed("tolerance", "unmatched-vertices", more=more)
        assert skinscope("diff", bundle, path).status == 1, more
    suppressed("tolerance", "unmatched-vertices", more='files = ["rig.blend"]')
    assert skinscope("diff", bundle, path).status == 0
    suppressed("tolerance", "unmatched-vertices", more="until = 2020-01-01")
    result = skinscope("diff", bundle, path, "--format", "json")
    assert (result.status, result.json["deviation"]["suppressed"]) == (1, None)
    assert "suppression-ended" in {one["rule"] for one in result.json["findings"]}


def test_what_the_mesh_object_carried_does_not_fail(tmp_path: Path, skinscope: Program):
    def carries(rig: RandomRig) -> None:
        rig.mesh["skinscope_suppress"] = "tolerance: seen from afar; unmatched-vertices: split by the engine"

    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=8, transformed=True), carries)
    folder = tmp_path / "bundle"
    options = ("--device", "cpu", "--frames", "1:9:4", "--profile", "threejs")
    assert skinscope("export", path, "--output", folder, *options).status == 0
    engine = engine_off_by(folder, tmp_path, 0.02)
    result = skinscope("diff", folder, engine, "--format", "json")
    assert result.status == 0
    assert result.json["deviation"]["suppressed"] == {"reason": "seen from afar", "until": None}
    index = folder / "bundle.json"
    told = json.loads(index.read_text(encoding="utf-8"))
    told["meshes"][0]["suppressions"] = "tolerance without a reason"
    index.write_text(json.dumps(told), encoding="utf-8")
    result = skinscope("diff", folder, engine)
    assert result.status == 2
    assert "suppressions of 'Random mesh': 'tolerance without a reason' has no reason" in "\n".join(
        result.complaints
    )


def test_frames_are_found_by_clip_and_number(bundle: Path, tmp_path: Path, skinscope: Program):
    arrays, _ = drawn_elsewhere(bundle, "glTF")
    back = {**arrays, "positions": arrays["positions"][::-1], "frames": arrays["frames"][::-1]}
    assert skinscope("diff", bundle, saved(tmp_path / "back.npz", back)).status == 0
    one = {**arrays, "positions": arrays["positions"][2], "frames": np.array([9]), "clip": arrays["clip"][:1]}
    assert skinscope("diff", bundle, saved(tmp_path / "one.npz", one)).status == 0


Change = Callable[[Arrays], Arrays]

WRONG: dict[str, tuple[Change, str]] = {
    "shape": (lambda a: a | {"positions": a["positions"][:, :, :2]}, ("'positions' has the shape (3, 938, "
                                                                     "2); it needs (frames, vertices, 3) "
                                                                     "or (vertices, 3).")),
    "no positions": (lambda a: {"frames": a["frames"]}, "has no 'positions'; they must have the shape"),
    "empty": (lambda _: {"positions": np.zeros((0, 0, 3))}, "'positions' has the shape (0, 0, 3); it needs"),
    "nan": (lambda a: a | {"positions": np.where(np.arange(3)[:, None, None] == 1, np.nan, a["positions"])}, ("'positions' contains "
                                                                                                             "2814 numbers that "
                                                                                                             "are not finite, the "
                                                                                                             "first at [1, 0, 0];")),
    "one nan": (lambda a: a | {"positions": np.where(np.arange(a["positions"].size).reshape(a["positions"].shape) == 4, np.nan, a["positions"])}, ("'positions' contains 1 "
                                                                                                                                                  "number that is not "
                                                                                                                                                  "finite, the first "
                                                                                                                                                  "at [0, 1, 1];")),
    "infinite rest": (lambda a: a | {"rest_positions": a["rest_positions"] + np.inf}, ("'rest_positions' "
                                                                                      "contains 2814 numbers "
                                                                                      "that are not finite, the first at [0, 0];")),
    "text": (lambda a: a | {"positions": np.array("here")}, "'positions' does not contain numbers; it needs"),
    "key": (lambda a: a | {"position": a["positions"]}, ("'position' is not a key of positions; did you "
                                                        "mean 'positions'")),
    "rest of others": (lambda a: a | {"rest_positions": a["rest_positions"][1:]}, ("'rest_positions' has "
                                                                                  "the shape (937, 3); for "
                                                                                  "938 vertices it needs "
                                                                                  "(938, 3).")),
    "uv alone": (lambda a: {"positions": a["positions"], "uv": a["uv"]}, ("has 'uv' but not 'rest_positions', "
                                                                         "which it needs; add them.")),
    "no rest": (lambda a: {"positions": a["positions"]}, ("The engine has 938 vertices, but 'Random mesh' "
                                                         "has 300; add 'rest_positions'")),
    "another mesh": (lambda a: a | {"rest_positions": np.random.default_rng(2).normal(size=(938, 3))}, "Only 0 of the engine's 938 vertices match a vertex of 'Random mesh' at rest;"),
    "number of frames": (lambda a: a | {"frames": a["frames"][:2]}, ("has positions at 3 frames but 2 entries "
                                                                    "in 'frames'; write one for each.")),
    "frames that are not there": (lambda a: a | {"frames": a["frames"] + 1}, ("the bundle has no frame 2 of "
                                                                             "'(scene)'; it has 1, 5, 9.")),
    "a clip that is not there": (lambda a: a | {"clip": np.array("Run")}, ("the bundle has no frame 1 of "
                                                                          "'Run'; it has only ['(scene)'].")),
    "frames that are not named": (lambda a: {"positions": a["positions"][:2], "rest_positions": a["rest_positions"]}, ("has positions at 2 "
                                                                                                                      "frames, and the bundle has 3; name the frames in 'frames'")),
    "a mesh that is not there": (lambda a: a | {"mesh": np.array("Random mash")}, ("'Random mash' is not a "
                                                                                  "mesh of the bundle; did "
                                                                                  "you mean 'Random mesh'?")),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_what_makes_no_sense_is_one_sentence(wrong: str, bundle: Path, tmp_path: Path, skinscope: Program):
    change, sentence = WRONG[wrong]
    arrays, _ = drawn_elsewhere(bundle, "glTF")
    result = skinscope("diff", bundle, saved(tmp_path / "engine.npz", change(arrays)))
    assert (result.status, result.output) == (2, "")
    (complaint,) = result.complaints
    assert sentence in complaint


def test_files_that_are_something_else(bundle: Path, tmp_path: Path, skinscope: Program):
    for name, content, sentence in (
        ("a.npz", b"PK", "can't be read ("),
        ("b.npz", b"", "can't be read ("),
        ("c.json", b"{", "can't be read ("),
        ("d.json", b"[1]", "is not a JSON object; write one with the key 'positions'."),
        ("e.json", b'{"positions": [[1, 2, 3], [4]]}', "can't be read ("),
        ("f.txt", b"", "is neither a .npz nor a .json file;"),
    ):
        (tmp_path / name).write_bytes(content)
        result = skinscope("diff", bundle, tmp_path / name)
        assert (result.status, len(result.complaints)) == (2, 1)
        assert sentence in result.complaints[0]
    result = skinscope("diff", bundle, tmp_path / "missing.npz")
    assert "can't be read (No such file or directory); check the name." in result.complaints[0]
    np.savez(tmp_path / "pickled.npz", positions=np.array([{}], dtype=object))
    assert "can't be read (" in skinscope("diff", bundle, tmp_path / "pickled.npz").complaints[0]


def test_a_folder_that_is_no_bundle(bundle: Path, tmp_path: Path, skinscope: Program):
    result = skinscope("diff", tmp_path, tmp_path / "engine.npz")
    assert result.complaints == (
        (
            f"'{tmp_path}' is not a bundle (bundle.json: No such file or directory); name a folder that "
            f"'skinscope export' wrote."
        ),
    )
    document = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))
    arrays, _ = drawn_elsewhere(bundle, "glTF")
    path = saved(tmp_path / "engine.npz", arrays)
    (bundle / "bundle.json").write_text(json.dumps(document | {"version": 3}), encoding="utf-8")
    assert (
        "it has the version 3; this program reads 1 and 2)" in skinscope("diff", bundle, path).complaints[0]
    )
    (bundle / "bundle.json").write_text("{}", encoding="utf-8")
    assert (
        "is not what 'skinscope export' writes (it has the version None"
        in skinscope("diff", bundle, path).complaints[0]
    )
    other = document["meshes"] + [document["meshes"][0] | {"object": "Hair"}]
    (bundle / "bundle.json").write_text(json.dumps(document | {"meshes": other}), encoding="utf-8")
    assert (
        "has 2 meshes (Random mesh, Hair); name one with --mesh."
        in skinscope("diff", bundle, path).complaints[0]
    )
    assert skinscope("diff", bundle, path, "--mesh", "Random mesh").status == 0
    (bundle / "random-mesh" / "frames.npz").write_bytes(b"no")
    assert (
        "frames.npz' can't be read ("
        in skinscope("diff", bundle, path, "--mesh", "Random mesh").complaints[0]
    )
