"""What engines get wrong in these files, and why; tests keep it true, and RESULTS.md lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EngineFinding:
    """engine, model: where. why: what the engine does, and where in its source. known: where its maintainers
    discuss it.
    """

    engine: str
    model: str
    why: str
    known: str = ""


MESH_NODE_CANCELLED = (
    "multiplies skinned vertices by the inverse of the mesh node's global matrix, so that the node's "
    "transform cancels out; a node below a joint of scale zero has no inverse, and the whole skin vanishes"
)
BONES_BY_NAME = (
    "finds a skin's bones by name from the root down (`SkinInstance.resolve`), so that the first node of "
    "that name is taken"
)

SKIN_OF_THE_MESH = "https://github.com/playcanvas/engine/issues/9367"
NODE_MOVES_SKIN = "moves the skinned vertices by the transform of the node that shows the mesh"
FIRST_SKIN_ALONE = "ties every mesh to the first skin of the file"
ONE_SET = (
    "keeps the last set of joints and weights that it reads, and not the first, which has the largest weights"
)
MORPHS_OF_THE_MESH = "reads the morph weights of the mesh, never those of the node."
CUT_OFF = (
    "keeps 16 bits of each weight, cut off rather than rounded: the sum of up to eight of them is short by up to "
    "0.0001, which pulls vertices toward the origin by little more than the tolerance"
)
NO_MORPHS = "knows no morph targets"

FINDINGS = (
    EngineFinding(
        "threejs",
        "SkinScaledToZero",
        f"{MESH_NODE_CANCELLED} (`SkinnedMesh.updateMatrixWorld`).",
        "https://github.com/mrdoob/three.js/issues/24018",
    ),
    EngineFinding(
        "babylonjs",
        "SkinCubic",
        "adds a copy of the first key, with its tangents, at 0 s (`AnimationGroup.normalize`); before the "
        "first key of a cubic spline the joint therefore follows the out-tangent and comes back, instead of "
        "holding still.",
    ),
    EngineFinding(
        "babylonjs",
        "SkinSkeletonTooLow",
        "hangs the mesh from the parent of `skeleton`, which here is a joint of the skin, so that its turn "
        "counts twice. The file breaks a rule; other engines ignore `skeleton`.",
    ),
    EngineFinding(
        "playcanvas",
        "SkinInstanced",
        "keeps the skin with the mesh (`mesh.skin`), so that every node that shows the mesh has the skin of "
        "the last one.",
        SKIN_OF_THE_MESH,
    ),
    EngineFinding("playcanvas", "SkinSameNames", f"{BONES_BY_NAME}.", SKIN_OF_THE_MESH),
    EngineFinding("playcanvas", "SkinNamedLikeJoint", f"{BONES_BY_NAME}, joint or not."),
    EngineFinding("playcanvas", "SkinScaledToZero", f"{MESH_NODE_CANCELLED}."),
    EngineFinding("playcanvas", "SkinMorphDefault", MORPHS_OF_THE_MESH),
    EngineFinding(
        "raylib", "SkinSparsePositions", "reads the buffer view alone, without its sparse elements."
    ),
    EngineFinding("raylib", "SkinSparseWeights", "crashes where an accessor has no buffer view."),
    EngineFinding("raylib", "SkinRotationShort", "plays only float keys: the ribbon stays as it was bound."),
    EngineFinding("raylib", "SkinSharedSkeleton", f"{FIRST_SKIN_ALONE}."),
    EngineFinding("raylib", "SkinNestedSkeletons", f"{FIRST_SKIN_ALONE}."),
    EngineFinding("raylib", "SkinInstanced", f"{FIRST_SKIN_ALONE}."),
    EngineFinding("raylib", "SkinSameNames", f"{FIRST_SKIN_ALONE}."),
    EngineFinding("raylib", "SkinUnnamed", f"{FIRST_SKIN_ALONE}."),
    EngineFinding(
        "raylib",
        "SkinNodesBetween",
        "takes a joint for a root unless its parent node is a joint itself, and loses what lies between.",
    ),
    EngineFinding("raylib", "SkinMeshUnderJoint", f"{NODE_MOVES_SKIN}, here as it rests."),
    EngineFinding("raylib", "SkinNodeMoved", f"{NODE_MOVES_SKIN}."),
    EngineFinding("raylib", "SkinNodeScaled", f"{NODE_MOVES_SKIN}."),
    EngineFinding("raylib", "SkinScaledToZero", f"{NODE_MOVES_SKIN}, here as it rests."),
    EngineFinding("raylib", "SkinRootMoved", "does not play the keys of a node above the joints."),
    EngineFinding(
        "raylib",
        "SkinShear",
        "multiplies scales component by component down the hierarchy, which can't shear.",
    ),
    EngineFinding(
        "raylib",
        "SkinJointOrder",
        "joins poses in the order of `skin.joints`, where parents have to come first.",
    ),
    EngineFinding(
        "raylib", "SkinManyJoints", "keeps eight bits of a joint's number: joint 256 is joint 0 again."
    ),
    EngineFinding("raylib", "SkinMatrices", "overlooks `matrix`: the joint has no transform."),
    EngineFinding(
        "raylib",
        "SkinNoInverseBind",
        "binds joints as their nodes rest and never reads inverse bind matrices.",
    ),
    EngineFinding(
        "raylib",
        "SkinStep",
        "makes 60 poses a second, the last of them before the last key, whose step never comes.",
    ),
    EngineFinding("raylib", "SkinCubic", "drops the fourth component of a rotation's tangents."),
    EngineFinding("raylib", "SkinMorph", f"{NO_MORPHS}."),
    EngineFinding("raylib", "SkinMorphKeysAlone", f"{NO_MORPHS}."),
    EngineFinding("raylib", "SkinMorphDefault", f"{NO_MORPHS}."),
    EngineFinding("raylib", "SkinFiveInfluences", f"{ONE_SET}."),
    EngineFinding("raylib", "SkinNineInfluences", f"{ONE_SET}."),
    EngineFinding(
        "godot4",
        "SkinNegativeScale",
        "takes a bone's mirrored transform apart as three negative scales and another rotation "
        "(`Basis.get_scale`), and then plays keys of the rotation alone.",
    ),
    EngineFinding(
        "godot4",
        "SkinCubic",
        "bakes cubic splines into other curves: `_interpolate_track` takes tangents for the handles of a Bézier "
        "curve.",
    ),
    EngineFinding("godot4", "SkinMorphDefault", MORPHS_OF_THE_MESH),
    EngineFinding("godot4", "SkinFiveInfluences", f"{CUT_OFF}."),
    EngineFinding("godot4", "SkinNineInfluences", f"{CUT_OFF}, and eight of the nine."),
    EngineFinding("vtk", "SkinSparsePositions", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinSparseWeights", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinSparseKeys", "knows no sparse accessors: the file is refused."),
    EngineFinding("vtk", "SkinNoInverseBind", "crashes where a skin has no inverse bind matrices."),
    EngineFinding("vtk", "SkinMorphKeysAlone", "crashes where a mesh with morph targets has no `weights`."),
    EngineFinding("vtk", "SkinScaledToZero", f"{MESH_NODE_CANCELLED}."),
    EngineFinding(
        "vtk",
        "SkinPrimitives",
        "shows the last primitive of a mesh in place of all its others from the second time step on.",
    ),
    EngineFinding(
        "blender",
        "SkinCubic",
        "drops the tangents of cubic splines: its importer sets the handles of such keys to automatic "
        "(`animation_utils.make_fcurve`).",
    ),
    EngineFinding(
        "blender",
        "SkinJointTwice",
        "keeps the last of two weights of the same vertex group. The file breaks a rule.",
    ),
)


def wrong_models(engine: str) -> set[str]:
    """Return the models that an engine gets wrong."""
    return {one.model for one in FINDINGS if one.engine == engine}
