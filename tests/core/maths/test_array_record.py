"""Dataclasses with arrays in a file: bit by bit what was written, and nothing from a file that is not one."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.core.maths.array_record import RecordKinds
from skinning_addon.core.text.errors import InvalidArrayError, SourceFileError
from skinning_addon.core.text.identity import Identity
from skinning_addon.core.text.message import Message


@dataclass(frozen=True, eq=False)
class Limb:
    name: str
    matrices: np.ndarray
    parent: Limb | None = None
    keys: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.name == "":
            raise InvalidArrayError("A limb has no name.")


@dataclass(frozen=True)
class Other:
    number: int


LIMBS = RecordKinds((Limb,))


def test_what_is_read_is_what_was_written(tmp_path: Path):
    rng = np.random.default_rng(0)
    upper = Limb("Oberarm", rng.normal(size=(3, 4, 4)))
    lower = Limb("下腕", rng.normal(size=(0, 3)).astype(np.float32), upper, frozenset({"b", "a"}))
    told = Message("'{mesh}' has {count} vertices.", mesh="Body", count=3)
    written = {"limbs": (lower, upper), "figures": [1.5, np.float32(0.1), np.int64(7), True, None, told]}
    LIMBS.write(tmp_path / "limbs", written)
    read = LIMBS.read(tmp_path / "limbs")
    found, parent = read["limbs"]
    assert (found.name, found.keys, parent.name, parent.parent) == ("下腕", {"a", "b"}, "Oberarm", None)
    for one, other in ((found, lower), (parent, upper), (found.parent, upper)):
        assert one.matrices.dtype == other.matrices.dtype
        assert one.matrices.shape == other.matrices.shape
        assert one.matrices.tobytes() == other.matrices.tobytes()
    assert read["figures"] == [1.5, float(np.float32(0.1)), 7, True, None, told]
    assert read["figures"][-1].template == told.template


def test_linked_objects_are_named_as_each_file_has_them(tmp_path: Path):
    names = (Identity("Hero", "hero.blend"), Identity("Hero"), "Hero")
    LIMBS.write(tmp_path / "names", names, lambda path: f"/shots/{path}")
    linked, local, plain = LIMBS.read(tmp_path / "names", lambda path: path.replace("/shots/", "../"))
    assert (linked.name, linked.library) == ("Hero", "../hero.blend")
    assert isinstance(local, Identity)
    assert local.library is None
    assert not isinstance(plain, Identity)


def test_only_what_is_known_is_written(tmp_path: Path):
    with pytest.raises(TypeError, match="Other"):
        LIMBS.write(tmp_path / "other", Other(3))
    with pytest.raises(TypeError, match="Python objects"):
        LIMBS.write(tmp_path / "objects", np.array([{}], dtype=object))


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, tree=np.array([{"kind": "Limb"}], dtype=object))
    return file.getvalue()


def of_another_reader(tmp_path: Path) -> bytes:
    RecordKinds((Other,)).write(tmp_path / "of another", Other(3))
    return (tmp_path / "of another").read_bytes()


def without_a_name(tmp_path: Path) -> bytes:
    LIMBS.write(tmp_path / "named", Limb("one", np.zeros(1)))
    with np.load(tmp_path / "named") as arrays:
        parts = dict(arrays)
    parts["tree"] = np.frombuffer(parts["tree"].tobytes().replace(b'"one"', b'""'), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, **parts)
    return file.getvalue()


def test_a_broken_file_is_refused(tmp_path: Path):
    LIMBS.write(tmp_path / "limb", Limb("one", np.arange(2000.0)))
    whole = (tmp_path / "limb").read_bytes()
    broken = {
        "empty": b"",
        "text": b"no such file",
        "pickle": pickle.dumps({"a": 1}),
        "objects": pickled(),
        "another reader's": of_another_reader(tmp_path),
        "invalid": without_a_name(tmp_path),
        **{f"cut at {size}": whole[:size] for size in range(1, len(whole), 997)},
    }
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SourceFileError, match=f"'{name}' is incomplete or broken"):
            LIMBS.read(tmp_path / name)
