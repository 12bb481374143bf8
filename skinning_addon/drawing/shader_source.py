"""Composes a shader's source from the files in gpu_shaders.

Blender has no include for add-ons, and wants every resource (attribute, uniform, varying) declared through an
API instead of in the source. So the files use two directives of our own, each on its own line:

    #include "lib/skinning.glsl"            that file, once, in this place
    #include <palette>                      the file that the shader's variant names for the part `palette`
    #resource push_constant MAT4 name       declares what this file uses; see `Resource`

A file declares what it uses, next to its use; files that include it need not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.text.errors import ShaderError

SHADER_FOLDER = Path(__file__).resolve().parents[2] / "gpu_shaders"

KINDS = ("typedef", "vertex_in", "varying", "fragment_out", "push_constant", "sampler", "uniform_buf")

_INCLUDE = re.compile(r'\s*#include\s+(?:"([^"]+)"|<([^>]+)>)\s*$')
_RESOURCE = re.compile(r"\s*#resource\s+(\w+)\s+(.+?)\s*$")


@dataclass(frozen=True)
class Origin:
    """The line of a file that a line of a composed source came from; the first line is 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Resource:
    """A `#resource` line's declaration. The words after the kind:

    typedef        struct Name { ... };         typedef_source of Blender's create info, all in one line
    vertex_in      TYPE NAME
    varying        smooth|flat TYPE NAME
    fragment_out   TYPE NAME
    push_constant  TYPE NAME
    sampler        KIND NAME
    uniform_buf    STRUCT NAME
    """

    kind: str
    words: tuple[str, ...]
    origin: Origin = field(compare=False)

    @property
    def name(self) -> str:
        return self.words[-1]


@dataclass(frozen=True)
class ComposedSource:
    """text: the compiler's input. origins: one for each of its lines. resources: in order, each once."""

    text: str
    origins: tuple[Origin, ...]
    resources: tuple[Resource, ...]

    def origin(self, line: int) -> Origin | None:
        """Return the origin of line `line` (from 1) of the text, None if there is no such line."""
        return self.origins[line - 1] if 1 <= line <= len(self.origins) else None


def compose(file: str, parts: Mapping[str, str], folder: Path = SHADER_FOLDER) -> ComposedSource:
    """Compose `file` (relative to `folder`) and everything it includes.

    parts: the file for each `#include <part>`.

    Raises:
        ShaderError: a file is missing, a part is not named, or a directive can't be read.
    """
    lines: list[str] = []
    origins: list[Origin] = []
    resources: dict[Resource, None] = {}
    included: set[str] = set()

    def add(file: str, asked_by: Origin | None) -> None:
        if file in included:
            return
        included.add(file)
        for number, line in enumerate(_read_lines(folder, file, asked_by), start=1):
            origin = Origin(file, number)
            if include := _INCLUDE.match(line):
                add(_included_file(include, parts, origin), origin)
            elif resource := _RESOURCE.match(line):
                resources[_resource(resource, origin)] = None
            elif line.lstrip().startswith(("#include", "#resource")):
                raise ShaderError(
                    "{origin}: the directive '{directive}' can't be read.",
                    origin=origin,
                    directive=line.strip(),
                )
            else:
                lines.append(line)
                origins.append(origin)

    add(file, None)
    # Blender 4.3 does not locate an error in the last line, and 5.2 on Vulkan crashes if a compiler hits an
    # unexpected end right after a line break.
    lines += ["", " "]
    origins += [origins[-1] if origins else Origin(file, 1)] * 2
    return ComposedSource("\n".join(lines), tuple(origins), tuple(resources))


def _read_lines(folder: Path, file: str, asked_by: Origin | None) -> list[str]:
    try:
        return (folder / file).read_text(encoding="utf-8").splitlines() or [""]
    except OSError as error:
        place = f"{asked_by}: " if asked_by else ""
        raise ShaderError(
            "{place}the shader file '{file}' can't be read from {folder} ({reason}); reinstall the "
            "extension.",
            place=place,
            file=file,
            folder=folder,
            reason=error.strerror,
        ) from error


def _included_file(match: re.Match[str], parts: Mapping[str, str], origin: Origin) -> str:
    if match[1]:
        return match[1]
    if match[2] not in parts:
        raise ShaderError(
            "{origin}: this shader variant has no file for the part <{part}>.",
            origin=origin,
            part=match[2],
        )
    return parts[match[2]]


def _resource(match: re.Match[str], origin: Origin) -> Resource:
    kind, rest = match[1], match[2]
    words = (rest,) if kind == "typedef" else tuple(rest.split())
    wanted = {"typedef": 1, "varying": 3}.get(kind, 2)
    if kind not in KINDS or len(words) != wanted:
        raise ShaderError(
            "{origin}: the resource '{resource}' can't be read.", origin=origin, resource=f"{kind} {rest}"
        )
    return Resource(kind, words, origin)
