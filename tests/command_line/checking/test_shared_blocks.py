"""One file checked by several processes: each block once, nothing lost, and the report of one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import bpy
import pytest

from skinning_addon.command_line.arguments.check_settings import settings_of
from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.command_line.checking import shared_blocks, workers
from skinning_addon.command_line.checking.answers import Answer, answer_text
from skinning_addon.command_line.checking.shared_blocks import (
    HelpedError,
    Helping,
    Leading,
    SharedFolder,
    blocks_left,
    lost_file,
)
from skinning_addon.measurement.check.frame_blocks import Block
from skinning_addon.measurement.check.report import FileReport
from tests.command_line.rig_files import rig_file
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions

PROGRAM = Path(__file__).with_name("sharing_program.py")

BLOCKS = [Block((), ()) for _ in range(20)]


class Measuring:
    """Stands in for measuring: a block's state is its number and who has measured it."""

    def __init__(self, who: str, dies_at: int = -1) -> None:
        self.who, self.dies_at = who, dies_at
        self.measured: list[int] = []

    def state(self, number: int):
        if number == self.dies_at:
            raise SystemExit
        self.measured.append(number)
        return State(number, self.who)

    def losses(self, _number: int) -> None:
        return None


class State:
    def __init__(self, number: int, who: str, losses: object = None) -> None:
        self.number, self.who, self.losses = number, who, losses


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_blocks, "WORTH_SHARING", -1.0)
    monkeypatch.setattr(
        shared_blocks, "replace", lambda state, losses: State(state.number, state.who, losses)
    )


@pytest.mark.usefixtures("at_once")
def test_each_block_is_measured_once_and_the_last_by_the_leader(tmp_path: Path):
    leader, helpers = Measuring("leader"), [Measuring(f"helper-{one}") for one in range(3)]

    def help_out(helper: Measuring) -> None:
        while not (tmp_path / "plan.json").exists():
            pass
        with pytest.raises(HelpedError):
            Helping(SharedFolder(str(tmp_path), helper.who, 4)).run(BLOCKS, helper)

    threads = [threading.Thread(target=help_out, args=(one,)) for one in helpers]
    for one in threads:
        one.start()
    states = Leading(SharedFolder(str(tmp_path), "leader", 4)).run(BLOCKS, leader)
    for one in threads:
        one.join()
    assert [one.number for one in states] == list(range(20))
    counts = Counter(number for one in (leader, *helpers) for number in one.measured)
    assert counts == Counter(range(20))
    assert leader.measured[-1] == 19
    assert not blocks_left(tmp_path)


@pytest.mark.usefixtures("at_once")
def test_a_block_whose_process_has_died_is_measured_by_the_leader(tmp_path: Path):
    folder = SharedFolder(str(tmp_path), "helper-1", 2)

    class Meanwhile(Measuring):
        def state(self, number: int):
            if number == 1:
                # Another process takes two blocks, leaves one, and is gone.
                assert folder.take(5)
                assert folder.take(7)
                folder.leave(5, State(5, "helper-1"))
                lost_file(tmp_path, "helper-1").touch()
            return super().state(number)

    leader = Meanwhile("leader")
    states = Leading(SharedFolder(str(tmp_path), "leader", 2)).run(BLOCKS, leader)
    assert [one.number for one in states] == list(range(20))
    assert [one.who for one in states].count("helper-1") == 1
    assert leader.measured[-1] == 7


def test_a_file_that_takes_a_moment_is_not_shared(tmp_path: Path):
    states = Leading(SharedFolder(str(tmp_path), "leader", 2)).run(BLOCKS, Measuring("leader"))
    assert len(states) == 20
    assert list(tmp_path.iterdir()) == []
    assert not blocks_left(tmp_path)


def test_another_plan_is_no_help(tmp_path: Path):
    """Such as that of a file that has been saved in between."""
    SharedFolder(str(tmp_path), "leader", 2).publish(BLOCKS)
    helper = Measuring("helper-1")
    with pytest.raises(HelpedError):
        Helping(SharedFolder(str(tmp_path), "helper-1", 2)).run(BLOCKS[:10], helper)
    assert helper.measured == []


@pytest.mark.processes
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="starts Blender's module")
@pytest.mark.parametrize("dies", [False, True])
def test_several_processes_say_of_one_file_what_one_says(tmp_path: Path, dies: bool):
    path = rig_file(tmp_path / "hero.blend", RigOptions(seed=5, influences=6))
    left = tmp_path / "left.txt"
    left.touch()

    def report(*options: str) -> str:
        command = [sys.executable, str(PROGRAM), "check", str(path), "--device=cpu", "--format=json"]
        command += ["--clips=all", "--frames=-400:400", "--profile=threejs", "--profile=unity-2", *options]
        environment = {"PYTHONPATH": str(CHECKOUT), "LEFT_BLOCKS": str(left), "DIES": "1" * dies}
        result = subprocess.run(
            command, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
        )
        assert "Traceback" not in result.stderr
        return result.stdout

    alone, shared = report("--jobs=1"), report("--jobs=2")
    assert json.loads(shared) == json.loads(alone)
    assert left.read_text(encoding="utf-8").startswith("helper-")


def test_what_its_process_died_over_is_tried_again_alone(monkeypatch: pytest.MonkeyPatch):
    """The folder would say of some blocks that the process that died has them, and they would be waited for."""
    asked: list[SharedFolder | None] = []

    class Process:
        def __init__(self, answered: int = 0) -> None:
            self.answered, self.memory = answered, 0

        def ask(self, question, *_: object) -> str:
            asked.append(question.folder)
            if len(asked) == 1:
                raise workers.WorkerDiedError("died of SIGSEGV")
            return answer_text(Answer(FileReport(question.settings.file)))

        def end(self) -> None: ...

    monkeypatch.setattr(workers, "WorkerProcess", Process)
    one = settings_of(parse_arguments(["check", "hero.glb"]), print)[0]
    pool = workers.Workers(2, workers.Limits(60.0, 200, 10**9), Process(answered=1))
    ((_, answer),) = pool.answers([one])
    assert answer.report.error is None
    assert [folder is not None for folder in asked] == [True, False]
