"""The settings that the user exports with, from all places where they may be kept.

Each of these overrides those before it: the exporter's defaults; the settings that the glTF exporter stored in
the scene; the first collection exporter of that kind; the session's last export; the sidebar's own export
settings; a preset, if one is named; options given by name.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core.text.errors import ExportError, UsageError
from ...core.text.message import Message
from ...core.text.quoted import brief
from .exporters import BlenderExporter
from .kept_settings import NOT_SETTINGS, plain, remembered_settings, settings_of_collections


@dataclass(frozen=True)
class ExportSettings:
    """options: by name, with lists for sets. sources: where they come from, in words; later ones override
    earlier ones.
    """

    options: Mapping[str, Any]
    sources: tuple[str, ...]


def settings_of_user(
    scene: bpy.types.Scene,
    exporter: BlenderExporter,
    preset: str | None,
    given: Mapping[str, str],
    *,
    last: Mapping[str, Any] | None = None,
    own: Mapping[str, Any] | None = None,
) -> ExportSettings:
    """Collect the settings. given: options as text, by name. last: those of the session's last export. own:
    the sidebar's, of any exporter.

    Raises:
        ExportError: this Blender does not have the exporter. UsageError: a preset or an option does not exist,
        or a value does not fit.
    """
    known = exporter.option_names() - NOT_SETTINGS
    found: list[tuple[str, Mapping[str, Any]]] = []
    remembered = remembered_settings(scene, exporter)
    if remembered is not None:
        found.append((Message("the scene's remembered settings"), remembered))
    collections = (scene.collection, *scene.collection.children_recursive)
    for collection, held in settings_of_collections(collections, exporter):
        source = Message("the exporter of the collection '{collection}'", collection=collection)
        found.append((source, {**held, "collection": collection}))
        break
    if last:
        found.append((Message("the last export of this session"), last))
    if own and known & own.keys():
        found.append((Message("My Export Settings"), own))
    if preset:
        found.append((Message("the preset '{preset}'", preset=preset), _of_preset(exporter, preset)))
    if given:
        properties: Any = exporter.properties()
        values = {name: _value(properties, name, text, known) for name, text in given.items()}
        found.append((Message("the given options"), values))
    options: dict[str, Any] = {}
    for _, held in found:
        options |= {name: plain(value) for name, value in held.items() if name in known}
    return ExportSettings(options, tuple(source for source, _ in found))


def presets_of(exporter: BlenderExporter) -> dict[str, Path]:
    """Return the presets saved for an exporter, by the name that Blender shows."""
    return {
        bpy.path.display_name(file.stem, title_case=False): file
        for folder in bpy.utils.preset_paths(f"operator/{exporter.operator.operator}")
        for file in sorted(Path(folder).glob("*.py"))
    }


def _of_preset(exporter: BlenderExporter, preset: str) -> Mapping[str, Any]:
    """Read a preset, a script of assignments, without running it."""
    files = presets_of(exporter)
    path = files.get(preset)
    if path is None and not files:
        raise UsageError(
            "There are no presets of the {exporter} exporter; save '{preset}' in its dialog first.",
            exporter=exporter.label,
            preset=preset,
        )
    if path is None:
        raise UsageError(
            "There is no preset '{preset}' of the {exporter} exporter; there are: {presets}.",
            preset=preset,
            exporter=exporter.label,
            presets=", ".join(f"'{name}'" for name in files),
        )
    try:
        return dict(_assignments(ast.parse(path.read_text(encoding="utf-8"))))
    except (OSError, SyntaxError, ValueError) as error:
        raise ExportError(
            "The preset '{path}' can't be read ({reason}); save it again.",
            path=path,
            reason=brief(str(error)),
        ) from error


def _assignments(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """Yield the names and values that a preset assigns to its operator."""
    for line in tree.body:
        if not isinstance(line, ast.Assign):
            continue
        target = line.targets[0]
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "op":
            yield target.attr, ast.literal_eval(line.value)


def _value(properties: Any, name: str, text: str, known: frozenset[str]) -> object:
    """Convert an option's text to the type that the exporter takes."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        if near:
            raise UsageError(
                "The exporter has no option '{name}'; did you mean {names}?",
                name=brief(name),
                names=", ".join(f"'{one}'" for one in near),
            )
        raise UsageError(
            "The exporter has no option '{name}'; Blender's tooltips show the names of those that it has.",
            name=brief(name),
        )
    rule = properties[name]
    try:
        if rule.type == "BOOLEAN":
            return {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}[
                text.lower()
            ]
        if rule.type == "INT":
            return int(text)
        if rule.type == "FLOAT":
            return float(text)
        if rule.type == "ENUM" and rule.is_enum_flag:
            return set(text.split(","))
    except (KeyError, ValueError) as error:
        raise UsageError(
            "'{text}' is not a value of the exporter's option '{name}', which takes {kind}.",
            text=brief(text),
            name=name,
            kind={"BOOLEAN": "true or false", "INT": "a whole number"}.get(rule.type, "a number"),
        ) from error
    return text
