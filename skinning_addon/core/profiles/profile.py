"""A profile: the stages between Blender's weights and an engine's vertex shader, in order.

exporter -> file -> importer -> weights -> hierarchy -> palette -> shader

Each field of a stage is a key of that table in a profile's file; its type, with `_from_to` or `_one_of` if
needed, defines the allowed values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from ..skinning.normals import Normals
from .export_options import (
    ExportOptions,
    FbxOptions,
    GltfOptions,
    Resampled,
    Sampling,
    ThinningOptions,
    UsdOptions,
)
from .hierarchy import HierarchyRule
from .influence_limit import Keep, Normalise
from .verification import Verification
from .weight_quantisation import Rounding, WeightFormat

BLENDER_ID = "blender"

MOST_INFLUENCES = 255
"""The most that any engine stores per vertex (Unity)."""

MOST_ENTRIES = 65536

DIRECTIONS = ("X", "-X", "Y", "-Y", "Z", "-Z")

FROM_TO, ONE_OF = "from to", "one of"
"""Keys of a field's metadata: the smallest and largest number allowed in a file, or the allowed words."""

_Value = TypeVar("_Value")


def _from_to(smallest: float, largest: float, default: _Value) -> _Value:
    return field(default=default, metadata={FROM_TO: (smallest, largest)})


def _one_of(words: tuple[str, ...], default: str) -> str:
    return field(default=default, metadata={ONE_OF: words})


class Group(Enum):
    """A profile's section in menus."""

    BLENDER = "blender"
    ENGINE = "engine"
    HISTORIC = "historic"


class FileFormat(Enum):
    """Which of Blender's exporters writes the file."""

    NONE = "none"
    """No file: the weights as Blender itself deforms with them."""
    GLTF = "gltf"
    FBX = "fbx"
    USD = "usd"


_DEFAULT_OPTIONS = {
    FileFormat.NONE: None,
    FileFormat.GLTF: GltfOptions(),
    FileFormat.FBX: FbxOptions(),
    FileFormat.USD: UsdOptions(),
}


class AllZero(Enum):
    """What an importer does with a vertex whose weights are all zero."""

    REST = "rest"
    """It stays in its rest position."""
    FIRST_JOINT = "first-joint"
    """It is given to the skin's first joint."""
    ORIGIN = "origin"
    """Its weights stay zero, so it ends up at the origin."""


class QuantiseWhen(Enum):
    BEFORE_NORMALISING = "before-normalising"
    AFTER_NORMALISING = "after-normalising"


class Beyond(Enum):
    """What happens to joints that don't fit in a palette."""

    SPLIT = "split"
    """The mesh is drawn in several calls, each with a palette of its own."""
    REST = "rest"
    """The shader leaves every vertex that uses one of them at rest."""


class Unmoved(Enum):
    """What the shader does with a vertex without influences."""

    REST = "rest"
    """It is drawn in its rest position."""
    NOT_DRAWN = "not-drawn"
    """Its homogeneous position is an empty sum, (0, 0, 0, 0), so it is off the screen."""


class ShaderBlend(Enum):
    LINEAR = "linear"
    BLENDER = "blender"
    """As set on the armature modifier: linear, or with Preserve Volume."""
    DUAL_QUATERNION = "dual-quaternion"
    """Dual quaternions as published, whatever the modifier's setting: rigid motions, without scale and
    shear."""


class ShaderNormalise(Enum):
    """What divides by the sum of the weights, if it is not one."""

    NEVER = "never"
    """Nothing: the vertex is pulled towards the origin, or pushed away from it."""
    HOMOGENEOUS = "homogeneous"
    """The perspective divide: the sum is the fourth coordinate."""
    SHADER = "shader"


class MeshMotion(Enum):
    """Where a file has a skinned mesh relative to its armature, whose joints alone move it there."""

    KEPT = "kept"
    """Where it is at each frame."""
    FRAME_0 = "frame-0"
    """Where it is at frame 0, to which Blender's glTF exporter goes to write meshes."""
    FIRST_FRAME = "first-frame"
    """Where it is at the first frame that is exported, as USD does."""
    CURRENT_FRAME = "current-frame"
    """Where it is at the frame that the scene shows during the export."""


class Origin(Enum):
    """The space in which the shader blends; weights that do not add up to one pull towards its origin."""

    ARMATURE = "armature"
    WORLD = "world"


@dataclass(frozen=True)
class Exporter:
    """influences: the most per vertex, None for all. deform_bones_only: whether other bones are left out of
    the file.
    """

    format: FileFormat = FileFormat.NONE
    influences: int | None = _from_to(1, MOST_INFLUENCES, None)
    deform_bones_only: bool = False

    @property
    def keeps_ancestors(self) -> bool:
        """Whether a bone that is in the file has all of its ancestors there, deforming or not."""
        return self.format in (FileFormat.FBX, FileFormat.USD)


@dataclass(frozen=True)
class Importer:
    """influences: the most per vertex, None for all. minimum_weight: influences of this weight or less are
    dropped. bones_by_name: bones are found by their names alone. node_transform: skinned vertices are moved
    with their node too. below_armature: only meshes below their armature's node are placed right. node_keys: a
    skinned mesh moves by keys of its own node too. joint_number_bits: how much is kept of a joint's number in
    the file. samples_per_second: of animation, 0 if keys are played as they are. sampling: what plays of them.
    """

    influences: int | None = _from_to(1, MOST_INFLUENCES, None)
    keep: Keep = Keep.LARGEST
    minimum_weight: float = _from_to(0, 1, 0.0)
    normalise: Normalise = Normalise.NEVER
    all_zero: AllZero = AllZero.REST
    bones_by_name: bool = False
    node_transform: bool = False
    below_armature: bool = False
    node_keys: bool = False
    joint_number_bits: int = _from_to(8, 32, 32)
    samples_per_second: float = _from_to(0, 1000, 0.0)
    sampling: Sampling = Sampling.LOCAL

    @property
    def plays_otherwise(self) -> bool:
        """Whether it plays the keys of a .glb otherwise than glTF wants."""
        return self.samples_per_second > 0 or self.sampling is Sampling.CHORD


@dataclass(frozen=True)
class StoredWeights:
    """last_implied: a vertex's last weight is not stored, but is one minus the others."""

    format: WeightFormat = WeightFormat.F32
    rounding: Rounding = Rounding.NEAREST
    quantise: QuantiseWhen = QuantiseWhen.AFTER_NORMALISING
    last_implied: bool = False


@dataclass(frozen=True)
class PaletteLimits:
    """index_bits: width of a joint index. entries: joints per draw call, None for any. rows: rows of four
    numbers per joint. beyond: what happens to joints beyond `entries`.
    """

    index_bits: int = _from_to(8, 32, 32)
    entries: int | None = _from_to(1, MOST_ENTRIES, None)
    rows: int = _from_to(3, 4, 4)
    beyond: Beyond = Beyond.SPLIT

    @property
    def split_at(self) -> int | None:
        """The most joints per draw call before a mesh is split; None if it is never split."""
        return self.entries if self.beyond is Beyond.SPLIT else None

    @property
    def rest_at(self) -> int | None:
        """The first joint number whose vertices stay at rest; None if there is no such number."""
        return self.entries if self.beyond is Beyond.REST else None


@dataclass(frozen=True)
class Shader:
    blend: ShaderBlend = ShaderBlend.LINEAR
    normalise: ShaderNormalise = ShaderNormalise.SHADER
    origin: Origin = Origin.ARMATURE
    normals: Normals = Normals.MATRIX
    unmoved: Unmoved = Unmoved.REST


class CountingArmature(Enum):
    """Which of a mesh's armatures is in the file, where one alone is."""

    LAST = "last"
    FIRST = "first"
    PARENT = "parent"
    """The one that the mesh is a child of; the last if that isn't one of them."""


@dataclass(frozen=True)
class Lost:
    """Parts of Blender's deformation that are lost.

    bendy_bones: they move as one piece. envelopes: groups alone count. masks: a modifier's vertex group is
    ignored.
    earlier_armatures: only one Armature modifier counts. counting_armature: which. non_deform_bones: their
    Deform option is lost, so they deform the mesh if it has groups of their names. skins_on_bones: a mesh
    parented to a bone follows that bone rigidly, whatever its Armature modifier does. mesh_motion: how a mesh
    that moves relative to its armature is held still.
    """

    bendy_bones: bool = False
    envelopes: bool = False
    masks: bool = False
    earlier_armatures: bool = False
    counting_armature: CountingArmature = CountingArmature.LAST
    non_deform_bones: bool = False
    skins_on_bones: bool = False
    mesh_motion: MeshMotion = MeshMotion.KEPT


@dataclass(frozen=True)
class Axes:
    """The engine's axes: a Blender character, facing -Y with Z up, faces `forward` with `up` up. unit:
    metres.
    """

    up: str = _one_of(DIRECTIONS, "Z")
    forward: str = _one_of(DIRECTIONS, "-Y")
    handedness: str = _one_of(("left", "right"), "right")
    unit: float = _from_to(1e-6, 1e6, 1.0)


@dataclass(frozen=True)
class Profile:
    """id: the file's name. version: the engine version it was read from. sources: where. unchecked: what the
    sources did not say. verified: what was compared with another program. file: the file it was read from; None
    for Blender's own. exported_with: options of Blender's exporter; None for its defaults. exporter_settings:
    those that a user chose, by the exporter's own names (`exporter_settings.exported_so`); the fields already
    reflect them.
    """

    id: str
    label: str
    group: Group
    version: str
    sources: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    exporter: Exporter = field(default_factory=Exporter)
    importer: Importer = field(default_factory=Importer)
    weights: StoredWeights = field(default_factory=StoredWeights)
    hierarchy: HierarchyRule = HierarchyRule.MATRICES
    palette: PaletteLimits = field(default_factory=PaletteLimits)
    shader: Shader = field(default_factory=Shader)
    lost: Lost = field(default_factory=Lost)
    axes: Axes = field(default_factory=Axes)
    verified: Verification = field(default_factory=Verification)
    file: Path | None = None
    exported_with: ExportOptions | None = None
    exporter_settings: tuple[tuple[str, object], ...] = ()

    @property
    def is_blender(self) -> bool:
        """Whether this is Blender's own, lossless profile."""
        return self.group is Group.BLENDER

    @cached_property
    def export_options(self) -> ExportOptions | None:
        """The exporter's options; None if there is no file."""
        return self.exported_with or _DEFAULT_OPTIONS[self.exporter.format]

    @cached_property
    def thinned_by(self) -> ThinningOptions | None:
        """The options with which keys of the animation are left out on the way; None if all get there."""
        options = self.export_options
        if isinstance(options, UsdOptions) and self.hierarchy is not HierarchyRule.USD:
            return None
        importer = self.importer
        if isinstance(options, GltfOptions) and importer.plays_otherwise:
            return Resampled(options, importer.samples_per_second, importer.sampling)
        return options if options is not None and options.thins else None

    @property
    def poses_as_blender(self) -> bool:
        """Whether every bone is where Blender has it."""
        return self.hierarchy is HierarchyRule.MATRICES and self.thinned_by is None

    @property
    def stages(self) -> tuple[object, ...]:
        """Everything that affects a skin: two engine profiles that agree here skin every mesh alike, whatever
        their names.
        """
        return (
            self.exporter,
            self.importer,
            self.weights,
            self.hierarchy,
            self.palette,
            self.shader,
            self.lost,
            self.thinned_by,
        )


BLENDER = Profile(
    id=BLENDER_ID,
    label="Blender",
    group=Group.BLENDER,
    version="4.2 to 5.2",
    sources=("Blender's own evaluated mesh",),
    shader=Shader(ShaderBlend.BLENDER, ShaderNormalise.SHADER, normals=Normals.COFACTORS),
)
"""Exactly as in Blender. Other profiles differ from it only in what they state."""
