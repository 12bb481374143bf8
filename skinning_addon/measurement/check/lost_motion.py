"""Measures what exported files lack of what Blender plays: Blender's own mesh as the scene plays, against the
same mesh posed as the file has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...core.profiles.export_options import ExportOptions
from ...core.profiles.profile import Profile
from ...scene.clips.playback import Playback
from ...scene.clips.range_of_motion import RangeOfMotion
from ...scene.staging.clip_staging import Scanned
from ..findings.playback_losses import PlaybackLosses, SeenTwice, few_of, rule_of_mesh
from .scan import FramesOf, SceneScan


def measure_losses(
    scan: SceneScan, profiles: Sequence[Profile], playbacks: Sequence[Scanned], frames_of: FramesOf
) -> PlaybackLosses:
    """Compare a few frames of each clip under each exporter's options. Plays the scene: use it after a scan."""
    kept = PlaybackLosses()
    for playback in playbacks:
        for options in dict.fromkeys(one.export_options for one in profiles):
            if options is None or isinstance(playback, RangeOfMotion):
                continue
            scan.player.restore()
            losses = scan.player.losses(playback, options)
            kept.note_clip(playback, options, losses)
            rules = {
                name: rule
                for name, one in scan.measured.items()
                if name not in scan.refused
                and (rule := rule_of_mesh(losses, one.binding.armatures)) is not None
            }
            frames = few_of(frames_of(playback))
            for name, seen in _seen_twice(scan, playback, options, frames, rules):
                kept.keep(scan.measured[name].binding, options, seen)
    return kept


def _seen_twice(
    scan: SceneScan,
    playback: Playback,
    options: ExportOptions,
    frames: Sequence[float],
    rules: Mapping[str, str],
) -> Iterator[tuple[str, SeenTwice]]:
    """Yield the meshes that `rules` names."""
    if not rules:
        return
    meshes = tuple(rules)
    before = [one for _, one in scan.blender_positions(playback, None, frames, meshes)]
    after = [one for _, one in scan.blender_positions(playback, options, frames, meshes)]
    for name, rule in rules.items():
        if not all(name in one for one in (*before, *after)):
            continue
        ours, engines = (np.array([one[name] for one in kind]) for kind in (before, after))
        yield name, SeenTwice(rule, playback.name, frames, ours, engines)
