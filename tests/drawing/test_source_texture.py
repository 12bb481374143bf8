"""What is sent is what shaders fetch, wherever it lies in memory; and memory of others is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.drawing.source_texture import VectorTexture, vectors_to_send

COUNT = 1500


def sent(texture: VectorTexture) -> NDArray[np.float32]:
    return np.array(texture._texture.read(), dtype=np.float32).reshape(-1)[: COUNT * 3].reshape(COUNT, 3)


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
def test_vectors_in_memory_to_send_arrive_and_are_not_written_to():
    rng = np.random.default_rng(4)
    first, second, third = (rng.normal(size=(COUNT, 3)).astype(np.float32) for _ in range(3))
    texture = VectorTexture("testedVectors", COUNT)
    texture.fill(first)
    np.testing.assert_array_equal(sent(texture), first)
    to_send = vectors_to_send(COUNT)
    to_send[:] = second
    texture.fill(to_send)
    np.testing.assert_array_equal(sent(texture), second)
    np.testing.assert_array_equal(texture.values, second)
    # Another copy lies in other memory: it must not get into what was sent before.
    texture.fill(third)
    np.testing.assert_array_equal(sent(texture), third)
    np.testing.assert_array_equal(to_send, second)


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_device")
def test_vectors_further_on_in_such_memory_arrive_too():
    whole = vectors_to_send(COUNT).base
    assert whole is not None
    whole[:] = np.arange(len(whole))
    later = whole[30 : 30 + COUNT * 3].reshape(COUNT, 3)
    texture = VectorTexture("testedVectors", COUNT)
    texture.fill(later)
    np.testing.assert_array_equal(sent(texture), later)
