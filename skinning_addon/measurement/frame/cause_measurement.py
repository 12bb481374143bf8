"""One mesh skinned for one cause of deviation, for all engines that share it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...scene.binding.armature_poses import PosesOverTime
from ...scene.binding.instant import Instant
from .mesh_measurement import MeshMeasurement
from .posed_mesh import PosedMesh, skinned_together


class CauseMeasurement:
    """One mesh skinned for one cause of deviation, once per instant however many engines share it.

    What is read at an instant is kept until `forget`.
    """

    def __init__(self, measurement: MeshMeasurement) -> None:
        self.measurement = measurement
        self._posed: dict[int, PosedMesh] = {}
        self._skinned: dict[tuple[int, ...], NDArray[np.float32]] = {}

    @property
    def binding(self) -> Binding:
        """How it is bound now."""
        return self.measurement.binding

    def read(self, mesh_object: bpy.types.Object, instant: Instant, moment: int) -> None:
        """Read the mesh at an instant, as `positions` will need it. moment: the instant's number.

        Raises:
            BindingError: it can't be skinned at this instant.
        """
        if moment not in self._posed:
            self._posed[moment] = self.measurement.posed(mesh_object, instant)

    def posed_at(self, moment: int) -> PosedMesh:
        """Return the mesh as it was read at an instant."""
        return self._posed[moment]

    def positions(self, moments: tuple[int, ...], poses: PosesOverTime) -> NDArray[np.float32]:
        """Skin the mesh at instants, (F, V, 3), mesh space: those that were read, and those after them at which
        nothing but the poses was new. Don't write to it.
        """
        if moments not in self._skinned:
            read = sorted(self._posed)
            spans = [
                self._posed[start].over(poses, tuple(of_span))
                for start, of_span in groupby(moments, lambda one: read[bisect_right(read, one) - 1])
            ]
            self._skinned[moments] = skinned_together(spans, with_normals=False).positions
        return self._skinned[moments]

    def forget(self) -> None:
        """Drop what was read so far."""
        self._posed.clear()
        self._skinned.clear()

    def free(self) -> None:
        """Free the skinner's resources."""
        self.measurement.free()


class CauseMeasurements:
    """One mesh skinned for the causes of its deviation under any engine; free it after use."""

    def __init__(self) -> None:
        self._of: dict[object, CauseMeasurement] = {}

    def of(self, profile: Profile, mesh_object: bpy.types.Object, instant: Instant) -> CauseMeasurement:
        """Return the measurement that skins the mesh under a profile, bound at this instant on first request.

        Raises:
            BindingError: see `read_binding`.
        """
        stages = profile.stages
        if stages not in self._of:
            self._of[stages] = CauseMeasurement(MeshMeasurement(mesh_object, instant, "cpu", profile))
        return self._of[stages]

    def forget(self) -> None:
        """Drop what was read so far."""
        for one in self._of.values():
            one.forget()

    def free(self) -> None:
        """Free the skinners' resources."""
        for one in self._of.values():
            one.free()
        self._of.clear()
