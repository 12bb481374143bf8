"""Cases of configurations and engine profiles: intact, or wrong in one place."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import astuple
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from skinning_addon.command_line.arguments.check_settings import settings_of
from skinning_addon.command_line.arguments.file_settings import FileSettings
from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.command_line.checking.baseline import read_baseline
from skinning_addon.core.text.errors import SkinscopeError
from tests.fuzz.bytes_damage import damaged_bytes
from tests.fuzz.inputs.case import Case, Check, must_be_refused
from tests.fuzz.inputs.settings_values import PROFILE, TABLES, TOP, Values
from tests.fuzz.inputs.text_damage import TOML_DAMAGE
from tests.fuzz.program import Ran, run_program, what_is_wrong

Random = np.random.Generator


def config_case(random: Random, folder: Path) -> Case:
    """Write a configuration, intact or wrong in one place."""
    path = folder / "skinscope.toml"
    argv = ["check", str(folder / "missing.blend")]
    if random.random() < 0.3:
        argv += ["--config", str(path)]
    choice = random.random()
    if choice < 0.2:
        kind = str(random.choice(list(TOML_DAMAGE)))
        path.write_bytes(TOML_DAMAGE[kind])
        return Case(f"config: {kind}", argv, must_be_refused(str(path)), run_until_files)
    if choice < 0.35:
        text = '[check]\ntolerance = "1mm"\nframes = "1:5"\n[severity]\nno-weights = "error"\n'
        path.write_bytes(damaged_bytes(text.encode(), random))
        return Case("config: bytes", argv, _refused_or_understood(str(path)), run_until_files)
    table = str(random.choice(list(TABLES), p=[0.7, 0.15, 0.15]))
    key, text, meaning, right = _chosen(TABLES[table], random)
    lines = [f"[{table}]", f"{key} = {text}"]
    if right and key == "export_option":
        # Refused unless a profile goes through Blender's glTF exporter.
        lines.append('profiles = ["threejs"]')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if not right:
        # If the error concerns a file that the configuration names, the message may mention only that file.
        return Case(f"config: {table}.{key}, wrong", argv, must_be_refused(str(folder)), run_until_files)
    return Case(
        f"config: {table}.{key}",
        argv,
        _understood(argv, lambda one: _means(one, table, key, meaning, folder)),
        run_until_files,
    )


def profile_case(random: Random, folder: Path) -> Case:
    """Write an engine profile, intact or wrong in one place."""
    path = folder / "studio.toml"
    argv = ["check", str(folder / "missing.blend"), "--profile", str(path)]
    choice = random.random()
    if choice < 0.15:
        kind = str(random.choice(list(TOML_DAMAGE)))
        path.write_bytes(TOML_DAMAGE[kind].replace(b"check", b"exporter").replace(b"clips", b"influences"))
        return Case(f"profile: {kind}", argv, must_be_refused(str(path)), run_until_files)
    top = {"label": '"Ours"', "version": '"1"', "sources": '["a"]'}
    if choice < 0.25:
        text = "".join(f"{key} = {one}\n" for key, one in top.items()) + "[importer]\ninfluences = 4\n"
        path.write_bytes(damaged_bytes(text.encode(), random))
        return Case("profile: bytes", argv, _refused_or_understood(str(path)), run_until_files)
    if choice < 0.3:
        del top[str(random.choice(list(top)))]
        path.write_text("".join(f"{key} = {one}\n" for key, one in top.items()), encoding="utf-8")
        return Case("profile: a key is missing", argv, must_be_refused(str(path)), run_until_files)
    table = "" if choice < 0.45 else str(random.choice(list(PROFILE)))
    key, text, meaning, right = _chosen(PROFILE[table] if table else TOP, random)
    if not table:
        top[key] = text
    lines = [f"{name} = {one}" for name, one in top.items()]
    if table:
        lines += [f"[{table}]", f"{key} = {text}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    name = f"profile: {table or 'top'}.{key}"
    if not right:
        return Case(f"{name}, wrong", argv, must_be_refused(str(path)), run_until_files)
    return Case(
        name, argv, _understood(argv, lambda one: _profile_means(one, table, key, meaning)), run_until_files
    )


def _chosen(values: Values, random: Random) -> tuple[str, str, Any, bool]:
    """Return a key, a text for it, its meaning, and whether it is valid."""
    key = str(random.choice(list(values)))
    good, bad = values[key]
    if good and random.random() < 0.3:
        return key, *good[random.integers(len(good))], True
    return key, bad[random.integers(len(bad))], None, False


def _means(one: FileSettings, table: str, key: str, meaning: Any, folder: Path) -> str:
    found: Any
    if table == "severity":
        severity = one.severities.get(key, "absent")
        found = severity.value if isinstance(severity, Enum) else severity
    elif table == "thresholds":
        length, place = meaning
        found, meaning = astuple(one.thresholds)[place], length
    elif key == "tolerance":
        assert one.tolerance is not None
        found = one.tolerance.value, one.tolerance.relative
    elif key == "profiles":
        found = tuple(profile.id for profile in one.profiles)
    elif key == "baseline":
        found, meaning = one.baseline, folder / "no-such.json"
    elif key == "clips_from":
        found, meaning = one.clips_from and Path(one.clips_from).resolve(), (folder / meaning).resolve()
    elif key in ("cache", "pictures"):
        path = getattr(one, key)
        found, meaning = path and Path(path).resolve(), (folder / meaning).resolve()
    else:
        found = getattr(one, key)
    return "" if _same(found, meaning) else f"{key} is read as {found!r} and means {meaning!r}."


def _same(found: Any, meaning: Any) -> bool:
    if isinstance(found, tuple) and isinstance(meaning, tuple) and len(found) == len(meaning):
        return all(map(_same, found, meaning))
    if isinstance(found, float) and isinstance(meaning, float):
        return abs(found - meaning) <= 1e-12 * abs(meaning)
    return found == meaning


def _profile_means(one: FileSettings, table: str, key: str, meaning: Any) -> str:
    (profile,) = one.profiles
    inside = profile if not table or table == "hierarchy" else getattr(profile, table)
    found = profile.hierarchy if table == "hierarchy" else getattr(inside, key)
    found = found.value if isinstance(found, Enum) else found
    return "" if _same(found, meaning) else f"{table}.{key} is read as {found!r} and means {meaning!r}."


def run_until_files(argv: Sequence[str]) -> Ran:
    """Run `check` up to its files: it reports all refusals before it opens one.

    Refusals go through the program itself. Anything else is status 0 without a report.
    """
    try:
        settings = _settings(argv)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the seed is there to find
        return Ran(-1, "", (), "", f"{type(error).__name__}: {str(error)[:300]}")
    return run_program(argv) if isinstance(settings, str) else Ran(0, "", (), "")


def _settings(argv: Sequence[str]) -> FileSettings | str:
    """Read the settings and the baseline; return the sentence instead if they are refused."""
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            settings = settings_of(parse_arguments(argv), print)[0]
            if settings.baseline is not None and settings.baseline.name != "no-such.json":
                read_baseline(settings.baseline)
        except SkinscopeError as error:
            return str(error)
    return settings


def _understood(argv: Sequence[str], means: Callable[[FileSettings], str]) -> Check:
    def check(ran: Ran) -> str:
        settings = _settings(argv) if not ran.raised else ""
        if isinstance(settings, str):
            return what_is_wrong(ran) or f"Refused: {settings}"
        return means(settings)

    return check


def _refused_or_understood(names: str) -> Check:
    def check(ran: Ran) -> str:
        return what_is_wrong(ran) if ran.status == 0 else must_be_refused(names)(ran)

    return check
