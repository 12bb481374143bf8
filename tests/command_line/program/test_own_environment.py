"""What processes of ours find: one thread for numpy, unless the user says otherwise, and a folder of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skinning_addon.command_line.program.own_environment import own_environment

THREADS = "OPENBLAS_NUM_THREADS"


def test_numpy_s_products_are_not_spread_over_threads_unless_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(THREADS, raising=False)
    assert own_environment()[THREADS] == "1"
    monkeypatch.setenv(THREADS, "4")
    assert own_environment()[THREADS] == "4"


def test_a_folder_takes_the_place_of_the_usual_one_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    assert own_environment()["TMPDIR"] == "/elsewhere"
    assert {own_environment(tmp_path)[name] for name in ("TMPDIR", "TEMP", "TMP")} == {str(tmp_path)}
    assert os.environ["TMPDIR"] == "/elsewhere"
