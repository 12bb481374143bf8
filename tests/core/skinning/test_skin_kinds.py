# pyright: reportArgumentType=true, reportUnnecessaryTypeIgnoreComment=true
"""The indices of one kind of skin are not taken for those of another.

pyright rejects these calls too: it would report an ignore comment that isn't needed.
"""

import numpy as np
import pytest

from skinning_addon.core.profiles.influence_limit import Keep, limited, summing_to_one
from skinning_addon.core.profiles.packing import packed_skin
from skinning_addon.core.profiles.profile import BLENDER
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skin import GroupSkin
from tests.core.builders import bone_skin_of, bound, skin_of


def test_joints_are_not_taken_for_bones():
    with pytest.raises(AttributeError, match="bones"):
        limited(skin_of([[(1, 1.0)]]), 4, Keep.BONE_ORDER)  # pyright: ignore[reportArgumentType]


def test_bones_are_not_taken_for_joints():
    with pytest.raises(AttributeError, match="joints"):
        Pass(bone_skin_of([[(0, 1.0)]]), bound([np.eye(4)]), "Rig")  # pyright: ignore[reportArgumentType]


def test_vertex_groups_are_not_taken_for_joints():
    grouped = GroupSkin.from_entries(np.array([0]), np.array([3]), np.array([1.0]), 1)
    with pytest.raises(AttributeError, match="joints"):
        packed_skin(grouped, BLENDER)  # pyright: ignore[reportArgumentType]


def test_what_is_derived_is_of_the_same_kind():
    for one in (skin_of([[(1, 1.0)]]), bone_skin_of([[(1, 1.0)]])):
        assert {
            type(one.limited(1)),
            type(one.of_vertices(np.array([0]))),
            type(summing_to_one(one)),
        } == {type(one)}
