"""Runs inside Blender: seeded random actions of somebody at work, and a record of all that belongs to them.

What an action does depends on its seed and on the user's data alone, so the same seeds make the same file, whatever else is
going on in that Blender. Nothing here knows of Skinscope.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Quaternion

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # What the driver gives to all that it runs.

Action = Callable[[random.Random], None]

MODES = ("OBJECT", "EDIT", "WEIGHT_PAINT", "VERTEX_PAINT", "SCULPT")
MOST_OBJECTS = 9


def new_file() -> None:
    """Start from two characters: a bar with plain bones, and one with bendy bones, preserve volume and a subdivision."""
    bpy.ops.wm.read_homefile(use_empty=False)
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    add_character("Bar", -1.5)
    thick = add_character("Thick", 1.0)
    thick.modifiers["Armature"].use_deform_preserve_volume = True
    thick.modifiers.new("Subdivision", "SUBSURF").levels = 1
    armature_of(thick).data.bones["upper"].bbone_segments = 4
    remember("Start")


def add_character(name: str, place: float) -> bpy.types.Object:
    """Build a bar on two bones that bends from frame 1 to 20."""
    leave_mode()
    scene = bpy.context.scene
    rig = bpy.data.objects.new(f"{name} Rig", bpy.data.armatures.new(f"{name} Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    with view3d():
        bpy.ops.object.mode_set(mode="EDIT")
        lower = rig.data.edit_bones.new("lower")
        lower.tail = (0, 0, 1)
        upper = rig.data.edit_bones.new("upper")
        upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
        bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1, matrix=Matrix.Diagonal((0.4, 0.4, 2, 1)))
    bmesh.ops.translate(shape, verts=shape.verts, vec=(0, 0, 1))
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=5, use_grid_fill=True)
    shape.to_mesh(mesh)
    shape.free()
    bar = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(bar)
    groups = [bar.vertex_groups.new(name=bone) for bone in ("lower", "upper")]
    for vertex in mesh.vertices:
        share = min(max(vertex.co.z - 0.5, 0.0), 1.0)
        groups[0].add([vertex.index], 1 - share, "REPLACE")
        groups[1].add([vertex.index], share, "REPLACE")
    bar.modifiers.new("Armature", "ARMATURE").object = rig
    bar.parent = rig
    rig.location.x = place
    bone = rig.pose.bones["upper"]
    for frame, angle in ((1, 0.0), (20, 1.2)):
        bone.rotation_quaternion = Quaternion((0, 0, 1), angle)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    return bar


def armature_of(mesh_object: bpy.types.Object) -> bpy.types.Object:
    return next(one.object for one in mesh_object.modifiers if one.type == "ARMATURE" and one.object)


def leave_mode() -> None:
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        with view3d():
            bpy.ops.object.mode_set(mode="OBJECT")


def pick(chance: random.Random, of_type: str) -> bpy.types.Object:
    """Choose one of the view layer's objects of a type. Raises LookupError where there is none."""
    ones = sorted(
        (one for one in bpy.context.view_layer.objects if one.type == of_type), key=lambda one: one.name
    )
    if not ones:
        raise LookupError(of_type)
    return chance.choice(ones)


def select_only(one: bpy.types.Object) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == one)
    bpy.context.view_layer.objects.active = one


def scrub(chance: random.Random) -> None:
    bpy.context.scene.frame_set(chance.randint(0, 22), subframe=chance.choice((0.0, 0.5)))


def pose(chance: random.Random) -> None:
    bone = chance.choice(pick(chance, "ARMATURE").pose.bones)
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion(
        (chance.random(), chance.random(), chance.random()), chance.uniform(-2, 2)
    )
    bone.scale = [chance.uniform(0.5, 1.5) for _ in range(3)]


def key_pose(chance: random.Random) -> None:
    bone = chance.choice(pick(chance, "ARMATURE").pose.bones)
    # A rotation of its own: whether animation has taken back an earlier one by now depends on what was evaluated.
    bone.rotation_quaternion = Quaternion((0, 1, 0), chance.uniform(-1, 1))
    bone.keyframe_insert("rotation_quaternion")


def clear_animation(chance: random.Random) -> None:
    pick(chance, "ARMATURE").animation_data_clear()


def move_object(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    one.location = [chance.uniform(-2, 2) for _ in range(3)]
    one.rotation_euler = [chance.uniform(-1, 1) for _ in range(3)]
    one.scale = (
        [chance.choice((1.0, -1.0, 0.0, 0.5)) for _ in range(3)] if chance.random() < 0.2 else (1, 1, 1)
    )


def move_vertices(chance: random.Random) -> None:
    leave_mode()
    mesh = pick(chance, "MESH").data
    for vertex in chance.sample(list(mesh.vertices), min(8, len(mesh.vertices))):
        vertex.co.x += chance.uniform(-0.2, 0.2)
    mesh.update()


def paint_weights(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, "MESH")
    group = chance.choice(one.vertex_groups) if one.vertex_groups else one.vertex_groups.new(name="upper")
    group.add(
        range(0, len(one.data.vertices), 3), chance.random(), chance.choice(("REPLACE", "ADD", "SUBTRACT"))
    )


def change_groups(chance: random.Random) -> None:
    leave_mode()
    groups = pick(chance, "MESH").vertex_groups
    if groups and chance.random() < 0.5:
        groups.remove(chance.choice(groups))
    else:
        groups.new(name=chance.choice(("lower", "upper", "nobody")))


def add_modifier(chance: random.Random) -> None:
    one = pick(chance, "MESH")
    if len(one.modifiers) > 4:
        one.modifiers.remove(one.modifiers[-1])
        return
    kind = chance.choice(("ARMATURE", "SUBSURF", "CAST", "TRIANGULATE", "WEIGHTED_NORMAL", "MASK", "MIRROR"))
    modifier = one.modifiers.new(kind.title(), kind)
    if kind == "ARMATURE":
        modifier.object = pick(chance, "ARMATURE")
    one.modifiers.move(len(one.modifiers) - 1, chance.randrange(len(one.modifiers)))


def change_modifier(chance: random.Random) -> None:
    one = pick(chance, "MESH")
    if not one.modifiers:
        return
    modifier = chance.choice(one.modifiers)
    what = chance.randrange(4)
    if what == 0:
        one.modifiers.remove(modifier)
    elif what == 1:
        modifier.show_viewport = not modifier.show_viewport
    elif modifier.type == "ARMATURE":
        if what == 2:
            modifier.use_deform_preserve_volume = not modifier.use_deform_preserve_volume
        else:
            modifier.vertex_group = chance.choice(("", "upper", "missing"))


def change_bones(chance: random.Random) -> None:
    armature = pick(chance, "ARMATURE").data
    bone = chance.choice(armature.bones)
    what = chance.randrange(4)
    if what == 0:
        bone.use_deform = not bone.use_deform
    elif what == 1:
        bone.bbone_segments = chance.choice((1, 3, 8))
    elif what == 2:
        bone.name = chance.choice(("lower", "upper", "renamed"))
    else:
        armature.pose_position = chance.choice(("REST", "POSE"))


def edit_bones(chance: random.Random) -> None:
    leave_mode()
    select_only(pick(chance, "ARMATURE"))
    with view3d():
        bpy.ops.object.mode_set(mode="EDIT")
        bones = bpy.context.object.data.edit_bones
        if len(bones) < 4 and chance.random() < 0.4:
            extra = bones.new("extra")
            extra.head, extra.tail = (0, 0, 1), (0.5, 0, 1)
        elif bones:
            chance.choice(bones).tail.x += chance.uniform(-0.3, 0.3)
        bpy.ops.object.mode_set(mode="OBJECT")


def switch_mode(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, chance.choice(("MESH", "MESH", "ARMATURE")))
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.mode_set(
            mode=chance.choice(MODES if one.type == "MESH" else ("OBJECT", "EDIT", "POSE"))
        )


def shape_keys(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, "MESH")
    if one.data.shape_keys is None:
        one.shape_key_add(name="Basis")
        key = one.shape_key_add(name="Wide")
        for point in key.data:
            point.co.x *= 1.5
    one.data.shape_keys.key_blocks[-1].value = chance.random()


def delete(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, chance.choice(("MESH", "MESH", "ARMATURE")))
    if chance.random() < 0.5:
        bpy.data.objects.remove(one)
        return
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.delete()


def duplicate(chance: random.Random) -> None:
    leave_mode()
    if len(bpy.data.objects) >= MOST_OBJECTS:
        delete(chance)
        return
    one = pick(chance, "MESH")
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.duplicate(linked=chance.random() < 0.5)


def add_again(chance: random.Random) -> None:
    if len(bpy.data.objects) < MOST_OBJECTS:
        add_character(chance.choice(("Bar", "Other")), chance.uniform(-2, 2))


def rename(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    one.name = chance.choice(("Bar", "A", "이름", "With spaces and a name that is rather long"))


def hide(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    if chance.random() < 0.5:
        one.hide_set(not one.hide_get())
    else:
        one.hide_viewport = not one.hide_viewport


def undo(chance: random.Random) -> None:
    with view3d():
        for _ in range(chance.randint(1, 3)):
            bpy.ops.ed.undo()


def redo(chance: random.Random) -> None:
    with view3d():
        for _ in range(chance.randint(1, 3)):
            bpy.ops.ed.redo()


def quad_view(_chance: random.Random) -> None:
    with view3d():
        bpy.ops.screen.region_quadview()


def local_view(chance: random.Random) -> None:
    leave_mode()
    select_only(pick(chance, chance.choice(("MESH", "ARMATURE"))))
    with view3d():
        bpy.ops.view3d.localview(frame_selected=False)


def change_shading(chance: random.Random) -> None:
    with view3d() as area:
        area.spaces.active.shading.type = chance.choice(("WIREFRAME", "SOLID", "SOLID"))
        area.spaces.active.overlay.show_overlays = chance.random() < 0.8


def turn_view(chance: random.Random) -> None:
    with view3d() as area:
        bpy.ops.view3d.view_axis(type=chance.choice(("FRONT", "RIGHT", "TOP")))
        view = area.spaces.active.region_3d
        view.view_distance = chance.uniform(1, 12)
        view.view_perspective = chance.choice(("PERSP", "ORTHO"))


def new_window(_chance: random.Random) -> None:
    windows = bpy.context.window_manager.windows
    if len(windows) > 1:
        with bpy.context.temp_override(window=windows[-1]):
            bpy.ops.wm.window_close()
        return
    with view3d():
        bpy.ops.wm.window_new()


def other_scene(chance: random.Random) -> None:
    leave_mode()
    window = bpy.context.window_manager.windows[0]
    if len(bpy.data.scenes) > 1:
        last = bpy.data.scenes[-1]
        if chance.random() < 0.5:
            window.scene = chance.choice(sorted(bpy.data.scenes, key=lambda one: one.name))
        elif window.scene != last:
            bpy.data.scenes.remove(last)
        return
    other = bpy.data.scenes.new("Other")
    for one in bpy.context.scene.collection.objects:
        other.collection.objects.link(one)
    window.scene = other


def save_and_load(chance: random.Random) -> None:
    leave_mode()
    path = str(Path(bpy.app.tempdir, "soak.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
    if chance.random() < 0.7:
        bpy.ops.wm.open_mainfile(filepath=path)


def another_file(_chance: random.Random) -> None:
    new_file()


ACTIONS: tuple[tuple[Action, int], ...] = (
    (scrub, 12),
    (pose, 10),
    (key_pose, 3),
    (clear_animation, 1),
    (move_object, 6),
    (move_vertices, 4),
    (paint_weights, 4),
    (change_groups, 2),
    (add_modifier, 5),
    (change_modifier, 5),
    (change_bones, 5),
    (edit_bones, 3),
    (switch_mode, 8),
    (shape_keys, 2),
    (delete, 3),
    (duplicate, 4),
    (add_again, 6),
    (rename, 2),
    (hide, 4),
    (undo, 8),
    (redo, 4),
    (quad_view, 2),
    (local_view, 3),
    (change_shading, 4),
    (turn_view, 4),
    (new_window, 2),
    (other_scene, 3),
    (save_and_load, 2),
    (another_file, 1),
)
"""Each with how often it comes, by ratio."""


def remember(what: str) -> None:
    """Make an undo step of what has changed.

    Undo reads back those data-blocks alone that differ between two steps. A change that is in no step lasts or is lost
    according to what else has changed in its data-block, and the scene's holds the settings of every add-on.

    In Edit Mode a step holds the edited data alone, so that undo to it takes along whatever else has changed since the last
    whole step - unless a data-block has come or gone since: then Blender writes a whole step first. Previews of meshes with
    modifiers before the armature evaluate copies, so there undo has more to go by with them. Whole steps for both.
    """
    bpy.data.texts.remove(bpy.data.texts.new("Whole step"))
    with view3d():
        bpy.ops.ed.undo_push(message=what)


def act(seed: int) -> str:
    """Do what the seed says; return a line on it. What Blender refuses to anybody just then is not an error."""
    said = ""
    chance = random.Random(seed)  # noqa: S311 - no secrets
    action = chance.choices([one for one, _ in ACTIONS], [weight for _, weight in ACTIONS])[0]
    try:
        action(chance)
    except (LookupError, RuntimeError, AttributeError, ReferenceError) as refusal:
        said = f": {refusal}"
    if action not in (undo, redo):
        # Also what was refused: it may have left a mode, or selected something.
        remember(action.__name__)
    return action.__name__ + said


IGNORED = {
    # Numbers that Blender gives out anew, counts of what is drawn, and the tool settings, of which Blender 4.3 does not
    # survive the reading.
    "tool_settings",
    "session_uid", "rna_type", "bl_rna", "original", "depsgraph", "is_evaluated", "tag", "is_runtime_data", "preview",
    "cycles", "eevee", "asset_data", "library_weak_reference", "name_full", "filepath", "stats", "bound_box", "dimensions",
}  # fmt: skip

COLLECTIONS = (
    "objects",
    "meshes",
    "armatures",
    "actions",
    "scenes",
    "collections",
    "shape_keys",
    "materials",
)


def user_data() -> dict[str, list[str]]:
    """Write down everything that belongs to the user: the lines of each data-block, by kind and name.

    In object mode: what is being edited lives elsewhere. Evaluated first: an object's matrices are what was last made of
    its location, and that depends on when it was drawn.
    """
    leave_mode()
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    remember("Record")
    blocks = {f"{kind}/{one.name}": one for kind in COLLECTIONS for one in getattr(bpy.data, kind)}
    return {name: list(lines(block)) for name, block in blocks.items()}


def lines(block: bpy.types.ID) -> Iterator[str]:
    """Write a data-block down, a property a line."""
    yield from walk(block, "", 0)
    if isinstance(block, bpy.types.Mesh):
        for attribute in block.attributes:
            kind = f"{attribute.domain} {attribute.data_type}"
            yield f" attribute {attribute.name} {kind} = {values(attribute.data)}"
        weights = [[(one.group, one.weight) for one in vertex.groups] for vertex in block.vertices]
        yield f" weights = {weights}"


def values(data: Any) -> str:
    if not len(data):
        return ""
    name = next((one for one in ("vector", "value", "color") if hasattr(data[0], one)), None)
    if name is None:
        return str(len(data))
    first = getattr(data[0], name)
    width = len(first) if hasattr(first, "__len__") else 1
    array = np.empty(len(data) * width, np.float32)
    data.foreach_get(name, array)
    return hashlib.sha256(array.tobytes()).hexdigest()


def walk(owner: Any, path: str, depth: int) -> Iterator[str]:
    """Write down an owner's properties and theirs, but not those of the extension: they are there only with it."""
    for prop in owner.bl_rna.properties:
        name = prop.identifier
        if name in IGNORED or name.startswith("skinscope"):
            continue
        if isinstance(owner, bpy.types.Mesh) and prop.type == "COLLECTION":
            continue
        value = getattr(owner, name, None)
        here = f"{path}.{name}"
        if prop.type == "POINTER":
            if isinstance(value, bpy.types.ID):
                yield f"{here} -> {value.name}"
            elif value is not None and depth < 4 and not isinstance(value, bpy.types.Depsgraph):
                yield from walk(value, here, depth + 1)
        elif prop.type == "COLLECTION":
            if depth < 4:
                for number, item in enumerate(value):
                    if isinstance(item, bpy.types.ID):
                        yield f"{here}[{number}] -> {item.name}"
                    else:
                        yield from walk(item, f"{here}[{number}]", depth + 1)
        elif getattr(prop, "is_array", False):
            yield f"{here} = {flat(value)}"
        else:
            yield f"{here} = {sorted(value) if isinstance(value, set) else value!r}"


def flat(value: Any) -> list[Any]:
    return [flat(one) if hasattr(one, "__len__") else one for one in value]
