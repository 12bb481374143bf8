"""Input that Blender would silently accept and draw wrong is refused or corrected before it gets there."""

from __future__ import annotations

import gpu
import numpy as np
import pytest

from skinning_addon.core.blending.volume_palette import VolumePalette
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.text.errors import DeviceError
from skinning_addon.drawing.float_texture import float_texture, texel_rows
from skinning_addon.drawing.palette_buffer import TexturePalette, UniformPalette, palette_buffer
from skinning_addon.drawing.palette_rows import PaletteLayout
from skinning_addon.drawing.uniform_block import UniformBlock
from skinning_addon.drawing.vertex_buffer import index_buffer, vertex_buffer


class RecordingBuffer:
    """Stands in for GPUUniformBuf and remembers what it was sent."""

    def __init__(self, data):
        self.sent = [np.array(data)]

    def update(self, data):
        assert data.dtype == np.float32
        assert data.flags.c_contiguous
        self.sent.append(np.array(data))


@pytest.fixture
def recording(monkeypatch):
    monkeypatch.setattr(gpu.types, "GPUUniformBuf", RecordingBuffer)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("joints", "rows", "technique"),
    [
        (1, 3, "uniform buffer"),
        (341, 3, "uniform buffer"),
        (342, 3, "float texture"),
        (255, 4, "uniform buffer"),
        (256, 4, "float texture"),
    ],
)
def test_the_size_of_a_palette_decides_its_storage(joints, rows, technique):
    storage = palette_buffer(PaletteLayout(joints, rows))
    assert storage.technique == technique
    storage.free()


@pytest.mark.usefixtures("recording")
def test_a_uniform_palette_always_sends_what_the_shader_declares():
    storage = UniformPalette(PaletteLayout(2, 3))
    storage.upload([Palette(np.ones((2, 4, 4)))])
    assert all(sent.nbytes == 1023 * 16 for sent in storage._buffer.sent)
    last = storage._buffer.sent[-1]
    assert (last[:6] == 1).all()
    assert (last[6:] == 0).all()


@pytest.mark.usefixtures("recording")
def test_palettes_are_sent_end_to_end():
    storage = UniformPalette(PaletteLayout(5, 4, pass_count=2))
    linear = Palette(np.full((2, 4, 4), 2.0))
    volume = VolumePalette(
        np.full((1, 4, 4), 5.0), np.full((1, 4), 6.0), np.full((4, 4), 3.0), np.full((4, 4), 4.0)
    )
    storage.upload((linear, volume))
    sent = storage._buffer.sent[-1][: 5 * 4].reshape(5, 4, 4)
    assert (sent[:2, :3] == 2).all()
    assert (sent[2, :3] == 3).all()
    assert (sent[3, :3] == 4).all()
    assert (sent[4, :3] == 5).all()
    assert (sent[4, 3] == 6).all()
    assert (sent[:4, 3] == 0).all()


@pytest.mark.usefixtures("recording")
def test_a_palette_of_another_length_is_refused():
    storage = UniformPalette(PaletteLayout(3, 3))
    with pytest.raises(ValueError, match="2 joints for a palette of 3"):
        storage.upload([Palette(np.zeros((2, 4, 4)))])


@pytest.mark.gpu
def test_a_texture_palette_holds_every_row():
    final = np.random.default_rng(0).normal(size=(700, 4, 4)).astype(np.float32)
    rows = np.ascontiguousarray(final[:, :, :3].transpose(0, 2, 1))
    storage = TexturePalette(PaletteLayout(700, 3))
    storage.upload([Palette(final)])
    texture = storage._texture
    assert (texture.width, texture.height) == (1024, 3)
    read = texture.read()
    read.dimensions = 1024 * 3 * 4
    np.testing.assert_array_equal(np.frombuffer(read, dtype=np.float32)[: 700 * 12], rows.ravel())  # pyright: ignore[reportCallIssue]
    storage.free()


@pytest.mark.usefixtures("recording")
def test_a_block_is_sent_again_only_when_it_changes():
    block = UniformBlock("name", 2)
    content = np.ones((2, 4), dtype=np.float32)
    block.update(content)
    block.update(content.copy())
    assert len(block._buffer.sent) == 2
    content[1, 3] = 7
    block.update(content)
    assert len(block._buffer.sent) == 3


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ({}, "vertices"),
        ({"a": np.zeros((2, 3), np.float32), "b": np.zeros((3, 3), np.float32)}, "vertices"),
        ({"a": np.zeros((2, 3))}, "float64"),
        ({"a": np.zeros((2, 4), np.int64)}, "int64"),
        ({"a": np.zeros(2, np.float32)}, "1-dimensional"),
        ({"a": np.zeros((2, 1), np.uint16)}, "1 components of 2 bytes"),
    ],
)
def test_vertex_data_that_blender_would_misread_is_refused(attributes, complaint):
    with pytest.raises(ValueError, match=complaint):
        vertex_buffer(attributes)


@pytest.mark.gpu
def test_strided_vertex_data_is_taken():
    values = np.zeros((4, 8), dtype=np.float32)
    assert vertex_buffer({"a": values[:, ::2]})
    assert index_buffer("TRIS", np.zeros((6, 3), dtype=np.int64)[::2])


def test_texels_that_blender_would_misread_are_refused():
    with pytest.raises(ValueError, match="float32"):
        float_texture(np.zeros((1, 1, 4)))
    with pytest.raises(ValueError, match="float32"):
        float_texture(np.zeros((4, 2, 2), dtype=np.float32).transpose(1, 0, 2))


def test_what_no_texture_can_hold_is_refused():
    assert texel_rows(0, 1024, "The joints") == 1
    assert texel_rows(1025, 1024, "The joints") == 2
    with pytest.raises(DeviceError, match="The joints don't fit"):
        texel_rows(1024 * 16384 + 1, 1024, "The joints")
