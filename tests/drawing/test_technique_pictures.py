"""Every technique draws the same picture, whatever is displayed of the mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.groups.draw_groups import draw_groups
from skinning_addon.core.skinning.joints import NO_BONE
from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import BindingError
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.displays import DISPLAYS, DRAW_GROUPS
from skinning_addon.drawing.draw_call_colors import PROCESSOR_COLOR
from skinning_addon.drawing.materials import MaterialLook
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.drawing.techniques import PARTITIONED, find_technique
from skinning_addon.drawing.vertex_paint import bone_colors, linear_from_srgb
from tests.core.builders import rotation, translation
from tests.drawing.canvas import SETTINGS, painted, pixels_of
from tests.drawing.samples import palette_of, plain_joints, quad, whole_pass

RINGS, AROUND, JOINTS = 33, 16, 9

WAYS = (
    ("uniform-buffer", 0),
    ("float-texture", 0),
    (PARTITIONED, 3),
    (PARTITIONED, 5),
    (PARTITIONED, 26),
    ("four-matrices", 0),
    ("software", 0),
)

NEARLY_ALL = 0.9995
"""Share of the pixels. The techniques add the same products in a different order: at the outline a pixel may
fall to either side."""

ONE_STEP = 2
"""Out of 255, for a color at the edge between two."""


def tube() -> tuple[SourceMesh, DrawMesh, Pass]:
    """A tube along X on a chain of bones, three of them in each vertex, with a ring that nothing moves, a loose
    edge, two materials, and custom normals at a seam.
    """
    ring, side = np.divmod(np.arange(RINGS * AROUND), AROUND)
    x = 3.2 * ring / (RINGS - 1) - 1.6
    angle = 2 * np.pi * side / AROUND
    around = np.stack((np.zeros_like(angle), np.cos(angle), np.sin(angle)), axis=1)
    positions = np.stack((x, np.zeros_like(x), np.zeros_like(x)), axis=1) + 0.4 * around
    corner = (ring[:, None] * AROUND + (side[:, None] + np.arange(2)) % AROUND)[ring < RINGS - 1]
    quads = np.concatenate((corner, corner[:, ::-1] + AROUND), axis=1)
    triangles = np.concatenate((quads[:, (0, 2, 1)], quads[:, (0, 3, 2)]))
    loose = RINGS * AROUND
    positions = np.concatenate((positions, [(0, 1.2, 0), (0.4, 1.4, 0)]))
    normals = np.concatenate((around, np.tile((0.0, 0.0, 1.0), (2, 1))))
    along = np.concatenate((np.stack((corner[:, 0], corner[:, 0] + AROUND), axis=1), corner))
    material = (side[triangles[:, 0]] > AROUND // 2).astype(np.int32)
    edges = np.concatenate((along, [(loose, loose + 1)]))
    mesh = SourceMesh(positions, normals, edges, triangles, material)

    # Duplicated along a seam, with different normals.
    seam = np.flatnonzero(side == 0)
    twin = np.arange(loose)
    twin[seam] = loose + np.arange(len(seam))
    drawn_triangles = triangles.copy()
    behind = (side[triangles] == AROUND - 1).any(axis=1)
    drawn_triangles[behind] = twin[triangles[behind]]
    tilted = normals[seam] + (0.7, 0, 0)
    drawn = DrawMesh(
        np.concatenate((np.arange(loose), seam)),
        drawn_triangles,
        np.concatenate((normals[:loose], tilted / np.linalg.norm(tilted, axis=1, keepdims=True))),
        np.zeros((loose + len(seam), 2)),
        material,
    )

    place = (JOINTS - 2) * ring / (RINGS - 1)
    weights = np.maximum(0, 1.3 - np.abs(place[:, None] - np.arange(JOINTS - 1)))
    vertex, bone = np.nonzero(weights * (ring < RINGS - 2)[:, None])
    skin = Skin.from_entries(vertex, bone + 1, weights[vertex, bone], len(positions))
    return mesh, drawn, Pass(skin, plain_joints(JOINTS), "Armature")


def bent() -> Palette:
    """A pose that bends the tube and turns it about itself."""
    turned = [
        rotation((0.2, 0.3, 1), 7 * number) @ rotation((1, 0, 0), 15 * number) @ translation(0, 0.02, 0)
        for number in range(JOINTS - 1)
    ]
    return Palette(np.stack((np.eye(4), *turned)))


def drawing_by(name: str, limit: int, mesh, drawn, one) -> SkinnedDrawing:
    drawing = SkinnedDrawing(
        (one,),
        mesh,
        drawn,
        draw_calls=find_technique(name).draw_calls(ChainCache((one,)), mesh, drawn, limit),
    )
    drawing.update((bent(),))
    # Far enough off that both heat maps show all of their colors.
    exact = SoftwareSkinner((one,), mesh).skin((bent(),))
    turned = exact.normals @ rotation((0, 1, 0), 12)[:3, :3]
    drawing.set_reference(exact.positions + np.float32(0.15) * mesh.positions, np.float32(turned))
    drawing.set_materials((MaterialLook((0.8, 0.1, 0.1)), MaterialLook((0.1, 0.2, 0.8))))
    return drawing


SETTINGS_WITH_BONE = replace(SETTINGS, active_bone=("Armature", 3), influence_limit=2)


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "limit"), WAYS)
def test_all_displays_look_the_same(name: str, limit: int) -> None:
    mesh, drawn, one = tube()
    plain = drawing_by("automatic", 0, mesh, drawn, one)
    other = drawing_by(name, limit, mesh, drawn, one)
    assert all(skins.joints <= (limit or JOINTS) for skins in other.sizes if not skins.on_cpu)
    for display in DISPLAYS:
        if display.name == DRAW_GROUPS:
            continue
        for wireframe in (False, True):
            for opacity in (1.0, 0.4):
                settings = replace(SETTINGS_WITH_BONE, wireframe=wireframe)
                expected, found = (
                    pixels_of(drawing, display.name, settings=settings, opacity=opacity).astype(int)
                    for drawing in (plain, other)
                )
                assert painted(expected).sum() > 150
                same = np.abs(expected - found).max(axis=2) <= ONE_STEP
                assert same.mean() >= NEARLY_ALL, (display.name, wireframe, opacity, (~same).sum())
    plain.free()
    other.free()


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "limit", "fewest"), [(PARTITIONED, 26, 2), ("four-matrices", 0, 4)])
def test_a_draw_call_never_spans_two_materials(name: str, limit: int, fewest: int) -> None:
    """The tube is red on one side and blue on the other; each call alone shows one of the two."""
    mesh, drawn, one = tube()
    whole = drawing_by("automatic", 0, mesh, drawn, one)
    both = pixels_of(whole, "base_color", settings=replace(SETTINGS, wireframe=False)).astype(int)
    whole.free()
    colors = []
    for draw_call in find_technique(name).draw_calls(ChainCache((one,)), mesh, drawn, limit):
        if draw_call.size.on_cpu:
            draw_call.free()
            continue
        alone = SkinnedDrawing((one,), mesh, drawn, draw_calls=(draw_call,))
        alone.update((bent(),))
        alone.set_materials((MaterialLook((0.8, 0.1, 0.1)), MaterialLook((0.1, 0.2, 0.8))))
        pixels = pixels_of(alone, "base_color", settings=replace(SETTINGS, wireframe=False)).astype(int)
        seen = pixels[painted(pixels)]
        red = seen[:, 0] > seen[:, 2]
        assert red.all() or not red.any()
        assert not len(seen) or draw_call.size.material == int(not red[0])
        colors += [bool(red[0])] if len(seen) else []
        alone.free()
    seen = both[painted(both)]
    assert 0.2 < (seen[:, 0] > seen[:, 2]).mean() < 0.8
    assert len(colors) >= fewest
    assert set(colors) == {True, False}


@pytest.mark.gpu
def test_every_draw_call_has_its_colour() -> None:
    mesh, drawn, one = tube()
    drawing = drawing_by(PARTITIONED, 4, mesh, drawn, one)
    assert len(drawing.sizes) > 2
    flat = pixels_of(drawing, DRAW_GROUPS, settings=replace(SETTINGS, wireframe=False)).astype(float)
    shown = flat[painted(flat)][:, :3]
    # Light and shade change how bright a pixel is: its hue identifies the draw call.
    colors = linear_from_srgb(bone_colors(len(drawing.sizes)))
    linear = linear_from_srgb(shown / 255)
    unit = linear / np.linalg.norm(linear, axis=1, keepdims=True)
    directions = colors / np.linalg.norm(colors, axis=1, keepdims=True)
    nearest = np.argmax(unit @ directions.T, axis=1)
    visible = [number for number, size in enumerate(drawing.sizes) if size.triangles and not size.on_cpu]
    assert set(np.unique(nearest).tolist()) >= set(visible[:2])
    assert np.quantile((unit @ directions.T).max(axis=1), 0.5) > 0.98


@pytest.mark.gpu
def test_a_face_that_no_palette_holds_is_skinned_by_the_processor() -> None:
    mesh, drawn, one = tube()
    cut = draw_groups((one,), mesh, 2)
    assert len(cut.partition.oversized)
    plain, other = (drawing_by(name, 2, mesh, drawn, one) for name in ("automatic", PARTITIONED))
    assert other.sizes[-1].on_cpu
    assert other.sizes[-1].triangles == len(cut.partition.oversized)
    expected, found = (pixels_of(drawing).astype(int) for drawing in (plain, other))
    assert (np.abs(expected - found).max(axis=2) <= ONE_STEP).mean() >= NEARLY_ALL
    shown = pixels_of(other, DRAW_GROUPS)[..., :3] / 255
    reddish = shown[..., 0] > 3 * shown[..., 1]
    assert PROCESSOR_COLOR[0] > 3 * PROCESSOR_COLOR[1]
    assert reddish.sum() > 20


def test_the_groups_share_the_edges_out_among_them() -> None:
    mesh, _, one = tube()
    for limit in (2, 3, 5):
        cut = draw_groups((one,), mesh, limit)
        parts = [*cut.groups, *([cut.rest] if cut.rest else [])]
        drawn = np.concatenate([np.sort(part.vertices[part.mesh.edges], axis=1) for part in parts])
        assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, np.sort(mesh.edges, axis=1).tolist()))


@pytest.mark.gpu
def test_more_joints_than_a_uniform_buffer_holds_are_refused_with_a_remedy() -> None:
    mesh, drawn = quad()
    one = replace(whole_pass(4), joints=plain_joints(342))
    with pytest.raises(BindingError, match=r"342 joints are too many .* 341; choose another technique"):
        find_technique("uniform-buffer").draw_calls(ChainCache((one,)), mesh, drawn, 0)
    find_technique("uniform-buffer").draw_calls(
        ChainCache((replace(one, joints=plain_joints(341)),)), mesh, drawn, 0
    )


@pytest.mark.gpu
def test_a_mesh_without_faces_can_be_drawn_by_all() -> None:
    empty = SourceMesh(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2), int), np.zeros((0, 3), int))
    drawn = DrawMesh(np.zeros(0, int), np.zeros((0, 3), int), np.zeros((0, 3)), np.zeros((0, 2)))
    for name, limit in WAYS:
        one = whole_pass(0)
        drawing = SkinnedDrawing(
            (one,),
            empty,
            drawn,
            draw_calls=find_technique(name).draw_calls(ChainCache((one,)), empty, drawn, limit),
        )
        drawing.update((palette_of(np.eye(4)),))
        assert not painted(pixels_of(drawing)).any()
        drawing.free()


def test_no_bone_is_an_entry_of_every_group() -> None:
    mesh, _, one = tube()
    assert all(group.entries[0] == NO_BONE for group in draw_groups((one,), mesh, 3).groups)
