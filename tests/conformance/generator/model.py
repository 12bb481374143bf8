"""Descriptions of models: how to make one, what the specification says about it, and the right outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.conformance.generator.document import Document
from tests.conformance.judge.reading import BY_SPECIFICATION, Reading

SPECIFICATION = "https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html"

REQUIRED, OPTIONAL, UNDEFINED = "required", "optional", "undefined"

TIMES = (0.5, 1.5, 2.0, 3.5)
"""In seconds: before the first of the usual keys, halfway between two, at one, and after the last. Halfway,
normalized linear interpolation of quaternions, which the specification permits, equals the spherical one.
"""
TOLERANCE = 1e-4
"""In meters: how far 32-bit floats and 16-bit weights may be off in models some three meters tall."""


@dataclass(frozen=True)
class Clause:
    """A section of the specification. anchor: in its HTML page."""

    section: str
    title: str
    anchor: str


OVERVIEW_OF_SKINS = Clause("3.7.3.1", "Skins: Overview", "skins-overview")
JOINT_HIERARCHY = Clause("3.7.3.2", "Joint Hierarchy", "joint-hierarchy")
SKINNED_ATTRIBUTES = Clause("3.7.3.3", "Skinned Mesh Attributes", "skinned-mesh-attributes")
INVERSE_BINDS = Clause("5.28.1", "skin.inverseBindMatrices", "reference-skin")
SKELETON = Clause("5.28.2", "skin.skeleton", "reference-skin")
SPARSE = Clause("3.6.2.3", "Sparse Accessors", "sparse-accessors")
ALIGNMENT = Clause("3.6.2.4", "Data Alignment", "data-alignment")
BUFFERS = Clause("3.6.1.1", "Buffers and Buffer Views: Overview", "buffers-and-buffer-views-overview")
GLB_BUFFER = Clause("3.6.1.2", "GLB-stored Buffer", "glb-stored-buffer")
TRANSFORMATIONS = Clause("3.5.3", "Transformations", "transformations")
NAMES = Clause("3.3", "Indices and Names", "indices-and-names")
MESHES = Clause("3.7.2.1", "Meshes: Overview", "meshes-overview")
MORPH_TARGETS = Clause("3.7.2.2", "Morph Targets", "morph-targets")
INSTANTIATION = Clause("3.7.4", "Instantiation", "instantiation")
ANIMATIONS = Clause("3.11", "Animations", "animations")
STEP = Clause("C.2", "Step Interpolation", "appendix-c-interpolation")
SLERP = Clause("C.4", "Spherical Linear Interpolation", "interpolation-slerp")
CUBIC = Clause("C.5", "Cubic Spline Interpolation", "interpolation-cubic")

GLOBAL_TRANSFORMS = (
    "The global transformation matrix of a node is the product of the global transformation matrix of its "
    "parent node and its own local transformation matrix."
)
"""What the specification says, in its own words, about several models."""


@dataclass(frozen=True)
class Outcome:
    """An acceptable result. reading: how an engine arrives at it; None if it rejects the file."""

    name: str
    description: str
    reading: Reading | None = BY_SPECIFICATION


FORMULA = Outcome("specification", "The specification's formula over everything in the file.")
REFUSED = Outcome("refused", "The file is refused with an error, since it breaks a rule.", None)


@dataclass(frozen=True)
class Model:
    """name: of the model and its folder. rule: what the specification says, in its words. about: what is
    special in the file, and how an engine that overlooks it shows. container: as `files_of` takes it.
    """

    name: str
    title: str
    requirement: str
    clause: Clause
    rule: str
    about: str
    build: Callable[[], Document]
    outcomes: tuple[Outcome, ...] = (FORMULA,)
    times: tuple[float, ...] = TIMES
    tolerance: float = TOLERANCE
    container: str = "glTF"
