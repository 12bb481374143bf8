"""A clip as a file plays it that has fewer keys than frames.

Which keys the exporter leaves out depends on the whole clip, so all of it is recorded before its first frame is
measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import FbxOptions, GltfOptions, Resampled, Sampling, ThinningOptions
from ...core.profiles.fbx_curves import FbxClip, sampled_frames
from ...core.profiles.gltf_keys import OBJECT, SMALL_TURN, GltfKeys, GltfMoment, next_keys, sample_frames
from ...core.profiles.key_interpolation import CHORD, EVEN, around
from ...core.profiles.usd_clip import UsdClip
from ...core.skinning.skeleton import Skeleton, invert_affine

JUST_BEFORE = 1e-3
"""Frames before a key that the one before it still holds."""

OF_A_SPLINE = 8
"""Lines for each frame of a spline, or of a chord."""

_STRAIGHT = {Sampling.CHORD: CHORD, Sampling.JOINED: SMALL_TURN}
"""Which turns go along the chord."""

USD_HOLDS_SCALES = (4, 3, 0)
"""The first Blender whose USD exporter is taken to leave out scales; 4.2 writes all, 5.2 doesn't."""


@dataclass(frozen=True, eq=False)
class ObjectPlace:
    """Where an armature object is at a frame. own: (4, 4), relative to its parent. to_world: (4, 4)."""

    own: NDArray[np.float64]
    to_world: NDArray[np.float64]


class ClipInFile:
    """Armatures' poses at every frame that the exporter samples. Keeps no Blender object.

    frames: (F,), in the clip's time, ascending, to be recorded in this order. Of a .glb, each armature has keys
    at some of them.
    """

    def __init__(
        self,
        start: float,
        end: float,
        options: ThinningOptions,
        shown: Mapping[str, NDArray[np.float64]] | None = None,
        keys: Mapping[str, GltfKeys] | None = None,
        *,
        frames_per_second: float = 24.0,
    ) -> None:
        """shown: the poses (B, 4, 4) that the scene shows during the export, by armature. keys: likewise, those
        that a .glb has; by default, of the whole clip. frames_per_second: of the scene.
        """
        first, last, step = _range_and_step(start, end, options)
        self._in_gltf = keys or {}
        self._keys = {name: sampled_frames(one.first, one.last, step) for name, one in self._in_gltf.items()}
        self._whole = sampled_frames(first, last, step)
        self.frames = np.unique(np.concatenate([self._whole, *self._keys.values()]))
        self._options = options
        self._samples: NDArray[np.float64] | None = None
        if isinstance(options, Resampled) and options.plays_samples(frames_per_second):
            end = max((float(one[-1]) for one in self._keys.values()), default=float(self._whole[-1]))
            self._samples = sample_frames(end, options, frames_per_second)
        self._rows: defaultdict[str, list[NDArray[np.float32]]] = defaultdict(list)
        self._places: defaultdict[str, list[ObjectPlace]] = defaultdict(list)
        self._clips: dict[str, FbxClip | UsdClip] = {}
        self._shown = shown or {}

    def record(self, armature: str, to_root: NDArray[np.float64], place: ObjectPlace | None = None) -> None:
        """Add an armature's pose (B, 4, 4) at the next frame. place: of the object, if keys alone move it."""
        # What Blender stores; half the memory.
        self._rows[armature].append(to_root.astype(np.float32))
        if place is not None:
            self._places[armature].append(place)

    def local(
        self, armature: str, skeleton: Skeleton, frames: float | Sequence[float]
    ) -> NDArray[np.float64] | GltfMoment | None:
        """Return the local matrices (..., B, 4, 4) that play at some frames, or the keys around them; None for
        an armature that was not recorded.
        """
        if armature not in self._rows:
            return None
        if isinstance(self._options, GltfOptions | Resampled):
            keys = self._keys.get(armature, self._whole)
            rows = np.array(self._rows[armature])
            known = self._in_gltf.get(armature)
            stepped = known.stepped(skeleton.names, len(keys)) if known is not None else None
            to_root = rows[np.searchsorted(self.frames, keys)]
            curves = None if known is None else known.curves
            written = None if curves is None else partial(curves.at, skeleton.names, skeleton.rest_to_root)
            sampling = self._options.sampling if isinstance(self._options, Resampled) else Sampling.LOCAL
            if self._samples is None:
                straight = _STRAIGHT.get(sampling, EVEN)
                return GltfMoment.of(keys, to_root, frames, stepped, straight=straight, written=written)
            joined, is_next = sampling is Sampling.JOINED, sampling is Sampling.NEXT_KEY
            return GltfMoment.resampled(
                self._samples,
                keys,
                to_root,
                frames,
                stepped,
                joined=joined,
                straight=_STRAIGHT.get(sampling, EVEN),
                shown=next_keys(self._samples, keys) if is_next else None,
                written=written,
            )
        if armature not in self._clips:
            poses = np.array(self._rows[armature], dtype=np.float64)
            self._clips[armature] = self._written(armature, skeleton, poses)
        return self._clips[armature].local(frames)

    def moved_root(
        self, armature: str, frames: float | Sequence[float], to_world: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return where the keys of a .glb have the armature object at some frames, (..., 4, 4), as seen from
        where it is in Blender; None if it isn't known to be elsewhere.

        to_world: (..., 4, 4), in Blender.
        """
        known, places = self._in_gltf.get(armature), self._places.get(armature)
        if known is None or known.curves is not None or places is None:
            return None
        keys = self._keys[armature]
        at_keys = [places[row] for row in np.searchsorted(self.frames, keys).tolist()]
        own = np.array([one.own for one in at_keys])
        from_own, invertible = invert_affine(own)
        from_world, kept = invert_affine(to_world.reshape(-1, 4, 4))
        if not invertible.any() or not kept.all():
            return None
        first = int(invertible.argmax())
        # The same at all frames.
        parent_to_world = from_own[first] @ at_keys[first].to_world
        sampling = self._options.sampling if isinstance(self._options, Resampled) else Sampling.LOCAL
        stepped = known.stepped((OBJECT,), len(keys))
        straight = _STRAIGHT.get(sampling, EVEN)
        between = GltfMoment.of(keys, own[:, None], frames, stepped, straight=straight)
        played = between.matrices(lambda pose: pose)[..., 0, :, :]
        before, after, share = around(keys, frames)
        on_key = (share == 0) | (share == 1) | (before == after)
        # As it is: a matrix that is taken apart loses its shear.
        played = np.where(on_key[..., None, None], own[np.where(share == 1, after, before)], played)
        return played @ parent_to_world @ from_world.reshape(to_world.shape)

    def times(self, armature: str, skeleton: Skeleton) -> NDArray[np.float64]:
        """Return frames (T,), ascending, between any two of which all that plays of an armature is
        interpolated: relative to bones' parents, at even speed.
        """
        match self._options:
            case FbxOptions():
                # Angles are what the file interpolates.
                return np.union1d(self.frames, np.arange(np.ceil(self.frames[0]), self.frames[-1]))
            case Resampled() if self._samples is not None:
                first, last = self.frames[[0, -1]]
                inside = (first < self._samples) & (self._samples < last)
                return np.array([first, *self._samples[inside], *([last] if last > first else [])])
            case GltfOptions() | Resampled():
                known = self._in_gltf.get(armature)
                keys = self._keys.get(armature, self._whole)
                if known is not None and known.curves is not None:
                    return self._between(known.curves.times())
                if self._turns_along_chords(keys):
                    return self._between(keys)
                if known is None or not known.stepped(skeleton.names, len(keys)).any():
                    return self.frames
                return np.union1d(self.frames, keys[1:] - JUST_BEFORE)
            case _:
                return self.frames

    def _turns_along_chords(self, keys: NDArray[np.float64]) -> bool:
        """Whether an importer's turns between keys (K,) that are frames apart go along chords."""
        if not isinstance(self._options, Resampled) or self._options.sampling is not Sampling.CHORD:
            return False
        return bool((np.diff(keys) > 1).any())

    def _between(self, keys: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return keys (K,), frames just before them, and so many between that lines from one to the next are as
        good as splines and chords.
        """
        first, last = self.frames[[0, -1]]
        between = np.arange(first, last, 1 / OF_A_SPLINE)
        found = np.unique(np.concatenate((between, self.frames, keys, keys - JUST_BEFORE)))
        return found[(first <= found) & (found <= last)]

    def _written(self, armature: str, skeleton: Skeleton, to_root: NDArray[np.float64]) -> FbxClip | UsdClip:
        if isinstance(self._options, FbxOptions):
            shown, simplify = self._shown.get(armature), self._options.simplify_factor
            return FbxClip.of(skeleton, to_root, self.frames, simplify, shown=shown)
        holds = bpy.app.version >= USD_HOLDS_SCALES
        return UsdClip.of(skeleton, to_root, self.frames, holds_scales=holds)


def _range_and_step(start: float, end: float, options: ThinningOptions) -> tuple[float, float, float]:
    match options:
        case FbxOptions():
            return start, end, options.step
        case Resampled():
            return _range_and_step(start, end, options.file)
        case GltfOptions():
            # Its exporter knows whole frames only.
            return float(int(start)), float(int(end)), float(options.frame_step)
        case _:
            return start, end, 1.0


ClipsInFiles = Mapping[ThinningOptions | None, ClipInFile]
"""A clip by the options that leave out keys of it."""
