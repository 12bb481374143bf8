"""What is wrong with a file is one sentence that names the file and the remedy."""

from __future__ import annotations

import json
import random

import pytest

from skinning_addon.core.gltf.posed_file import read_posable_file
from skinning_addon.core.text.errors import SourceFileError
from tests.core.gltf.gltf_writing import arm


def refusal(path) -> str:
    with pytest.raises(SourceFileError) as told:
        read_posable_file(path)
    assert str(path) in str(told.value)
    return str(told.value).replace(str(path), "FILE")


def test_compression(tmp_path):
    for extension, codec in (("KHR_draco_mesh_compression", "Draco"), ("EXT_meshopt_compression", "meshopt")):
        writing = arm()
        writing.document["extensionsRequired"] = [extension]
        assert refusal(writing.write(tmp_path / "arm.glb")) == (
            f"'FILE' stores its geometry compressed by {codec} ({extension}), which can't be read here; export it "
            f"without compression."
        )


def test_an_unknown_extension(tmp_path):
    writing = arm()
    writing.document["extensionsRequired"] = ["KHR_texture_transform", "ACME_joints"]
    assert "requires the glTF extension ACME_joints" in refusal(writing.write(tmp_path / "arm.glb"))


def test_another_version(tmp_path):
    writing = arm()
    writing.document["asset"]["version"] = "1.0"
    assert refusal(writing.write(tmp_path / "arm.gltf")) == (
        "'FILE' is glTF version 1.0, and only 2.0 can be read; export it as glTF 2.0."
    )


def test_truncated(tmp_path):
    path = arm().write(tmp_path / "arm.glb")
    content = path.read_bytes()
    for length in (5, 300, len(content) - 8):
        path.write_bytes(content[:length])
        assert "is truncated: it has" in refusal(path)


def test_a_buffer_that_is_too_short(tmp_path):
    path = arm().write(tmp_path / "arm.gltf")
    document = json.loads(path.read_text())
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64,AAAA"
    path.write_text(json.dumps(document))
    assert "is truncated: its buffer 0 has 3 bytes" in refusal(path)


def test_a_missing_buffer(tmp_path):
    path = arm().write(tmp_path / "arm.gltf")
    document = json.loads(path.read_text())
    document["buffers"][0]["uri"] = "some%20data.bin"
    path.write_text(json.dumps(document))
    told = refusal(path)
    assert "some data.bin', which can't be read (No such file or directory); put that file beside it." in told
    document["buffers"][0]["uri"] = "https://example.org/data.bin"
    path.write_text(json.dumps(document))
    assert "at the address" in refusal(path)


def test_no_skin(tmp_path):
    writing = arm()
    del writing.document["nodes"][2]["skin"]
    assert refusal(writing.write(tmp_path / "arm.glb")) == (
        "'FILE' has no mesh with a skin, so there is nothing to pose; export the mesh with its armature."
    )


def test_no_gltf_at_all(tmp_path):
    path = tmp_path / "arm.glb"
    assert "No such file" in refusal(path)
    path.write_bytes(b"Kaydara FBX Binary")
    assert refusal(path) == "'FILE' is not a glTF file; choose a .glb or .gltf file."
    path.write_bytes(b"\xef\xbb\xbf \n")
    assert refusal(path) == "'FILE' is empty; save or export it again."
    path.write_text("[]")
    assert "has no 'asset'" in refusal(path)


@pytest.mark.parametrize("damage", [b"", b', "\xff"}', b', "a": }'], ids=["cut off", "no text", "no value"])
def test_a_damaged_document(tmp_path, damage):
    path = tmp_path / "arm.gltf"
    path.write_bytes(b'{"asset":\n{"version": "2.0"}' + damage)
    told = refusal(path)
    assert told == "'FILE' is damaged: its JSON can't be read from line 2 on; export it again."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda one: one["nodes"][1].update(children=[0]), "node is its own ancestor"),
        (lambda one: one["nodes"][2].update(children=[1]), "node 1 has two parents"),
        (lambda one: one["nodes"][2].update(skin=3), "refers to number 3 of 1 skins"),
        (lambda one: one["accessors"][0].update(count=1000), "needs 12000 bytes of buffer view 0"),
        (lambda one: one["accessors"][0].update(type="VEC9"), "the type 'VEC9'"),
        (lambda one: one["skins"][0].update(joints=[0]), "a joint that its skin does not have"),
        (lambda one: one["accessors"][5].update(count=1), "rotation of an animation has 8 numbers a key"),
        (lambda one: one["nodes"][0].update(scale="big"), "not a valid glTF 2.0 file"),
        (lambda one: one.update(nodes={"a": 1}), "not a valid glTF 2.0 file"),
    ],
)
def test_a_document_that_contradicts_itself(tmp_path, change, told):
    writing = arm()
    change(writing.document)
    assert told in refusal(writing.write(tmp_path / "arm.glb"))


def test_no_damage_is_more_than_a_sentence(tmp_path):
    """Values of a document replaced by any other: either it still poses, or it is refused."""
    chance = random.Random(1)  # noqa: S311
    path = tmp_path / "arm.gltf"
    refused = 0
    for _ in range(300):
        document = json.loads(arm().write(path).read_text())
        held = document
        while isinstance(held, dict | list) and held:
            place = chance.choice(list(held) if isinstance(held, dict) else range(len(held)))
            if not isinstance(held[place], dict | list) or not held[place] or chance.random() < 0.1:
                held[place] = chance.choice([None, -1, 1e300, "x", [], {}, True, 2**70, [None], float("nan")])
                break
            held = held[place]
        path.write_text(json.dumps(document))
        try:
            file = read_posable_file(path)
            file.positions(file.animations, [0.5], file.primitives)
        except SourceFileError:
            refused += 1
    assert refused > 100
