"""Compiled shaders: made once per variant, shared by everything that draws, freed together.

Blender's `gpu.shader.create_from_info` raises a bare Exception and prints the compiler's log bypassing
Python. Here that becomes a ShaderError that names the .glsl file and line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import gpu

from ..core.text.errors import ShaderError
from .native_output import captured_native_output
from .shader_log import CompilerMessage, read_log
from .shader_source import SHADER_FOLDER, ComposedSource, Resource, compose

_FIRST_LINE_MARK = "skinscope_first_line;"


@dataclass(frozen=True)
class ShaderVariant:
    """Identifies a shader: the key under which it is compiled once.

    vertex, fragment: files below gpu_shaders. parts: (part, file) pairs for `#include <part>`.
    defines: (name, value) pairs; a value is GLSL, such as '2u'.
    """

    vertex: str
    fragment: str
    parts: tuple[tuple[str, str], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()


_compiled: dict[ShaderVariant, gpu.types.GPUShader] = {}


def compiled_shader(variant: ShaderVariant) -> gpu.types.GPUShader:
    """Return the shader of `variant`, compiled on first use and kept until `free_shaders`.

    Raises:
        ShaderError: it does not compile; the message names file and line.
    """
    shader = _compiled.get(variant)
    if shader is None:
        shader = _compiled[variant] = compile_shader(variant)
    return shader


def free_shaders() -> None:
    """Drop all compiled shaders. Anything still drawing with one keeps it alive and keeps working."""
    _compiled.clear()


def compile_shader(variant: ShaderVariant, folder: Path = SHADER_FOLDER) -> gpu.types.GPUShader:
    """Compile `variant` from the files in `folder`, ignoring the cache.

    Raises:
        ShaderError: as in `compiled_shader`.
    """
    parts = dict(variant.parts)
    vertex = compose(variant.vertex, parts, folder)
    fragment = compose(variant.fragment, parts, folder)
    shader, log = _try_compile(variant, vertex, fragment, vertex.text, fragment.text)
    if shader is None:
        raise ShaderError("A shader failed to compile. {log}", log=_describe(variant, vertex, fragment, log))
    if log:
        # Not ours to swallow: warnings, or output from another thread.
        print(log, end="")
    return shader


def _try_compile(
    variant: ShaderVariant,
    vertex: ComposedSource,
    fragment: ComposedSource,
    vertex_text: str,
    fragment_text: str,
) -> tuple[gpu.types.GPUShader | None, str]:
    """Return the shader, or None if it does not compile, and Blender's output meanwhile."""
    info = gpu.types.GPUShaderCreateInfo()
    for name, value in variant.defines:
        info.define(name, value)
    interface = _declare(info, vertex.resources, fragment.resources)
    info.vertex_source(vertex_text)
    info.fragment_source(fragment_text)
    shader = None
    # Blender raises a bare Exception, which only refers to the console.
    with captured_native_output() as output, suppress(Exception):
        shader = gpu.shader.create_from_info(info)
    # Blender reads the interface until the shader is created, without holding a reference.
    del interface
    return shader, output.text


def _declare(
    info: gpu.types.GPUShaderCreateInfo, vertex: Iterable[Resource], fragment: Iterable[Resource]
) -> gpu.types.GPUStageInterfaceInfo | None:
    """Declare the resources of both stages, each once, in order; slots are counted from 0 for each kind."""
    slots: Counter[str] = Counter()
    interface = None
    typedefs = []
    for resource in dict.fromkeys([*vertex, *fragment]):
        kind, words = resource.kind, resource.words
        try:
            if kind == "typedef":
                typedefs.append(words[0])
            elif kind == "push_constant":
                info.push_constant(*words)
            elif kind == "varying":
                if interface is None:
                    interface = gpu.types.GPUStageInterfaceInfo("skinscope_varyings")
                getattr(interface, words[0])(*words[1:])
            else:
                getattr(info, kind)(slots[kind], *words)
                slots[kind] += 1
        except (ValueError, AttributeError) as error:
            raise ShaderError(
                "{origin}: Blender rejects this resource: {error}", origin=resource.origin, error=error
            ) from error
    if interface is not None:
        info.vertex_out(interface)
    # Called once for all: a second call would undo the first.
    info.typedef_source("\n".join(typedefs) + "\n")
    return interface


def _describe(variant: ShaderVariant, vertex: ComposedSource, fragment: ComposedSource, log: str) -> str:
    """Name the file and line that does not compile, as far as the log tells."""
    sources = {"vertex": vertex, "fragment": fragment}
    first_rows: dict[str, int | None] = {}
    sentences: dict[str, None] = {}
    for message in read_log(log):
        source = sources.get(message.stage)
        row = message.row
        if source and row is None and message.shown_row is not None:
            if message.stage not in first_rows:
                first_rows[message.stage] = _first_row(variant, vertex, fragment, message.stage)
            first = first_rows[message.stage]
            row = message.shown_row - first + 1 if first is not None else None
        origin = source.origin(row) if source and row is not None else None
        place = origin or f"{_files(message, variant)}{f', at {message.shown!r}' if message.shown else ''}"
        sentences[f"{place}: {message.text}"] = None
    if not sentences:
        told = log.strip() or "Blender gave no reason; its console may say more"
        sentences[f"{variant.vertex} with {variant.fragment}: {told}"] = None
    return "\n".join(sentences)


def _files(message: CompilerMessage, variant: ShaderVariant) -> str:
    named = {"vertex": variant.vertex, "fragment": variant.fragment}
    return named.get(message.stage, f"{variant.vertex} with {variant.fragment}")


def _first_row(
    variant: ShaderVariant, vertex: ComposedSource, fragment: ComposedSource, stage: str
) -> int | None:
    """Find the row of Blender's complete source on which our part of `stage` begins.

    Blender before 5.0 counts from the start of its own part, whose length depends on version, backend and
    resources. An error planted on our first line reveals it; that costs a compilation, but only after a
    failure.
    """
    texts = {"vertex": vertex.text, "fragment": fragment.text}
    texts[stage] = f"{_FIRST_LINE_MARK}\n{texts[stage]}"
    _, log = _try_compile(variant, vertex, fragment, texts["vertex"], texts["fragment"])
    marks = (message.shown_row for message in read_log(log) if message.shown == _FIRST_LINE_MARK)
    return next(marks, None)
