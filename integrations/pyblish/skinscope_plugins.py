# ruff: noqa: INP001 - pyblish finds plug-ins in a folder, not in a package
"""Plug-ins for pyblish, and for pipelines built on it, such as AYON: characters that deform otherwise in the
engine are not published. docs/ci.md says how to install them.

Blender's open file is saved as a copy, which another process checks: the scene stays as it is. Selecting and
repairing change it, as the buttons of Skinscope's sidebar do.
"""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any

import bpy
import pyblish.api  # pyright: ignore[reportMissingImports] - it comes with the pipeline

FAMILY = "skinscope.character"


def find_skinscope() -> Any:
    """Return Skinscope's functions (docs/api.md): of pip's package, or of the enabled extension."""
    try:
        return importlib.import_module("skinscope.skinning_addon.api")
    except ImportError:
        for name in bpy.context.preferences.addons.keys():  # noqa: SIM118 - it yields the add-ons themselves
            if name.rpartition(".")[2] == "skinscope":
                return importlib.import_module(f"{name}.skinning_addon.api")
    raise ImportError(
        "Skinscope is missing; enable its extension in the preferences, or install it with pip."
    )


def deforms(mesh: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an armature deforms a mesh, by a modifier or as its parent."""
    if mesh.parent == armature and mesh.parent_type == "ARMATURE":
        return True
    return any(
        isinstance(one, bpy.types.ArmatureModifier) and one.object == armature for one in mesh.modifiers
    )


class CollectSkinscopeCharacters(pyblish.api.ContextPlugin):
    """An instance for each armature of the scene, with the meshes that it deforms."""

    label = "Collect Skinned Characters"
    order = pyblish.api.CollectorOrder
    hosts = ["blender", "python"]

    def process(self, context: pyblish.api.Context) -> None:
        """Make the instances. Their data names objects, since Blender's pointers don't outlive an undo."""
        objects = bpy.context.scene.objects
        meshes = [one for one in objects if one.type == "MESH"]
        for armature in (one for one in objects if one.type == "ARMATURE"):
            deformed = [one.name for one in meshes if deforms(one, armature)]
            if deformed:
                instance = context.create_instance(armature.name, family=FAMILY, families=[FAMILY])
                instance.data["armature"], instance.data["meshes"] = armature.name, deformed


class SelectInvalidVertices(pyblish.api.Action):
    """Select the vertices of all findings that failed."""

    label = "Select Invalid"
    icon = "search"
    on = "failed"

    def process(self, context: pyblish.api.Context, plugin: type[ValidateSkinscope]) -> None:
        """Select objects, and in each the vertices of its findings; Edit Mode shows them."""
        invalid = [one for instance in failed(context, plugin) for one in plugin.get_invalid(instance)]
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for one in bpy.context.view_layer.objects:
            one.select_set(False)
        for name, vertices in invalid:
            mesh_object = bpy.data.objects.get(name)
            if mesh_object is None or mesh_object.name not in bpy.context.view_layer.objects:
                continue
            mesh_object.select_set(True)
            bpy.context.view_layer.objects.active = mesh_object
            if mesh_object.type != "MESH":
                continue
            mesh = mesh_object.data
            for part in (mesh.polygons, mesh.edges):
                part.foreach_set("select", [False] * len(part))
            chosen = set(vertices)
            mesh.vertices.foreach_set("select", [one in chosen for one in range(len(mesh.vertices))])


class Repair(pyblish.api.Action):
    """Fix what the buttons of Skinscope's sidebar can; undo takes it back."""

    label = "Repair"
    icon = "wrench"
    on = "failed"

    def process(self, context: pyblish.api.Context, plugin: type[ValidateSkinscope]) -> None:
        """Repair each instance that failed."""
        for instance in failed(context, plugin):
            plugin.repair(instance)


class ValidateSkinscope(pyblish.api.InstancePlugin):
    """The character deforms in the engine as it does in Blender."""

    label = "Skinning in the Engine"
    order = pyblish.api.ValidatorOrder
    families = [FAMILY]
    hosts = ["blender", "python"]
    optional = True
    actions = [SelectInvalidVertices, Repair]

    # For a studio to change. An empty setting falls back to skinscope.toml, then to the program's default.
    profiles = ("unity-4",)
    tolerance = ""
    frames = ""

    def process(self, instance: pyblish.api.Instance) -> None:
        """Raise if the check fails because of this character."""
        report = self.report(instance)
        if report.error is not None:
            raise RuntimeError(report.error)
        wrong = [self.told(one) for one in (*report.meshes, *report.findings) if self.fails(one, instance)]
        for sentence in wrong:
            self.log.error(sentence)
        if wrong:
            raise RuntimeError("\n".join(wrong))

    @classmethod
    def report(cls, instance: pyblish.api.Instance) -> Any:
        """Return the report on the open file; one for all instances of a publish."""
        kept = instance.context.data
        if "skinscope" not in kept:
            with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
                path = Path(folder, Path(bpy.data.filepath or "untitled.blend").name)
                bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
                # Beside the user's file, as for the file itself.
                (kept["skinscope"],) = find_skinscope().check(
                    path,
                    profiles=cls.profiles,
                    tolerance=cls.tolerance,
                    frames=cls.frames,
                    config=cls.config(),
                )
        return kept["skinscope"]

    @staticmethod
    def config() -> Path | None:
        """Return the skinscope.toml beside the open file or above it."""
        if not bpy.data.filepath:
            return None
        folders = Path(bpy.data.filepath).parents
        return next((one / "skinscope.toml" for one in folders if (one / "skinscope.toml").is_file()), None)

    @staticmethod
    def fails(one: Any, instance: pyblish.api.Instance) -> bool:
        """Whether a mesh's deviation, or a finding, is about this character and is not accepted."""
        own = {instance.data["armature"], *instance.data["meshes"]}
        is_wrong = not one.accepted and getattr(getattr(one, "severity", None), "value", "error") == "error"
        return is_wrong and (one.object in own or not one.object)

    @staticmethod
    def told(one: Any) -> str:
        """Return a sentence about a mesh's deviation, or a finding."""
        if hasattr(one, "message"):
            return " ".join(part for part in (one.message, one.fix) if part)
        worst = one.worst
        return (
            f"'{one.object}' deviates by up to {1000 * worst.max:.3g} mm under the profile {one.profile}, at "
            f"frame {worst.frame:g} of '{worst.clip}'."
        )

    @classmethod
    def get_invalid(cls, instance: pyblish.api.Instance) -> list[tuple[str, list[int]]]:
        """Return objects by name with the vertices of what failed; the worst ones of each finding."""
        report, found = cls.report(instance), {}
        for one in (*report.meshes, *report.findings):
            if cls.fails(one, instance) and one.object:
                vertices = found.setdefault(str(one.object), [])
                vertices += one.vertices if hasattr(one, "message") else [one.worst.worst_vertex]
        return [(name, sorted({one for one in vertices if one >= 0})) for name, vertices in found.items()]

    @classmethod
    def repair(cls, instance: pyblish.api.Instance) -> None:
        """Press the button that fixes each finding that failed, where there is one."""
        skinscope = find_skinscope()
        report = cls.report(instance)
        for one in report.findings:
            operator = skinscope.fix_operator(one.rule) if cls.fails(one, instance) else ""
            mesh_object = bpy.data.objects.get(str(one.object))
            if not operator or mesh_object is None or mesh_object.type != "MESH":
                continue
            module, name = operator.split(".")
            if name not in dir(getattr(bpy.ops, module)):
                raise RuntimeError("Enable Skinscope in the preferences: its buttons do the repair.")
            if bpy.context.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            bpy.context.view_layer.objects.active = mesh_object
            if one.profile:
                bpy.context.scene.skinscope.profiles.profile = one.profile
            getattr(getattr(bpy.ops, module), name)()
        # It is about the file as it was.
        instance.context.data.pop("skinscope", None)


def failed(
    context: pyblish.api.Context, plugin: type[pyblish.api.InstancePlugin]
) -> list[pyblish.api.Instance]:
    """Return the instances at which a plug-in has failed, each once."""
    found: list[pyblish.api.Instance] = []
    for one in context.data["results"]:
        # By name: plug-ins that were discovered again are other classes.
        if (
            one["plugin"].__name__ == plugin.__name__
            and one["error"] is not None
            and one["instance"] is not None
        ):
            found += [one["instance"]] if one["instance"] not in found else []
    return found
