"""Blender's exporters, and how to call them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...core.text.errors import ExportError, OutputError
from ...core.text.message import Message
from ...core.text.no_room import NO_ROOM
from ...core.text.quoted import brief
from ..files import BlenderOperator


@dataclass(frozen=True)
class BlenderExporter:
    """id: as given on the command line. label: for sentences. menu: its name in Blender's *File > Export*.
    extensions: the usual one first.

    applies_modifiers: the option that makes it write a mesh after its modifiers; '' if it always does. numbers:
    options that make it write vertex numbers; empty if its files keep the order of vertices.
    """

    id: str
    label: str
    menu: str
    operator: BlenderOperator
    extensions: tuple[str, ...]
    applies_modifiers: str
    numbers: Mapping[str, object]

    def option_names(self) -> frozenset[str]:
        """Return the options that it has in this Blender.

        Raises:
            ExportError: this Blender does not have the exporter.
        """
        return frozenset(one.identifier for one in self.properties() if not one.is_readonly)

    def properties(self) -> Any:
        """Return the descriptions of its options.

        Raises:
            ExportError: this Blender does not have the exporter.
        """
        return self._function().get_rna_type().properties

    def require(self) -> None:
        """Make sure that this Blender has it now. Changes nothing: the others enable its add-on.

        Raises:
            ExportError: it doesn't.
        """
        if not self.operator.is_registered:
            raise self._missing()

    def default(self, option: str) -> object:
        """Return an option's default."""
        return self.properties()[option].default

    def export(self, path: Path, options: Mapping[str, Any]) -> None:
        """Export the open file. options: by name; a list may stand for a set.

        Raises:
            ExportError: it failed or was cancelled.
        """
        function = self._function()
        _leave_other_modes()
        flags = {one.identifier for one in self.properties() if one.type == "ENUM" and one.is_enum_flag}
        told: dict[str, Any] = {
            name: set(value) if name in flags else value for name, value in options.items()
        }
        chosen = {**told, **self._own_options(), "filepath": str(path)}
        try:
            result = function(**chosen)
        except (RuntimeError, TypeError) as error:
            if full := _lack_of_room(error):
                raise ExportError(
                    "Blender's {exporter} exporter can't write the file: {reason}. Free space on the disk, or "
                    "choose another place.",
                    exporter=self.label,
                    reason=full,
                ) from error
            raise ExportError(
                "Blender's {exporter} exporter failed: {reason}. Export by hand to see more, or change its "
                "settings.",
                exporter=self.label,
                reason=_reason(error),
            ) from error
        if "FINISHED" not in result or not path.exists():
            raise ExportError(
                "Blender's {exporter} exporter was canceled and wrote no file; export by hand to see why.",
                exporter=self.label,
            )

    def left_out(self, meshes: str) -> ExportError:
        """Say that a file holds none of the scene's meshes, which are named."""
        return ExportError(
            "The exported {exporter} file holds none of the meshes of this scene that an armature deforms "
            "({meshes}); change the exporter's settings that leave them or their skins out, such as Selected "
            "Objects and Skinning.",
            exporter=self.label,
            meshes=meshes,
        )

    def _own_options(self) -> dict[str, object]:
        """Return the options that override the user's."""
        known = self.option_names()
        own = {"check_existing": False, "will_save_settings": False, **self.numbers}
        return {name: value for name, value in own.items() if name in known}

    def _function(self) -> Any:
        function = self.operator.function()
        if function is None:
            raise self._missing()
        return function

    def _missing(self) -> ExportError:
        return ExportError(
            "This Blender ({version}) has no {exporter} exporter; enable its add-on in the preferences, or "
            "choose another one.",
            version=bpy.app.version_string,
            exporter=self.label,
        )


EXPORTERS = (
    BlenderExporter(
        "gltf",
        "glTF",
        "glTF 2.0",
        BlenderOperator("export_scene.gltf", "io_scene_gltf2"),
        (".glb", ".gltf"),
        "export_apply",
        {"export_attributes": True},
    ),
    BlenderExporter(
        "fbx",
        "FBX",
        "FBX",
        BlenderOperator("export_scene.fbx", "io_scene_fbx"),
        (".fbx",),
        "use_mesh_modifiers",
        {},
    ),
    BlenderExporter(
        "usd",
        "USD",
        "Universal Scene Description",
        BlenderOperator("wm.usd_export"),
        (".usdc", ".usd", ".usda", ".usdz"),
        "",
        {},
    ),
)


def cannot_keep(path: str, reason: str | None) -> OutputError:
    """Say that an exported file can't be kept in a place, and why."""
    return OutputError(
        "The exported file can't be kept as '{path}' ({reason}); choose another place for it.",
        path=path,
        reason=reason or Message("no reason given"),
    )


def exporter_of(name: str) -> BlenderExporter:
    """Return the exporter of that id."""
    return next(one for one in EXPORTERS if one.id == name)


def exporter_for(path: str) -> BlenderExporter | None:
    """Return the exporter that writes files of that extension; None if there is none."""
    extension = Path(path).suffix.lower()
    return next((one for one in EXPORTERS if extension in one.extensions), None)


def _reason(error: Exception) -> str:
    """Return the error that an exporter reports, or the last line of its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Location:")]
    if not lines:
        return Message("Blender gives no reason")
    line = lines[-1] if "Traceback (most recent call last)" in lines[0] else lines[0]
    return brief(line.removeprefix("Error: ").rstrip("."))


def _lack_of_room(error: Exception) -> str:
    """Return what the operating system says of a full disk, '' if it is something else."""
    found = re.search(r"^OSError: \[Errno (\d+)\]", str(error), re.MULTILINE)
    return os.strerror(int(found[1])) if found and int(found[1]) in NO_ROOM else ""


def _leave_other_modes() -> None:
    """Switch to Object Mode, the only mode in which exporters work."""
    if bpy.context.object is not None and bpy.context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
