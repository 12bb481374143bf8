"""`diff` of damaged bundles and of what engines might write: each kind of damage with its expected outcome."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np

from tests.fuzz.bytes_damage import damaged_bytes
from tests.fuzz.inputs.bundle import FOLDER, FRAMES, VERTICES, Arrays, Written, whole_bundle
from tests.fuzz.inputs.bundle_damage import (
    ARCHIVE_DAMAGE,
    ARRAY_DAMAGE,
    DOCUMENT_DAMAGE,
    FLOAT_DAMAGE,
    FLOATS,
    INDEX_DAMAGE,
    INDICES,
    TEXT_DAMAGE,
    TEXTS,
    Random,
    archive,
)
from tests.fuzz.inputs.case import Case, Check, must_be_refused, must_come_to, refused_or
from tests.fuzz.program import Ran

AGREES, DIFFERS = 0, 1


def diff_case(random: Random, folder: Path) -> Case:
    """Make a bundle and positions, one of them damaged, and return their comparison."""
    make = [_sound, _moved, _bundle_arrays, _bundle_document, _bundle_files, _engine_arrays, _engine_text]
    chosen = make[random.choice(len(make), p=[0.06, 0.08, 0.24, 0.18, 0.12, 0.2, 0.12])]
    return chosen(random, folder)


def _argv(bundle: Path, positions: Path) -> list[str]:
    return ["diff", str(bundle), str(positions), "--format", "json"]


def _deviates_by(metres: float) -> Check:
    def check(ran: Ran) -> str:
        found = ran.json["deviation"]["max"]
        if found is None or abs(found - metres) > 1e-6 + 1e-5 * metres:
            return f"The deviation is {found} and not {metres}."
        return ""

    return check


def _sound(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    written.engine = {
        name: one for name, one in written.engine.items() if name == "positions" or random.random() < 0.5
    }
    if "clip" not in written.engine:
        written.engine.pop("frames", None)
    name = str(random.choice(["engine.npz", "engine.json", "Ärm 1.json", "engine.NPZ"]))
    bundle, positions = written.write(folder, name.replace("NPZ", "npz"))
    if name.endswith("NPZ"):
        positions = positions.rename(folder / name)
    return Case("diff: whole", _argv(bundle, positions), must_come_to(AGREES, _deviates_by(0.0)))


def _moved(random: Random, folder: Path) -> Case:
    """Move one vertex by a known distance at one frame."""
    written = whole_bundle(random)
    length = float(10.0 ** random.uniform(-2, 0))
    offset = random.normal(size=3)
    positions = written.engine["positions"].copy()
    positions[random.integers(FRAMES), random.integers(VERTICES)] += length * offset / np.linalg.norm(offset)
    written.engine["positions"] = positions
    paths = written.write(folder, "engine.npz")
    return Case("diff: one vertex moved", _argv(*paths), must_come_to(DIFFERS, _deviates_by(length)))


def _bundle_arrays(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    name = str(random.choice([*FLOATS, *INDICES, *TEXTS]))
    kinds = dict(ARRAY_DAMAGE) | {"missing": lambda a, _: a}
    if name == "triangles":
        # A mesh may have any number of faces.
        kinds = {
            key: one for key, one in kinds.items() if key not in ("one row less", "one row more", "empty")
        }
    kinds |= FLOAT_DAMAGE if name in FLOATS else INDEX_DAMAGE if name in INDICES else {}
    kind = str(random.choice(list(kinds)))
    arrays = written.skin if name in written.skin else written.frames
    file = "skin.npz" if name in written.skin else "frames.npz"
    if kind == "missing":
        del arrays[name]
    else:
        arrays[name] = kinds[kind](arrays[name], random)
    bundle, positions = written.write(folder, "engine.npz")
    right = must_be_refused(str(bundle / FOLDER / file))
    return Case(f"diff: bundle's arrays, {kind}", _argv(bundle, positions), right)


def _bundle_document(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    path = list(DOCUMENT_DAMAGE)[random.integers(len(DOCUMENT_DAMAGE))]
    inside = written.document
    for key in path[:-1]:
        inside = inside[key]
    values = DOCUMENT_DAMAGE[path]
    index = int(random.integers(len(values) + 1))
    if index == len(values) and isinstance(path[-1], str) and path != ("engine_axes",):
        del inside[path[-1]]
    else:
        inside[path[-1]] = values[index % len(values)]
    bundle, positions = written.write(folder, "engine.npz")
    return Case(
        f"diff: bundle.json, {'.'.join(map(str, path))}",
        _argv(bundle, positions),
        must_be_refused(str(bundle)),
    )


def _bundle_files(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    bundle, positions = written.write(folder, "engine.npz")
    file = bundle / str(random.choice(["bundle.json", f"{FOLDER}/skin.npz", f"{FOLDER}/frames.npz"]))
    choice = random.random()
    if choice < 0.2:
        kind = "gone"
        file.unlink()
    elif choice < 0.3:
        kind = "a folder"
        file.unlink()
        file.mkdir()
    elif choice < 0.6:
        kind = "half"
        content = file.read_bytes()
        file.write_bytes(content[: random.integers(len(content))])
    elif file.suffix == ".json":
        kind = str(random.choice(list(TEXT_DAMAGE)))
        file.write_bytes(TEXT_DAMAGE[kind])
    else:
        kind = str(random.choice([*ARCHIVE_DAMAGE, "bytes"]))
        if kind == "bytes":
            return _bytes(random, bundle, positions, file, written)
        file.write_bytes(archive(kind))
    return Case(f"diff: bundle's files, {kind}", _argv(bundle, positions), must_be_refused(str(bundle)))


def _bytes(random: Random, bundle: Path, positions: Path, file: Path, written: Written) -> Case:
    """Change some bytes: either it is refused, or the comparison is unchanged, or the file really holds other
    numbers.
    """
    file.write_bytes(damaged_bytes(file.read_bytes(), random))
    whole = (
        written.skin if file.stem == "skin" else written.frames if file.stem == "frames" else written.engine
    )
    otherwise = must_come_to(AGREES) if _still_holds(file, whole) else lambda _: ""
    return Case("diff: bytes of an archive", _argv(bundle, positions), refused_or(str(file), otherwise))


def _still_holds(file: Path, arrays: Arrays) -> bool:
    """Tell from its bytes alone whether an archive still has all of its arrays unchanged."""
    try:
        with zipfile.ZipFile(file) as held:
            for name, one in arrays.items():
                with held.open(f"{name}.npy") as member:
                    if not member.read().endswith(one.tobytes()):
                        return False
    except (OSError, KeyError, ValueError, NotImplementedError, zipfile.BadZipFile, RuntimeError, EOFError):
        return False
    return True


def _engine_arrays(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    name = str(
        random.choice(
            ["positions", "frames", "clip", "mesh", "rest_positions", "rest_normals", "uv", "posistions"]
        )
    )
    written.engine |= {
        "rest_positions": written.skin["positions"].astype(np.float64),
        "rest_normals": written.skin["drawn_normals"].astype(np.float64),
        "uv": written.skin["drawn_uv"].astype(np.float64),
    }
    if name == "posistions":
        kind = "an unknown key"
        written.engine[name] = written.engine["positions"]
    else:
        numbers = name not in ("clip", "mesh")
        kinds = {key: one for key, one in ARRAY_DAMAGE.items() if numbers or key not in ("one axis more", "flat", "a number", "empty", "one row less", "one row more", "one column less")}  # fmt: skip
        if name == "frames":
            kinds = {
                key: one
                for key, one in kinds.items()
                if key not in ("one axis more", "flat", "one column less")
            }
        if name == "positions":
            # One frame too many or too few is refused because of `frames`; a single frame may lack its axis.
            kinds = {key: one for key, one in kinds.items() if key != "one axis more"}
        kinds |= FLOAT_DAMAGE if numbers else {}
        kind = str(random.choice(list(kinds)))
        if name == "mesh" and kind == "texts":
            kind = "dates"
        written.engine[name] = kinds[kind](written.engine[name], random)
    as_json = (
        random.random() < 0.4
        and kind not in ("complex", "objects", "dates", "records", "bytes", "flags")
        and name != "posistions"
    )
    bundle, positions = written.write(folder, "engine.json" if as_json else "engine.npz")
    return Case(f"diff: engine's {name}, {kind}", _argv(bundle, positions), must_be_refused(str(positions)))


VALUES = {
    "huge": "1e300", "tiny": "1e-300", "NaN": "NaN", "infinite": "1e999", "null": "null", "text": '"1"', "list": "[]",
    "true": "true", "digits": "9" * 400, "many digits": "9" * 5000, "table": "{}",
}  # fmt: skip


def _engine_text(random: Random, folder: Path) -> Case:
    written = whole_bundle(random)
    archives = random.random() < 0.4
    bundle, positions = written.write(folder, "engine.npz" if archives else "engine.json")
    argv, right = _argv(bundle, positions), must_be_refused(str(positions))
    if archives:
        kind = str(random.choice([*ARCHIVE_DAMAGE, "bytes", "bytes", "bytes", "half"]))
        if kind == "bytes":
            return _bytes(random, bundle, positions, positions, written)
        content = positions.read_bytes()
        positions.write_bytes(content[: random.integers(len(content))] if kind == "half" else archive(kind))
        return Case(f"diff: engine's file, {kind}", argv, right)
    if random.random() < 0.4:
        kind = str(random.choice(list(TEXT_DAMAGE)))
        positions.write_bytes(TEXT_DAMAGE[kind])
        return Case(f"diff: engine's text, {kind}", argv, right)
    kind = str(random.choice(list(VALUES)))
    document = {name: one.tolist() for name, one in written.engine.items()}
    document["positions"][random.integers(FRAMES)][random.integers(VERTICES)][random.integers(3)] = "HERE"
    positions.write_text(json.dumps(document).replace('"HERE"', VALUES[kind]), encoding="utf-8")
    if kind in ("huge", "tiny"):
        right = must_come_to(DIFFERS)
    return Case(f"diff: engine's number, {kind}", argv, right)
