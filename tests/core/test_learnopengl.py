"""LearnOpenGL, "Skeletal Animation": its loader and its vertex shader, line for line in Python, against the
profile.

The two listings are `ExtractBoneWeightForVertices` of model_animation.h and the vertex shader of anim_model.vs.
"""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.weight_rules import WeightRule
from skinning_addon.core.skinning.normals import degrees_between
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skin import BoneSkin, Skin
from tests.core.builders import bound, mesh_of, random_transform
from tests.evidence_log import log_evidence

MAX_BONE_INFLUENCE = 4
MAX_BONES = 100

Vertices = list[list[tuple[int, float]]]


def loaded(stored: Vertices) -> tuple[list[list[int]], list[list[float]]]:
    """Go through the bones, then their vertices; the first slot that is -1 takes the bone. Bones are numbered
    as they come.
    """
    bone_ids = [[-1] * MAX_BONE_INFLUENCE for _ in stored]
    weights = [[0.0] * MAX_BONE_INFLUENCE for _ in stored]
    counter = 0
    for bone in sorted({bone for influences in stored for bone, weight in influences if weight}):
        for vertex, influences in enumerate(stored):
            for of_vertex, weight in influences:
                if of_vertex != bone or not weight:
                    continue
                for slot in range(MAX_BONE_INFLUENCE):
                    if bone_ids[vertex][slot] < 0:
                        bone_ids[vertex][slot], weights[vertex][slot] = counter, weight
                        break
        counter += 1
    return bone_ids, weights


def shaded(pos: np.ndarray, norm: np.ndarray, ids: list[int], weights: list[float], final: np.ndarray):
    """Return totalPosition and the local normal of one vertex. final: (100, 4, 4), column vectors."""
    total, normal = np.zeros(4), norm
    for i in range(MAX_BONE_INFLUENCE):
        if ids[i] == -1:
            continue
        if ids[i] >= MAX_BONES:
            total = np.array([*pos, 1.0])
            break
        total = total + (final[ids[i]] @ np.array([*pos, 1.0])) * weights[i]
        normal = final[ids[i]][:3, :3] @ norm
    return total, normal


def random_vertices(seed: int, bones: int, vertices: int) -> Vertices:
    """Up to nine influences a vertex in any order, sums of one as Blender deforms with them; some without
    any.
    """
    rng = np.random.default_rng(seed)
    result: Vertices = []
    for _ in range(vertices):
        chosen = rng.permutation(bones)[: rng.integers(0, 10)]
        weights = rng.uniform(0.05, 1, len(chosen))
        result.append(list(zip(chosen.tolist(), (weights / max(weights.sum(), 1e-9)).tolist(), strict=True)))
    return result


def skin_of(stored: Vertices) -> BoneSkin:
    entries = [(vertex, bone, weight) for vertex, row in enumerate(stored) for bone, weight in row]
    owner, bones, weights = (np.array(column) for column in zip(*entries, strict=True))
    return BoneSkin.from_entries(owner, bones, weights.astype(np.float32), len(stored))


@pytest.mark.parametrize("bones", [20, 130])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_vertex_is_where_the_shader_puts_it(seed: int, bones: int):
    rng = np.random.default_rng(seed)
    stored = random_vertices(seed, bones, 300)
    positions = rng.uniform(-1, 1, (len(stored), 3))
    normals = rng.normal(size=positions.shape)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    final = np.stack([random_transform(rng) for _ in range(bones)])
    ids, weights = loaded(stored)
    number_of_bone = sorted({bone for row in stored for bone, _ in row})
    columns = np.stack([final[bone].T for bone in number_of_bone])

    profile = load_profile("learnopengl")
    ruled = WeightRule(profile)(skin_of(stored))
    assert not ruled.missing.any()
    # Joint 0 of a palette is no bone.
    skin = Skin(ruled.skin.starts, ruled.skin.bones + 1, ruled.skin.weights)
    one = Pass(skin, bound([np.eye(4)] * bones), "Rig")
    mesh = mesh_of(positions.astype(np.float32), normals=normals.astype(np.float32))
    palette = Palette(np.concatenate((np.eye(4)[None], final)).astype(np.float32))
    skinned = SoftwareSkinner((one,), mesh, profile.shader.normals).skin((palette,))

    at_rest = not_drawn = 0
    off = angle = 0.0
    for vertex, influences in enumerate(stored):
        total, normal = shaded(positions[vertex], normals[vertex], ids[vertex], weights[vertex], columns)
        if not influences:
            # No point on the screen: the profile leaves it at rest, and a finding names it.
            assert not total.any()
            not_drawn += 1
            continue
        at_rest += any(number >= MAX_BONES for number in ids[vertex])
        assert skinned.positions[vertex] == pytest.approx(total[:3] / total[3], abs=2e-5), vertex
        off = max(off, float(np.abs(skinned.positions[vertex] - total[:3] / total[3]).max()))
        if all(number < MAX_BONES for number in ids[vertex]):
            turned = float(degrees_between(skinned.normals[vertex][None], normal[None])[0])
            assert turned < 0.01, vertex
            angle = max(angle, turned)
    assert not_drawn > 10
    assert (at_rest > 50) == (bones > MAX_BONES)
    test, cases = "test_every_vertex_is_where_the_shader_puts_it", f"{len(stored)} {{}}, {bones} bones"
    log_evidence("learnopengl-shader", test, cases.format("vertices"), off)
    log_evidence("learnopengl-normals", test, cases.format("normals") + "; degrees", angle)
