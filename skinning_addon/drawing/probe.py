"""The probe: skins on the GPU with the drawing code, and reads every vertex back.

Each vertex is drawn as one point on a pixel of its own, in two targets of four 32-bit floats, positions and
normals. So measurements match what is drawn, and it works without a window where Blender supports a GPU (from
5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.blending.software_skinning import SkinnedVertices
from ..core.skinning.mesh import SourceMesh
from ..core.skinning.passes import Pass
from ..core.text.message import Message
from .float_texture import texel_rows
from .gpu_state import other_framebuffer, preserved_state
from .normal_policy import NormalPolicy
from .shader_library import compiled_shader
from .skinning_inputs import SkinningInputs
from .storage import AUTOMATIC_STORAGE, Storage
from .vertex_buffer import vertex_buffer

_TARGET_WIDTH = 1024


@dataclass(eq=False)
class _Targets:
    """Two textures, the framebuffer that draws to both, and the memory for reading them back.

    memory: (2, height, width, 4) float32.
    """

    size: tuple[int, int]
    textures: tuple[gpu.types.GPUTexture, gpu.types.GPUTexture]
    framebuffer: gpu.types.GPUFrameBuffer
    memory: NDArray[np.float32]


class GpuSkinner:
    """Runs a chain of passes on the GPU; the counterpart of core's SoftwareSkinner.

    Owns its buffers, textures and framebuffer; all are created here, and only the palette's texture in
    `skin`.
    """

    device = "gpu"

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        normals: NormalPolicy | None = None,
        storage: Storage = AUTOMATIC_STORAGE,
    ) -> None:
        """Upload the static data. normals, storage: see `SkinningInputs`."""
        self._vertex_count = mesh.vertex_count
        self._inputs = SkinningInputs(passes, mesh, normals, storage)
        self._palette = storage.palette(self._inputs.palette_layout)
        self.technique = self._palette.technique
        self._shader: gpu.types.GPUShader | None = None
        self._targets: _Targets | None = None
        self._points: gpu.types.GPUBatch | None = None
        if not self._vertex_count:
            return
        self._shader = compiled_shader(
            self._inputs.variant("probe.vert.glsl", "probe.frag.glsl", self._palette)
        )
        attributes = {"meshPosition": mesh.positions, "meshNormal": mesh.normals, **self._inputs.attributes}
        self._points = gpu.types.GPUBatch(type="POINTS", buf=vertex_buffer(attributes))
        self._targets = _make_targets(self._vertex_count)

    def skin(self, palettes: Sequence[AnyPalette]) -> SkinnedVertices:
        """Skin the mesh, with one palette a pass in the order of the passes.

        May be called inside a draw callback: framebuffer, viewport and state are left as they were.
        """
        self._palette.upload(palettes)
        targets = self._targets
        if targets is None:
            return SkinnedVertices(np.empty((0, 3), dtype=np.float32), np.empty((0, 3), dtype=np.float32))
        width, height = targets.size
        with other_framebuffer(targets.framebuffer, width, height), preserved_state():
            gpu.state.depth_test_set("NONE")
            gpu.state.depth_mask_set(False)
            gpu.state.blend_set("NONE")
            # Lets the shader set the point size, whatever was set before.
            gpu.state.program_point_size_set(True)
            self._shader.bind()
            self._shader.uniform_int("probeTargetSize", targets.size)
            self._inputs.bind(self._shader)
            self._palette.bind(self._shader)
            self._points.draw(self._shader)
            gpu.state.program_point_size_set(False)
            for slot, memory in enumerate(targets.memory):
                # Our own buffer: the one that Blender 4.3 returns has its axes reversed.
                buffer = gpu.types.Buffer("FLOAT", (height, width, 4), memory)
                targets.framebuffer.read_color(0, 0, width, height, 4, slot, "FLOAT", data=buffer)
        read = targets.memory.reshape(2, -1, 4)[:, : self._vertex_count, :3]
        return SkinnedVertices(np.ascontiguousarray(read[0]), np.ascontiguousarray(read[1]))

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._inputs.free()
        self._palette.free()
        self._shader = None
        self._targets = None
        self._points = None


def _make_targets(vertex_count: int) -> _Targets:
    width = min(vertex_count, _TARGET_WIDTH)
    height = texel_rows(vertex_count, width, Message("The vertices"))
    positions = gpu.types.GPUTexture((width, height), format="RGBA32F")
    normals = gpu.types.GPUTexture((width, height), format="RGBA32F")
    framebuffer = gpu.types.GPUFrameBuffer(color_slots=(positions, normals))
    memory = np.zeros((2, height, width, 4), dtype=np.float32)
    return _Targets((width, height), (positions, normals), framebuffer, memory)
