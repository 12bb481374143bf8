"""The settings each file is checked with: the command line's options first, then the file's configuration."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...core.profiles.profile import BLENDER
from ...core.text.errors import ConfigError
from ...core.verdicts.finding import Severity
from ...core.verdicts.rules import RULES
from .config import CheckConfig, find_config, read_config
from .file_list import asked_files
from .file_settings import FileSettings, asked_for
from .profiles import once_each, with_export_settings
from .shared_arguments import require_clips_from


def settings_of(arguments: argparse.Namespace, complain: Callable[[str], None]) -> list[FileSettings]:
    """Return the settings of each file, in order. complain: see `asked_files`.

    Raises:
        SkinscopeError: a configuration or a profile is wrong; nothing has been done yet.
    """
    chosen = read_config(Path(arguments.config).absolute()) if arguments.config else None
    read_once = cache(read_config)

    def config_of(file: str | Path) -> CheckConfig:
        found = None if chosen else find_config(str(file))
        return chosen or (read_once(found) if found else CheckConfig())

    def left_out(file: Path) -> bool:
        excluded = config_of(file).excluded
        return excluded is not None and bool(excluded.patterns) and excluded.has(file)

    files = asked_files(arguments.files, arguments.files_from, arguments.exclude or (), left_out, complain)
    return [_settings(file, arguments, config_of(file).of_file(file)) for file in files]


def _settings(file: str, arguments: argparse.Namespace, config: CheckConfig) -> FileSettings:
    told = _told(arguments, config.check)
    told["export_option"] = dict(told.get("export_option", {}))
    told["profiles"] = with_export_settings(
        once_each(told.get("profiles", ())) or (BLENDER,), told["export_option"]
    )
    configured = config.check.get("clips_from")
    told["clips_from"] = arguments.clips_from
    if arguments.clips_from is None and configured and configured.resolve() != Path(file).resolve():
        # The configured file of clips may itself be among the checked files; it then plays its own.
        told["clips_from"] = str(configured)
    require_clips_from(arguments, configured)
    if told.get("retarget") and not told["clips_from"] and not configured:
        raise ConfigError(f"The configuration of '{file}' sets retarget but not clips_from; set both.")
    told |= {
        name: Path(told[name]).absolute()
        for name in ("baseline", "cache", "fix", "pictures")
        if told.get(name)
    }
    if arguments.no_baseline:
        told["baseline"] = None
    severities = _strict(config.severities) if told.get("strict") else config.severities
    suppressions = tuple(one for files, one in config.suppressions if files.has(file))
    return FileSettings(file, config.thresholds, severities, suppressions, **told)


def _told(arguments: argparse.Namespace, configured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the options set, or else the configuration."""
    options = {name: getattr(arguments, name, None) for name in asked_for()}
    # A missing switch is False, and an empty name means None.
    return {**configured, **{name: told for name, told in options.items() if told not in (None, False, "")}}


def _strict(severities: Mapping[str, Severity | None]) -> Mapping[str, Severity | None]:
    """Turn findings that make a result less meaningful into errors; rules a configuration switches off stay
    off.
    """
    off = {rule for rule, severity in severities.items() if severity is None}
    return {
        **severities,
        **{one.id: Severity.ERROR for one in RULES.values() if one.strict and one.id not in off},
    }
