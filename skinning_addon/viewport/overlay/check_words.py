"""A check's verdict in words, for the panel and the 3D view."""

from __future__ import annotations

from ...core.profiles.verification import Evidence, Verification
from ...core.text.message import Message, about
from ...core.verdicts.cause_sentence import cause_of
from ...core.verdicts.verdict import Level
from ...measurement.profiles.profile_report import ProfileReport, short_profile_sentence
from ...scene.clips.playback import ScenePlayback
from ...scene.clips.range_of_motion import RangeOfMotion
from ..choices.profile_results import Check

STAGES = {
    "file": Message("File"),
    "import": Message("Import"),
    "playback": Message("Playback"),
    "skinning": Message("Skinning"),
}


def verdict_sentence(report: ProfileReport) -> Message:
    """Say in one sentence where a character is off most; names the mesh if several were checked."""
    sentence, mesh = short_profile_sentence(report), report.worst_mesh
    if mesh is None or mesh.worst.level is Level.SAME or not mesh.worst.bone:
        return sentence
    return about(mesh.mesh, sentence, of_several=len(report.meshes) > 1)


def cause_sentence(report: ProfileReport) -> Message | None:
    """Say why; None if nothing explains it."""
    cause = report.cause
    return None if cause is None else cause_of(cause)


def checked_when(check: Check) -> Message:
    """Say which frames were checked, and when: 'Frames 1 to 40, checked at 14:32'."""
    frames = check.report.frames
    count = sum(len(of_clip) for of_clip in frames.values())
    if not count:
        return Message("Checked at {clock}", clock=check.clock)
    if set(frames) == {RangeOfMotion.name}:
        return Message("Range of motion, {count} poses, checked at {clock}", count=count, clock=check.clock)
    if len(frames) > 1:
        return Message(
            "{clips} clips, {count} frames, checked at {clock}",
            clips=len(frames),
            count=count,
            clock=check.clock,
        )
    ((clip, of_clip),) = frames.items()
    words = {"clip": clip, "first": min(of_clip), "last": max(of_clip), "clock": check.clock}
    if clip == ScenePlayback.name:
        return Message("Frames {first:g} to {last:g}, checked at {clock}", **words)
    return Message("'{clip}', frames {first:g} to {last:g}, checked at {clock}", **words)


def standing_word(verified: Verification) -> Message:
    """Say how sure a prediction is, which is as sure as its least sure stage."""
    return Message("Verified") if verified.complete else Message("Assumed")


def standing_lines(verified: Verification) -> list[Message]:
    """Say of each stage of a prediction what it was compared with."""
    lines = [_stage(STAGES[name], evidence) for name, evidence in verified.stages.items()]
    return lines + [Message("Not predicted: {what}", what=one) for one in verified.beyond]


def _stage(name: Message, evidence: Evidence | None) -> Message:
    if evidence is None:
        return Message("{stage}: assumed, from its documentation or source", stage=name)
    return Message(
        "{stage}: verified with {program} {version} on {rigs} rigs, {figure:.1g} of the size off at most",
        stage=name,
        program=evidence.by,
        version=evidence.version,
        rigs=evidence.rigs,
        figure=evidence.figure,
    )
