"""What `export` writes about one mesh, as arrays by name: its skin, and its state at every frame.

docs/export-format.md describes the keys. Row vectors, as everywhere here; positions and normals are in mesh
space.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...core.skinning.joints import Joints
from ...core.skinning.passes import Pass
from ...core.skinning.skeleton import Skeleton
from ...core.text.message import Message
from ..frame.engine_normals import EngineNormals
from ..frame.measured_run import Measurement
from ..frame.sample import Sample
from .engine_buffers import Arrays, EngineBuffers, drawn_arrays, packed_arrays, packed_palette

JOINT_BONES = "joint_bones"


class MeshBundle:
    """Collects the frames of one mesh.

    problem: why the mesh can't be exported, a sentence; empty if it can.
    """

    def __init__(
        self, binding: Binding, first: Measurement, buffers: EngineBuffers, profile: Profile
    ) -> None:
        """binding, first, buffers: of the first frame, whose skin is the one written. profile: to skin
        with.
        """
        self.binding = binding
        self._profile = profile
        self._normals = EngineNormals(profile)
        self.passes = first.frame.chain
        self.problem = ""
        self._skin = _skin_arrays(binding, first, buffers, profile)
        self._clips: list[str] = []
        self._frames: list[float] = []
        self._columns: defaultdict[str, list[NDArray[np.generic]]] = defaultdict(list)
        self._inputs_differ = False

    def add(self, sample: Sample, binding: Binding) -> None:
        """Add a frame. binding: the one at that frame; the mesh may have been bound again since the first."""
        if self.problem:
            return
        measurement = sample.measurement
        if not _same_skin(self.passes, measurement.frame.chain):
            self.problem = Message(
                "'{mesh}' is left out: at frame {frame:g} its weights or its blending are no longer those "
                "of the first frame (settings are animated, or envelopes and bendy bones weight it by "
                "position), and a skin can only store one set.",
                mesh=sample.mesh,
                frame=sample.frame,
            )
            self._columns.clear()
            return
        self._inputs_differ |= not np.array_equal(binding.mesh.positions, self._skin["positions"])
        self._clips.append(sample.playback.name)
        self._frames.append(sample.frame)
        arrays = _frame_arrays(measurement, binding, self._profile)
        true = measurement.skinned.normals
        arrays["skinned_normals"] = self._normals.of((measurement.frame,), binding.mesh, true[None])[0]
        if not self._normals.are_true:
            arrays["cofactor_normals"] = true
        for name, values in arrays.items():
            self._columns[name].append(values)

    def skin_arrays(self, *, with_bones: bool) -> Arrays:
        """Return what does not change from frame to frame. with_bones: whether the skeletons that joints
        refer to are written.
        """
        return {
            name: values
            for name, values in self._skin.items()
            if with_bones or not name.endswith(JOINT_BONES)
        }

    def frame_arrays(self) -> Arrays:
        """Return what changes from frame to frame, frames along the first axis."""
        arrays: Arrays = {"clip": np.array(self._clips, dtype=np.str_), "frames": np.array(self._frames)}
        arrays |= {name: np.stack(values) for name, values in self._columns.items()}
        if not self._inputs_differ:
            del arrays["input_positions"], arrays["input_normals"]
        return arrays


def joint_names(skeleton: Skeleton, joints: Joints) -> NDArray[np.str_]:
    """Name each joint after its bone, segments of bendy bones with their number: 'spine[2]'. Joint 0 is '',
    and the joint for weights that sum to less than one is '(origin)'.
    """
    bendy = set(joints.bendy.tolist())
    return np.array(
        [
            ("" if bone == -1 else "(origin)")
            if bone < 0
            else f"{skeleton.names[bone]}[{segment}]"
            if joint in bendy
            else skeleton.names[bone]
            for joint, (bone, segment) in enumerate(
                zip(joints.bone.tolist(), joints.segment.tolist(), strict=True)
            )
        ],
        dtype=np.str_,
    )


def joint_parents(skeleton: Skeleton, joints: Joints) -> NDArray[np.int32]:
    """Return the joint of the nearest ancestor that has one, -1 if none has: only bones with weight are
    joints.
    """
    first_joint = {
        bone: joint for joint, bone in reversed(list(enumerate(joints.bone.tolist()))) if bone >= 0
    }
    parents = []
    for bone in joints.bone.tolist():
        ancestor = skeleton.parents[bone] if bone >= 0 else -1
        while ancestor >= 0 and ancestor not in first_joint:
            ancestor = skeleton.parents[ancestor]
        parents.append(first_joint.get(int(ancestor), -1))
    return np.array(parents, dtype=np.int32)


def _skin_arrays(binding: Binding, first: Measurement, buffers: EngineBuffers, profile: Profile) -> Arrays:
    mesh = binding.mesh
    arrays: Arrays = {"positions": mesh.positions, "normals": mesh.normals, "triangles": mesh.triangles}
    arrays |= drawn_arrays(buffers.drawn)
    chain = zip(first.frame.chain, first.frame.passes, buffers.stored, strict=True)
    for index, (one, posed, stored) in enumerate(chain):
        skeleton = binding.skeletons[one.armature]
        skin = one.skin.normalised()
        of_pass: Arrays = {
            "starts": skin.starts,
            "joints": skin.joints,
            "weights": skin.weights,
            "joint_names": joint_names(skeleton, posed.joints),
            JOINT_BONES: np.maximum(posed.joints.bone, -1),
            "parents": joint_parents(skeleton, posed.joints),
            "rest_to_root": posed.joints.rest_to_root,
            "offset": posed.joints.offset,
        }
        of_pass |= packed_arrays(one, stored, profile, mesh)
        if one.amount is not None:
            of_pass["amount"] = one.amount
        arrays |= _of_pass(index, of_pass)
    return arrays


def _frame_arrays(measurement: Measurement, binding: Binding, profile: Profile) -> Arrays:
    arrays: Arrays = {"mesh_to_world": measurement.frame.mesh_to_world}
    for index, posed in enumerate(measurement.frame.passes):
        of_pass: Arrays = {
            "mesh_to_root": posed.mesh_to_root,
            "to_root": posed.pose.to_root,
            "final": posed.final.final,
            "palette": packed_palette(posed.final, profile),
        }
        arrays |= _of_pass(index, of_pass)
    return arrays | {
        "skinned_positions": measurement.skinned.positions,
        "blender_positions": measurement.blender.positions,
        "blender_normals": measurement.blender.normals,
        "input_positions": binding.mesh.positions,
        "input_normals": binding.mesh.normals,
    }


def _of_pass(index: int, arrays: Mapping[str, NDArray[np.generic]]) -> Arrays:
    """Prefix the arrays of all passes but the first with their pass number."""
    prefix = f"pass_{index + 1}_" if index else ""
    return {f"{prefix}{name}": values for name, values in arrays.items()}


def _same_skin(one: tuple[Pass, ...], other: tuple[Pass, ...]) -> bool:
    """Whether two chains, bound at two frames, are written identically: everything in a pass except where its
    joints stand.
    """
    if one is other:
        return True
    return len(one) == len(other) and all(_same_pass(a, b) for a, b in zip(one, other, strict=True))


def _same_pass(one: Pass, other: Pass) -> bool:
    if (one.armature, one.blend, one.input) != (other.armature, other.blend, other.input):
        return False
    if (one.amount is None) != (other.amount is None):
        return False
    pairs = [
        (one.joints.bone, other.joints.bone),
        (one.joints.rest_to_root, other.joints.rest_to_root),
    ]
    if one.skin is not other.skin:
        pairs += [
            (one.skin.starts, other.skin.starts),
            (one.skin.joints, other.skin.joints),
            (one.skin.weights, other.skin.weights),
        ]
    if one.amount is not None and other.amount is not None:
        pairs.append((one.amount, other.amount))
    return all(np.array_equal(a, b) for a, b in pairs)
