"""What one file is checked with: the options of the command line, and where those say nothing, its configuration."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..core.errors import ConfigError
from ..core.finding import Severity, worst_first
from ..core.length import Tolerance
from ..core.profiles.profile import BLENDER, Profile
from ..drawing.heat_scale import HeatScale
from ..measurement.report import FileReport
from .config import CheckConfig, find_config, read_config
from .options import VISIBILITIES, FrameRange
from .profiles import once_each
from .rules import LITTLE_LOOKED_AT
from .shared_arguments import require_clips_from


@dataclass(frozen=True)
class FileSettings:
    """Everything that the report of a file depends on, besides the file, and where it is kept and judged.

    severities: by rule; None switches a rule off. baseline, cache: paths, None for none. clips_from: another file whose
    clips are played. retarget: whether they are, by rest rotation.
    """

    file: str
    profiles: tuple[Profile, ...]
    clips: tuple[str, ...] | None
    clips_from: str | None
    retarget: bool
    frames: FrameRange | None
    tolerance: Tolerance | None
    visibility: str
    device: str
    thresholds: HeatScale
    severities: Mapping[str, Severity | None]
    baseline: Path | None
    cache: Path | None

    def measured_with(self) -> str:
        """Return in one text all that changes what is measured, for comparing."""
        profiles = [replace(one, file=None) for one in self.profiles]
        return repr(
            (
                profiles,
                self.clips,
                self.clips_from,
                self.retarget,
                self.frames,
                self.tolerance,
                self.visibility,
                self.device,
                self.thresholds,
            )
        )

    def judged(self, report: FileReport) -> FileReport:
        """Return a report with findings as severe as they are to be, and without those that are switched off."""
        kept = [one for one in report.findings if self.severities.get(one.rule, one.severity) is not None]
        findings = [replace(one, severity=self.severities.get(one.rule) or one.severity) for one in kept]
        return replace(report, findings=worst_first(findings))


def settings_of(arguments: argparse.Namespace) -> list[FileSettings]:
    """Return the settings of each file, in order.

    Raises:
        SkinscopeError: a configuration or a profile is wrong; so far nothing has been done.
    """
    chosen = read_config(Path(arguments.config).absolute()) if arguments.config else None
    read_once = cache(read_config)

    def config_of(file: str) -> CheckConfig:
        found = find_config(file)
        return chosen or (read_once(found) if found else CheckConfig())

    return [_settings(file, arguments, config_of(file)) for file in arguments.files]


def _settings(file: str, arguments: argparse.Namespace, config: CheckConfig) -> FileSettings:
    clips_from = arguments.clips_from
    if clips_from is None and config.clips_from and config.clips_from.resolve() != Path(file).resolve():
        # The file of clips may lie among those that are checked, and then plays its own.
        clips_from = str(config.clips_from)
    retarget = arguments.retarget or bool(config.retarget)
    require_clips_from(arguments, config.clips_from)
    if retarget and not clips_from and not config.clips_from:
        raise ConfigError(f"The configuration of '{file}' says retarget and names no clips_from; add it.")
    return FileSettings(
        file=file,
        profiles=once_each(arguments.profile or ()) or config.profiles or (BLENDER,),
        clips=config.clips if arguments.clips is None else arguments.clips,
        clips_from=clips_from,
        retarget=retarget,
        frames=config.frames if arguments.frames is None else arguments.frames,
        tolerance=config.tolerance if arguments.tolerance is None else arguments.tolerance,
        visibility=arguments.visibility or config.visibility or VISIBILITIES[0],
        device=arguments.device,
        thresholds=config.thresholds or HeatScale(),
        severities=_strict(config.severities) if arguments.strict or config.strict else config.severities,
        baseline=_baseline(arguments, config),
        cache=Path(arguments.cache).absolute() if arguments.cache else config.cache,
    )


def _strict(severities: Mapping[str, Severity | None]) -> Mapping[str, Severity | None]:
    """Make errors of what makes a result say little; what a configuration switches off stays off."""
    off = {rule for rule, severity in severities.items() if severity is None}
    return {**severities, **{rule: Severity.ERROR for rule in LITTLE_LOOKED_AT if rule not in off}}


def _baseline(arguments: argparse.Namespace, config: CheckConfig) -> Path | None:
    if arguments.no_baseline:
        return None
    return Path(arguments.baseline).absolute() if arguments.baseline else config.baseline
