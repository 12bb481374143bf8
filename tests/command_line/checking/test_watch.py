"""`watch`: what is saved is checked again, and nothing else."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import pytest

from tests.installed_package import CHECKOUT

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="stands in for Blender"),
    pytest.mark.skipif(os.name != "posix", reason="sends signals"),
]

STAND_IN = Path(__file__).parents[1] / "stand_in.py"


class Watching:
    """The program, watching a folder; what it has said so far."""

    def __init__(self, folder: Path, out: Path) -> None:
        self._out = out
        with out.open("w", encoding="utf-8") as file:
            self._process = subprocess.Popen(
                [sys.executable, str(STAND_IN), "watch", str(folder)],
                env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    @property
    def text(self) -> str:
        return self._out.read_text(encoding="utf-8")

    def wait_for(self, seen: Callable[[str], bool]) -> None:
        for _ in range(300):
            if seen(self.text):
                return
            time.sleep(0.1)
        raise AssertionError(self.text)

    def stop(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=30)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    folder = tmp_path / "rigs"
    folder.mkdir()
    (folder / "good hero.glb").write_text("1", encoding="utf-8")
    one = Watching(folder, tmp_path / "out.txt")
    yield one
    one.kill()


def checks_of(text: str, name: str) -> int:
    return text.count(f"{name}: exact.")


def test_a_file_is_checked_again_whenever_it_is_saved_and_a_new_one_once(tmp_path: Path, watching: Watching):
    hero, other = tmp_path / "rigs" / "good hero.glb", tmp_path / "rigs" / "good other.glb"
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 1)
    other.write_text("1", encoding="utf-8")
    watching.wait_for(lambda text: "2 files: 2 passed." in text)
    hero.write_text("22", encoding="utf-8")
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 2)
    time.sleep(2)
    assert checks_of(watching.text, "good hero.glb") == 2
    assert checks_of(watching.text, "good other.glb") == 1
    assert watching.stop() == 0


def test_a_file_that_cannot_be_checked_is_named_and_a_removed_one_forgotten(
    tmp_path: Path, watching: Watching
):
    bad = tmp_path / "rigs" / "crash.glb"
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 1)
    bad.write_text("1", encoding="utf-8")
    watching.wait_for(lambda text: "crash.glb' can't be checked: Blender died of SIGSEGV" in text)
    bad.unlink()
    (tmp_path / "rigs" / "good third.glb").write_text("1", encoding="utf-8")
    watching.wait_for(lambda text: "2 files: 2 passed." in text)
    assert watching.stop() == 0


def test_a_configuration_is_read_again_and_a_wrong_one_named_once(tmp_path: Path, watching: Watching):
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 1)
    config = tmp_path / "rigs" / "skinscope.toml"
    config.write_text("[check]\ntolerence = 1", encoding="utf-8")
    watching.wait_for(lambda text: "did you mean 'tolerance'?" in text)
    time.sleep(1.5)
    assert watching.text.count("did you mean 'tolerance'?") == 1
    config.write_text('[check]\nprofiles = ["threejs"]', encoding="utf-8")
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 2)
    assert watching.stop() == 0


def test_the_exit_status_is_that_of_the_last_results(tmp_path: Path, watching: Watching):
    watching.wait_for(lambda text: checks_of(text, "good hero.glb") == 1)
    (tmp_path / "rigs" / "crash.glb").write_text("1", encoding="utf-8")
    watching.wait_for(lambda text: "1 not checked." in text)
    assert watching.stop() == 2


def test_the_same_process_checks_a_file_again(tmp_path: Path, watching: Watching):
    file = tmp_path / "rigs" / "process 1.glb"
    for count in (1, 2, 3):
        file.write_text("1" * count, encoding="utf-8")
        watching.wait_for(lambda text, count=count: checks_of(text, "process 1.glb") == count)
    assert watching.stop() == 0
    of_file = watching.text.split("good hero.glb: exact.")[-1]
    assert len(set(re.findall(r"(?m)^  (\d+) +Rig", of_file))) == 1
