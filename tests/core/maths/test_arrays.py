"""Arrays that cross a layer are checked once and can't change afterwards."""

import numpy as np
import pytest

from skinning_addon.core.maths.arrays import read_only
from skinning_addon.core.text.errors import InvalidArrayError


def test_a_sealed_array_can_not_be_written_to():
    array = read_only("weights", [0.25, 0.75], np.float32, (None,))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_the_callers_own_array_stays_writable():
    own = np.zeros(3, dtype=np.float32)
    read_only("weights", own, np.float32, (3,))
    own[0] = 1


def test_a_million_positions_are_not_copied():
    own = np.zeros((1_000_000, 3), dtype=np.float32)
    assert np.shares_memory(read_only("positions", own, np.float32, (None, 3)), own)


def test_what_gpus_and_files_get_is_contiguous_and_of_one_type():
    column_order = np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3))
    array = read_only("positions", column_order, np.float32, (None, 3))
    assert array.dtype == np.float32
    assert array.flags.c_contiguous
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (np.zeros((4, 2)), (None, 3)),
        (np.zeros(12), (None, 3)),
        (np.zeros((1, 4, 3)), (None, 3)),
        (np.zeros((4, 3)), (5, 3)),
    ],
)
def test_a_wrong_shape_is_refused_by_the_name_of_the_array(values, shape):
    with pytest.raises(InvalidArrayError) as refusal:
        read_only("positions", values, np.float32, shape)
    assert str(refusal.value).startswith("positions ")
    assert str(values.shape) in str(refusal.value)


def test_an_array_of_no_elements_is_an_array():
    assert read_only("triangles", np.empty((0, 3)), np.int32, (None, 3)).shape == (0, 3)
