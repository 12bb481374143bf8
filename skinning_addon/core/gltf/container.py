"""A glTF file's JSON document, and the buffers that it refers to."""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import struct
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, unquote_to_bytes

from ..text.documents import DocumentError, read_bytes
from ..text.errors import SourceFileError
from ..text.message import Message
from ..text.quoted import brief, shown

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942

COMPRESSIONS = {
    "KHR_draco_mesh_compression": "Draco",
    "EXT_meshopt_compression": "meshopt",
    "KHR_meshopt_compression": "meshopt",
}
"""Extensions that store geometry compressed."""

HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "EXT_lights_", "VRM")
"""Prefixes of extensions that move no vertex."""

UNDERSTOOD = ("KHR_mesh_quantization",)

_INVALID = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What reading JSON of another shape than the specification's raises."""


@dataclass(frozen=True, eq=False)
class GltfFile:
    """path: as given. document: the JSON. buffers: their bytes, each at least as long as the document says."""

    path: str
    document: Mapping[str, Any]
    buffers: tuple[bytes, ...]

    def all_of(self, kind: str) -> list[Any]:
        """Return a top-level array of the document, such as 'nodes'; empty if there is none."""
        return list(self.document.get(kind, ()))

    def one_of(self, kind: str, index: Any) -> Mapping[str, Any]:
        """Return an entry of a top-level array.

        Raises:
            SourceFileError: there is no such entry.
        """
        entries = self.document.get(kind, ())
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(entries):
            self.invalid(
                Message(
                    "it refers to number {index} of {count} {kind}",
                    index=shown(index),
                    count=len(entries),
                    kind=kind,
                )
            )
        return entries[index]

    def invalid(self, reason: object) -> NoReturn:
        """Raise the error for a file that contradicts the specification. reason: without a full stop."""
        raise _invalid(self.path, reason)


def read_gltf(path: str | Path) -> GltfFile:
    """Read a .glb or .gltf file and the buffers beside it.

    Raises:
        SourceFileError: it is missing, truncated, of another version, compressed, needs an unknown extension,
            or is not glTF at all.
    """
    name = str(path)
    try:
        content = read_bytes(Path(path))
    except DocumentError as error:
        raise SourceFileError(
            "'{path}' can't be read ({reason}); check the path.", path=name, reason=error
        ) from error
    with reading(name):
        text, binary = _chunks(name, content) if content.startswith(MAGIC) else (content, None)
        document = _document(name, text)
        _refuse_version(name, document)
        _refuse_extensions(name, document)
        buffers = tuple(
            _buffer(name, index, one, binary) for index, one in enumerate(document.get("buffers", ()))
        )
        return GltfFile(name, document, buffers)


@contextmanager
def reading(path: str) -> Generator[None]:
    """Turn errors that an unexpected shape of the document causes into a `SourceFileError`."""
    try:
        yield
    except _INVALID as error:
        raise _invalid(path, brief(f"{type(error).__name__}: {error}")) from error


def _invalid(path: str, reason: object) -> SourceFileError:
    return SourceFileError(
        "'{path}' is not a valid glTF 2.0 file: {reason}; export it again.", path=path, reason=reason
    )


def _chunks(path: str, content: bytes) -> tuple[bytes, bytes | None]:
    """Split a .glb file into its JSON and its binary chunk (clause 4.4)."""
    if len(content) < 12:
        raise _truncated(path, len(content), 12)
    _, version, length = struct.unpack_from("<4sII", content)
    if version != 2:
        raise _other_version(path, str(version))
    if length > len(content):
        raise _truncated(path, len(content), length)
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", content, at)
        at += 8
        if at + size > length:
            raise _truncated(path, length - at, size)
        found.setdefault(kind, content[at : at + size])
        at += size
    if JSON_CHUNK not in found:
        raise _invalid(path, Message("it has no JSON chunk"))
    return found[JSON_CHUNK], found.get(BINARY_CHUNK)


def _truncated(path: str, have: int, needed: int) -> SourceFileError:
    return SourceFileError(
        "'{path}' is truncated: it has {have} bytes where it needs {needed}; export or download it again.",
        path=path,
        have=have,
        needed=needed,
    )


def _document(path: str, text: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise _not_json(path, text, error) from error
    if not isinstance(document, dict) or "asset" not in document:
        raise _invalid(path, Message("it has no 'asset'"))
    return document  # pyright: ignore[reportUnknownVariableType]


def _not_json(path: str, text: bytes, error: UnicodeDecodeError | json.JSONDecodeError) -> SourceFileError:
    begun = text.removeprefix(codecs.BOM_UTF8).strip()
    if not begun:
        return SourceFileError("'{path}' is empty; save or export it again.", path=path)
    if not begun.startswith(b"{"):
        return SourceFileError("'{path}' is not a glTF file; choose a .glb or .gltf file.", path=path)
    is_json = isinstance(error, json.JSONDecodeError)
    line = error.lineno if is_json else text.count(b"\n", 0, error.start) + 1
    return SourceFileError(
        "'{path}' is damaged: its JSON can't be read from line {line} on; export it again.",
        path=path,
        line=line,
    )


def _refuse_version(path: str, document: Mapping[str, Any]) -> None:
    version = str(document["asset"].get("version", ""))
    needed = str(document["asset"].get("minVersion", version))
    if not version.startswith("2.") or needed not in ("2.0", version):
        raise _other_version(path, version)


def _other_version(path: str, version: str) -> SourceFileError:
    return SourceFileError(
        "'{path}' is glTF version {version}, and only 2.0 can be read; export it as glTF 2.0.",
        path=path,
        version=brief(version) or "?",
    )


def _refuse_extensions(path: str, document: Mapping[str, Any]) -> None:
    for name in document.get("extensionsRequired", ()):
        if name in COMPRESSIONS:
            raise SourceFileError(
                "'{path}' stores its geometry compressed by {codec} ({extension}), which can't be read here; "
                "export it without compression.",
                path=path,
                codec=COMPRESSIONS[name],
                extension=name,
            )
        if name not in UNDERSTOOD and not str(name).startswith(HARMLESS):
            raise SourceFileError(
                "'{path}' requires the glTF extension {extension}, which can't be read here; export it "
                "without.",
                path=path,
                extension=brief(str(name)),
            )


def _buffer(path: str, index: int, buffer: Mapping[str, Any], binary: bytes | None) -> bytes:
    """Return a buffer's bytes, from the binary chunk, a data URI, or a file (clause 3.6.1)."""
    uri = buffer.get("uri")
    if uri is None:
        if binary is None or index != 0:
            raise SourceFileError(
                "'{path}' has no data for its buffer {index}; export it again.", path=path, index=index
            )
        content = binary
    elif uri.startswith("data:"):
        content = _data_uri(path, uri)
    else:
        content = _beside(path, uri)
    if len(content) < buffer["byteLength"]:
        raise SourceFileError(
            "'{path}' is truncated: its buffer {index} has {have} bytes where it needs {needed}; export or "
            "download it again.",
            path=path,
            index=index,
            have=len(content),
            needed=buffer["byteLength"],
        )
    return content


def _data_uri(path: str, uri: str) -> bytes:
    head, _, data = uri.partition(",")
    if not head.endswith(";base64"):
        return unquote_to_bytes(data)
    try:
        return base64.b64decode(unquote(data), validate=True)
    except binascii.Error as error:
        raise _invalid(
            path, Message("the data of a buffer are not base64 ({reason})", reason=error)
        ) from error


def _beside(path: str, uri: str) -> bytes:
    if "://" in uri:
        raise SourceFileError(
            "'{path}' keeps its data at the address '{uri}'; download that file and name it in the glTF file.",
            path=path,
            uri=brief(uri),
        )
    file = Path(path).parent / unquote(uri)
    try:
        return read_bytes(file)
    except DocumentError as error:
        raise SourceFileError(
            "'{path}' keeps its data in '{file}', which can't be read ({reason}); put that file beside it.",
            path=path,
            file=brief(str(file)),
            reason=error,
        ) from error
