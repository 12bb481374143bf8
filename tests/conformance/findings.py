"""What engines get wrong in these files, and why: held true by tests, and written into RESULTS.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineFinding:
    """engine, model: where. why: what the engine does; what a reader needs to find it in the engine's source."""

    engine: str
    model: str
    why: str


MESH_NODE_CANCELLED = (
    "multiplies skinned vertices by the inverse of the mesh node's global matrix, so that the node's transform "
    "cancels out; a node below a joint of scale zero has no inverse, and the whole skin vanishes"
)
BONES_BY_NAME = (
    "finds a skin's bones by name from the root down (`SkinInstance.resolve`), so that the first node of that name "
    "is taken"
)

FINDINGS = (
    EngineFinding("threejs", "SkinScaledToZero", f"{MESH_NODE_CANCELLED} (`SkinnedMesh.updateMatrixWorld`)."),
    EngineFinding(
        "babylonjs",
        "SkinCubic",
        "adds a copy of the first key, with its tangents, at 0 s (`AnimationGroup.normalize`); before the first key "
        "of a cubic spline the joint therefore follows the out-tangent and comes back, instead of holding still.",
    ),
    EngineFinding(
        "babylonjs",
        "SkinSkeletonTooLow",
        "hangs the mesh from the parent of `skeleton`, which here is a joint of the skin, so that its turn counts "
        "twice. The file breaks a rule; other engines ignore `skeleton`.",
    ),
    EngineFinding(
        "playcanvas",
        "SkinInstanced",
        "keeps the skin with the mesh (`mesh.skin`), so that every node that shows the mesh has the skin of the last "
        "one.",
    ),
    EngineFinding("playcanvas", "SkinSameNames", f"{BONES_BY_NAME}."),
    EngineFinding("playcanvas", "SkinNamedLikeJoint", f"{BONES_BY_NAME}, joint or not."),
    EngineFinding("playcanvas", "SkinScaledToZero", f"{MESH_NODE_CANCELLED}."),
    EngineFinding(
        "playcanvas", "SkinMorphDefault", "reads the morph weights of the mesh, never those of the node."
    ),
    EngineFinding("vtk", "SkinSparsePositions", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinSparseWeights", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinSparseKeys", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinNoInverseBind", "crashes."),
    EngineFinding("vtk", "SkinScaledToZero", f"{MESH_NODE_CANCELLED}."),
    EngineFinding(
        "vtk",
        "SkinPrimitives",
        "shows the last primitive of a mesh in place of all its others from the second time step on.",
    ),
)


def wrong_models(engine: str) -> set[str]:
    """Return the models that an engine gets wrong."""
    return {one.model for one in FINDINGS if one.engine == engine}
