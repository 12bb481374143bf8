"""Weights, names, visibility, libraries, instances and neighbors at their limits."""

from __future__ import annotations

import bpy

from tests.fuzz.rigs.plain_rig import Rig
from tests.fuzz.rigs.recipe import Feature

WEIGHTS = ("none", "no groups", "tiny", "zero", "many", "odd group", "no bone")
NAMES = ("same", "long", "odd", "digits")
LIBRARIES = ("all", "armature", "namesake")
SCENES = (
    "unit",
    "simplify",
    "second mesh",
    "rest",
    "hidden",
    "hidden collection",
    "shared data",
    "instance",
    "locked",
)

ODD_NAME = "Ünï 'q\" \\ \n::error\x1b[31m/."


def weights(rig: Rig, feature: Feature) -> None:
    """Set weights at their limits. Names of groups are in stored order; bones' groups come first."""
    mesh = rig.mesh
    count = len(mesh.data.vertices)
    some = [int(one) for one in rig.random.choice(count, count // 3, replace=False)]
    groups = [group for group in mesh.vertex_groups if group.name in rig.armature.data.bones]
    match feature.detail:
        case "none":
            for group in groups:
                group.remove(some)
        case "no groups":
            mesh.vertex_groups.clear()
        case "tiny":
            for vertex in some:
                for group in groups:
                    group.add(
                        [vertex], float(rig.random.choice((3e-5, 4.9e-5, 5.1e-5, 1e-4, 1e-30))), "REPLACE"
                    )
        case "zero":
            for group in groups:
                group.add(some, 0, "REPLACE")
        case "many":
            for group in groups:
                group.add(list(range(count)), float(rig.random.random()), "REPLACE")
        case "odd group":
            group = mesh.vertex_groups.new(name="bone of nobody")
            group.add(some, 1, "REPLACE")
        case "no bone":
            rig.armature.data.bones["bone 1"].use_deform = False


def names(rig: Rig, feature: Feature) -> None:
    """Give objects, data and one bone names that are similar, long, or odd."""
    bone = rig.armature.data.bones["bone 1"]
    match feature.detail:
        case "same":
            rig.mesh.data.name = rig.mesh.name = "Same"
            rig.armature.data.name = rig.armature.name = "Same"
            bone.name = "Same"
        case "long":
            rig.mesh.name, rig.armature.name, bone.name = "M" * 63, "A" * 63, "b" * 63
        case "odd":
            rig.mesh.name, rig.armature.name, bone.name = ODD_NAME, f"A{ODD_NAME}", f"b{ODD_NAME}"
        case "digits":
            rig.mesh.name, rig.armature.name, bone.name = "0", "1", "2.001"


def scene(rig: Rig, feature: Feature) -> None:
    one = bpy.context.scene
    match feature.detail:
        case "unit":
            one.unit_settings.scale_length = float(rig.random.choice((0.001, 0.01, 100)))
        case "simplify":
            one.render.use_simplify = True
            one.render.simplify_subdivision = 0
        case "second mesh":
            other = bpy.data.objects.new("Other", rig.mesh.data.copy())
            one.collection.objects.link(other)
            for group in rig.mesh.vertex_groups:
                other.vertex_groups.new(name=group.name)
            other.modifiers.new("Armature", "ARMATURE").object = rig.armature
        case "rest":
            rig.armature.data.pose_position = "REST"
        case "hidden":
            rig.mesh.hide_viewport = True
        case "hidden collection":
            away = bpy.data.collections.new("Away")
            one.collection.children.link(away)
            one.collection.objects.unlink(rig.mesh)
            away.objects.link(rig.mesh)
            away.hide_viewport = True
        case "shared data":
            other = bpy.data.objects.new("Shares", rig.mesh.data)
            one.collection.objects.link(other)
            other.modifiers.new("Bulge", "CAST").factor = 0.7
        case "instance":
            held = bpy.data.collections.new("Held")
            one.collection.children.link(held)
            for each in (rig.mesh, rig.armature):
                one.collection.objects.unlink(each)
                held.objects.link(each)
            empty = bpy.data.objects.new("Instance", None)
            empty.instance_type, empty.instance_collection = "COLLECTION", held
            empty.location = (3, 0, 0)
            one.collection.objects.link(empty)
        case "locked":
            rig.mesh.hide_select = rig.armature.hide_select = True
            rig.armature.hide_viewport = True


def library(rig: Rig, feature: Feature) -> None:
    """Write the rig to its own file and link it back: all of it, just its armature, or alongside
    the local one.
    """
    path = str(rig.folder / "library.blend")
    kept = (rig.mesh.name, rig.armature.name)
    scene = bpy.context.scene
    if feature.detail == "armature":
        bpy.data.libraries.write(path, {rig.armature})
        found = _linked(path, [rig.armature.name])[0]
        local = rig.armature
        local.user_remap(found)
        bpy.data.objects.remove(local)
        if found.name not in scene.collection.all_objects:
            scene.collection.objects.link(found)
        rig.armature = found
        return
    bpy.data.libraries.write(path, set(scene.collection.all_objects))
    if feature.detail == "all":
        names = [one.name for one in scene.collection.all_objects]
        for one in list(scene.collection.all_objects):
            bpy.data.objects.remove(one)
        bpy.data.orphans_purge(do_recursive=True)
        for one in _linked(path, names):
            scene.collection.objects.link(one)
    else:
        for one in _linked(path, list(kept)):
            scene.collection.objects.link(one)
        return
    rig.mesh, rig.armature = (next(one for one in scene.objects if one.name == name) for name in kept)


def _linked(path: str, names: list[str]) -> list[bpy.types.Object]:
    with bpy.data.libraries.load(path, link=True) as (_source, target):
        target.objects = list(names)
    return [one for one in target.objects if one is not None]
