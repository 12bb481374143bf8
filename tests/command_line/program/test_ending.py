"""What is left of a process that is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from tests.command_line.rig_files import rig_file
from tests.installed_package import CHECKOUT

PROGRAM = """
import time
from skinning_addon.command_line import main
from skinning_addon.command_line.program.streams import complain
from skinning_addon.command_line.refitting import refit

def wait(*_):
    complain("waiting")
    time.sleep(60)

import sys
refit.refit = wait
main.main(sys.argv[1:])
"""


@pytest.mark.processes
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="a desktop Blender removes its own folder")
def test_a_terminated_process_leaves_no_folder_of_blender(tmp_path: Path):
    rig = rig_file(tmp_path / "rig.blend")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PROGRAM,
            "refit",
            rig,
            "--profile=threejs",
            f"--output={tmp_path / 'copy.glb'}",
        ],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stderr is not None
    assert any("waiting" in line for line in process.stderr)
    assert [one.name[:8] for one in temporary.iterdir()] == ["blender_"]
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM
    assert list(temporary.iterdir()) == []
