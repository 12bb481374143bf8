"""A pass accepts only a skin and an amount that fit it."""

import numpy as np
import pytest

from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import (
    bound,
    skin_of,
)


class TestPass:
    def test_a_skin_can_not_name_a_joint_that_the_palette_lacks(self):
        joints = bound([np.eye(4)])
        Pass(skin_of([[(0, 1.0), (1, 1.0)]]), joints, "Armature")
        with pytest.raises(InvalidArrayError, match="joint 2"):
            Pass(skin_of([[(2, 1.0)]]), joints, "Armature")

    @pytest.mark.parametrize("amount", [np.nan, np.inf])
    def test_an_amount_is_a_number(self, amount):
        skin = skin_of([[(1, 1.0)], [(1, 1.0)]])
        with pytest.raises(InvalidArrayError, match=r"^amount"):
            Pass(skin, bound([np.eye(4)]), "Armature", amount=[0.5, amount])

    def test_an_amount_is_given_for_each_vertex(self):
        skin = skin_of([[(1, 1.0)], [(1, 1.0)]])
        with pytest.raises(InvalidArrayError, match="amount"):
            Pass(skin, bound([np.eye(4)]), "Armature", amount=np.ones(3))
