"""The devices that skin a mesh for a measurement: the GPU's own vertex shader, or the CPU."""

from __future__ import annotations

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SoftwareSkinner
from ...core.maths.once import Once, each_time
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.passes import Pass
from ...core.text.errors import DeviceError, UsageError

DEVICES = ("gpu", "cpu", "auto")


def resolve_device(device: str) -> str:
    """Turn 'auto' into 'gpu' or 'cpu', and start the GPU if chosen.

    Raises:
        UsageError: an unknown name.
        DeviceError: 'gpu' was asked for and this Blender has none it can use.
    """
    if device not in DEVICES:
        raise UsageError(
            "'{name}' is not a device; choose one of {devices}.", name=device, devices=", ".join(DEVICES)
        )
    if device == "cpu":
        return "cpu"
    from ...drawing.device import start_gpu

    try:
        start_gpu()
    except DeviceError:
        if device == "gpu":
            raise
        return "cpu"
    return "gpu"


def make_skinner(
    device: str,
    passes: tuple[Pass, ...],
    mesh: SourceMesh,
    once: Once = each_time,
    before: Skinner | None = None,
) -> Skinner:
    """Make the skinner of `mesh` on a resolved device, 'gpu' or 'cpu'. once: shares the processor's. before: of
    the same passes, if only vertices have moved.
    """
    if device == "cpu":

        def make() -> SoftwareSkinner:
            return (
                before.moved(mesh) if isinstance(before, SoftwareSkinner) else SoftwareSkinner(passes, mesh)
            )

        # All that it depends on; the joints are in the palettes.
        alike = tuple((one.skin, one.blend.value, one.input.value) for one in passes)
        if any(one.amount is not None for one in passes):
            return make()
        return once(("skinner", mesh, alike), make)
    # Imported late: without a GPU the drawing layer is never needed.
    from ...drawing.normal_policy import NormalPolicy
    from ...drawing.probe import GpuSkinner

    # The rule that both devices support for any passes, so that figures and exports do not depend on the
    # device.
    return GpuSkinner(passes, mesh, NormalPolicy.COFACTOR)
