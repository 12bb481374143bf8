"""Where Blender keeps the settings that the user exports with, each read as plain values by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .exporters import BlenderExporter

GLTF_SETTINGS = "glTF2ExportSettings"
"""The scene's custom property in which glTF's exporter keeps its settings (*Remember Export Settings*)."""

NOT_SETTINGS = frozenset(
    {"filepath", "check_existing", "will_save_settings", "rna_type", "filter_glob", "ui_tab"}
)


def settings_of_last_export(
    manager: bpy.types.WindowManager, exporter: BlenderExporter
) -> dict[str, Any] | None:
    """Return the settings of the session's last export; None if the exporter has not run yet."""
    last = manager.operator_properties_last(exporter.operator.operator)
    # Blender gives its defaults for an operator that has not run; every export has a path.
    return _set_by_user(last) if last is not None and last.is_property_set("filepath") else None


def remembered_settings(scene: bpy.types.Scene, exporter: BlenderExporter) -> dict[str, Any] | None:
    """Return the settings that glTF's exporter stored in a scene; None if there are none."""
    held = scene.get(GLTF_SETTINGS) if exporter.id == "gltf" else None
    if held is None:
        return None
    return {name: plain(value) for name, value in held.items()}


def settings_of_collections(
    collections: Iterable[bpy.types.Collection], exporter: BlenderExporter
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each collection's name with the settings of each of its exporters of this kind."""
    module, name = exporter.operator.operator.split(".")
    wanted = f"{module.upper()}_OT_{name}"
    for collection in collections:
        for one in collection.exporters:
            properties: Any = one.export_properties
            if properties is not None and properties.bl_rna.identifier == wanted:
                yield collection.name, _set_by_user(properties)


def _set_by_user(properties: Any) -> dict[str, Any]:
    """Return the values that are set, not an operator's defaults; JSON can hold them."""
    held = {
        one.identifier: plain(getattr(properties, one.identifier))
        for one in properties.bl_rna.properties
        if one.identifier not in NOT_SETTINGS and properties.is_property_set(one.identifier)
    }
    return {name: value for name, value in held.items() if value is not None}


def plain(value: Any) -> Any:
    """Return a setting as JSON can hold it, with lists for sets and vectors; None for groups of settings."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, set):
        return sorted(value)
    return None if hasattr(value, "keys") or not hasattr(value, "__len__") else list(value)
