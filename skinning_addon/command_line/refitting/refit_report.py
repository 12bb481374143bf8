"""What `skinscope refit` says: a line for each character, and figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import bpy

from ...core.profiles.profile import Profile
from ...core.text.printable import printable_lines
from ...measurement.profiles.game_ready import GameReadyCopy
from ...measurement.refit.fit_sentences import (
    apart_sentences,
    clip_bone_sentence,
    drift_sentences,
    fit_sentence,
    pose_sentence,
    tolerance_sentence,
)
from ...measurement.refit.refit import Refit
from ...measurement.refit.tangent_frames import told_turned, turned_sentence
from ...scene.identification import object_of
from ...scene.matrices import largest_scale, row_vectors
from ...scene.refit.plan import CopiedBone, CopyPlan

VERSION = 1

NOTICED = 1e-6
"""A loss of shear below this, in armature units, is rounding."""


def told(
    copies: Sequence[GameReadyCopy],
    fits: Mapping[str, Refit],
    profile: Profile,
    left_out: Sequence[str] = (),
) -> list[str]:
    """Return lines about the copies. left_out: names of armatures that are copies already."""
    lines: list[str] = []
    for one in copies:
        lines.append(f"{one.sentence(profile)}.")
        lines += [f"{said}." for said in (one.uncounted, one.left) if said]
        turned = turned_sentence(one.turned)
        lines += [f"{turned}."] if turned else []
        metres = metres_of(object_of(one.plan.plan.armature))
        fit = fits[one.plan.plan.armature]
        lines.append(f"{fit_sentence(fit, metres)}.")
        lines += [f"{said}." for said in apart_sentences(fit)]
        lines += [f"{said}." for said in drift_sentences(fit, metres)]
        more = (sentence(fit, metres) for sentence in (clip_bone_sentence, pose_sentence, tolerance_sentence))
        lines += [f"{said}." for said in more if said]
    if left_out:
        names = ", ".join(f"'{one}'" for one in left_out)
        lines.append(f"Game-ready copies that were there already are not copied: {names}.")
    return lines


def printed(lines: Sequence[str], output: str) -> str:
    """Return lines as they are printed. output: the file that was written."""
    return printable_lines("\n".join([*lines, f"Written to '{output}'."])) + "\n"


def metres_of(armature: bpy.types.Object) -> float:
    """Return how many metres an armature object's unit is."""
    return bpy.context.scene.unit_settings.scale_length * largest_scale(row_vectors(armature.matrix_world))


def report_of(
    copies: Sequence[GameReadyCopy],
    fits: Mapping[str, Refit],
    profile: Profile,
    file: str,
    output: str,
    *,
    left_out: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the report. Distances are in metres, those of bones in their armature's unit;
    angles in degrees. left_out: see `told`. notes: about the file, in sentences.
    """
    return (
        json.dumps(
            {
                "version": VERSION,
                "file": file,
                "profile": profile.id,
                "output": output,
                "left_out": list(left_out),
                "file_notes": list(notes),
                "copies": [_entry(one, fits[one.plan.plan.armature]) for one in copies],
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _entry(copy: GameReadyCopy, fit: Refit) -> dict[str, object]:
    plan = copy.plan.plan
    sheared = [
        {"bone": bone.name, "error": float(error)}
        for bone, error in zip(plan.bones, copy.plan.errors, strict=True)
        if error > NOTICED
    ]
    return {
        "armature": plan.armature,
        "collection": copy.collection,
        "bones": [{"name": bone.name, "parent": bone.parent} for bone in plan.bones],
        "meshes": [mesh.object for mesh in plan.meshes],
        "clips": [clip.name for clip in plan.clips],
        "kind": fit.kind,
        "note": plan.note,
        "tolerance": fit.tolerance,
        "reached": fit.reached,
        "drifts": [asdict(one) for one in fit.drifts],
        "anchored": list(fit.anchored),
        "before": copy.before,
        "moved": copy.moved,
        "after": copy.after,
        **told_turned(copy.turned),
        "parts": [{"part": one.part, "before": one.before, "after": one.after} for one in copy.parts],
        "fits": [asdict(mesh) for mesh in fit.meshes],
        "helpers": [_helper(bone, plan, fit) for bone in plan.bones if bone.drivers],
        "rejected_helpers": fit.rejected_helpers,
        "sheared": sorted(sheared, key=lambda one: -float(str(one["error"]))),
    }


def _helper(helper: CopiedBone, plan: CopyPlan, fit: Refit) -> dict[str, object]:
    """Return all that an engine needs to move a helper bone, see docs/refit.md."""
    rest = {bone.name: bone.rest_to_root.tolist() for bone in plan.bones}
    return {
        "name": helper.name,
        "rest_to_root": rest[helper.name],
        "parent": helper.parent,
        "parent_rest_to_root": None if helper.parent is None else rest[helper.parent],
        "blend": "dual quaternions" if helper.drivers.keep_volume else "matrices",
        "drivers": [
            {"bone": name, "share": share, "rest_to_root": rest[name]}
            for name, share in helper.drivers.shares
        ],
        "clip_bone": fit.clip_bones.get(helper.name),
    }
