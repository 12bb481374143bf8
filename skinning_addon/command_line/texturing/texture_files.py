"""The files of `skinscope bone-texture`: the manifest, and the mesh that its numbers move."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...animation.bone_textures import BoneTexture, closes, inverse_bind, rest_to_file
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.pixel_format import BoneSpace, PixelFormat
from ...core.gltf.skinned_mesh import SET_SIZE, SkinnedPart, skinned_glb
from ...core.text.errors import BindingError
from ...scene.crowd.character import CrowdMesh
from ...scene.crowd.textured_character import TexturedCharacter, mesh_to_root, placed_positions

VERSION_OF_SPACE = {BoneSpace.REST: 1, BoneSpace.PARENT: 2}
"""A reader of the first version would take bones relative to their parents for movements."""

MANIFEST, PIXELS, PICTURE, MESH = "bone-texture.json", "bone-texture.bin", "bone-texture.exr", "mesh.glb"

MOST_INFLUENCES = 8

SEAM = 0.005
"""How far a clip may end from where it begins to count as a loop, as a share of the height."""

UNMOVED = "(none)"
"""The bone of vertices that no bone moves."""


def loops(character: TexturedCharacter) -> list[bool]:
    """Return which clips end as they begin."""
    scale = float(np.linalg.norm(character.root_to_file[:3, :3], ord=2))
    most = SEAM * (character.height or STANDARD_HEIGHT) / (scale or 1.0)
    return [closes(one, character.skeleton, character.boxes, most) for one in character.clips]


def manifest_text(
    texture: BoneTexture,
    character: TexturedCharacter,
    found: list[tuple[float, bool]],
    pixels_file: str = PIXELS,
) -> str:
    """Return the manifest. found: of each clip how far off it is, in metres, and whether it loops."""
    height, width, _ = texture.pixels.shape
    pixels: dict[str, Any] = {
        "file": pixels_file,
        "format": texture.pixel_format.value,
        "width": width,
        "height": height,
        "pixels_per_bone": texture.pixel_format.pixels_per_bone,
        "strips": texture.strips,
    }
    relative = texture.space is BoneSpace.PARENT
    document = {
        "version": VERSION_OF_SPACE[texture.space],
        "generator": "Skinscope",
        "character": character.name,
        "mesh": MESH,
        "axes": "Y up, right-handed, metres",
        "texture": pixels | ({"relative_to": texture.space.value} if relative else {}),
        **({"root": texture.root_to_file.ravel().tolist()} if relative else {}),
        "bones": _bones(texture),
        "clips": [_clip(texture, number, *one) for number, one in enumerate(found)],
    }
    return json.dumps(document, indent=1) + "\n"


def _bones(texture: BoneTexture) -> list[dict[str, Any]]:
    skeleton, column = texture.clips.skeleton, {int(bone): at for at, bone in enumerate(texture.bones)}
    found: list[dict[str, Any]] = []
    for bone, rest in zip(texture.bones.tolist(), rest_to_file(texture), strict=True):
        parent = int(skeleton.parents[bone]) if bone >= 0 else -1
        while parent >= 0 and parent not in column:
            parent = int(skeleton.parents[parent])
        found.append(
            {
                "name": _name(texture, bone),
                "parent": column.get(parent, -1) if parent >= 0 else -1,
                "rest": rest.ravel().tolist(),
            }
        )
    return found


def _name(texture: BoneTexture, bone: int) -> str:
    return texture.clips.skeleton.names[bone] if bone >= 0 else UNMOVED


def _clip(texture: BoneTexture, number: int, deviation: float, loops: bool) -> dict[str, Any]:
    clip, samples = texture.clips.clips[number], int(texture.clips.counts[number])
    told: dict[str, Any] = {
        "name": clip.name,
        "first_sample": int(texture.clips.starts[number]),
        "samples": samples,
        "seconds": clip.duration,
        "samples_per_second": (samples - 1) / clip.duration if clip.duration else 0.0,
        "loops": loops,
        "deviation": deviation,
    }
    if texture.pixel_format is PixelFormat.UNORM16:
        told["translation"] = texture.ranges[number].tolist()
    return told


def mesh_content(texture: BoneTexture, character: TexturedCharacter) -> bytes:
    """Return the .glb: all meshes at rest, their joints being the texture's bones.

    Raises:
        BindingError: a vertex has more influences than it can hold.
    """
    column = {int(bone): at for at, bone in enumerate(texture.bones)}
    parts = drawn_parts(character, column)
    names = [_name(texture, bone) for bone in texture.bones.tolist()]
    return skinned_glb(parts, names, rest_to_file(texture), inverse_bind(texture))


def drawn_parts(character: TexturedCharacter, column: dict[int, int]) -> list[SkinnedPart]:
    """Return all meshes at rest. column: of each bone.

    Raises:
        BindingError: a vertex has more influences than a file can hold.
    """
    return [_part(one, character.root_to_file, column) for one in character.meshes]


def _part(mesh: CrowdMesh, root_to_file: NDArray[np.float64], column: dict[int, int]) -> SkinnedPart:
    mesh_to_file, drawn = mesh_to_root(mesh) @ root_to_file, mesh.draw_mesh
    positions = placed_positions(mesh, root_to_file)
    normals = drawn.normals.astype(np.float64) @ np.linalg.inv(mesh_to_file[:3, :3]).T
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    joints, weights = _influences(mesh, column)
    triangles = drawn.triangles
    if np.linalg.det(mesh_to_file[:3, :3]) < 0:
        triangles = triangles[:, ::-1]
    return SkinnedPart(
        mesh.name,
        positions[drawn.source_vertex],
        normals / np.where(length > 0, length, 1),
        np.stack((drawn.uv[:, 0], 1 - drawn.uv[:, 1]), axis=1),
        triangles,
        joints[drawn.source_vertex],
        weights[drawn.source_vertex],
    )


def _influences(mesh: CrowdMesh, column: dict[int, int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns and weights (V, 4) or (V, 8), the largest first."""
    (one,) = mesh.binding.passes
    skin = one.skin.normalised()
    order = np.lexsort((-skin.weights, skin.vertex_of_influence))
    vertex = skin.vertex_of_influence[order]
    counts = np.bincount(vertex, minlength=skin.vertex_count)
    most = int(counts.max(initial=0))
    if most > MOST_INFLUENCES:
        raise BindingError(
            "'{mesh}' has a vertex that {count} bones move, and a mesh file's readers take {most}; limit the "
            "weights, or make a game-ready copy.",
            mesh=mesh.name,
            count=most,
            most=MOST_INFLUENCES,
        )
    width = SET_SIZE if most <= SET_SIZE else MOST_INFLUENCES
    place = np.arange(len(vertex)) - (np.cumsum(counts) - counts)[vertex]
    joints, weights = np.zeros((len(counts), width), np.int64), np.zeros((len(counts), width))
    bones = one.joints.bone[skin.joints[order]]
    joints[vertex, place] = [column[int(bone)] for bone in bones]
    weights[vertex, place] = skin.weights[order]
    return joints, weights
