"""`./run` on a system that lacks libraries, with programs standing in for the system's: `.ci/bare-machine` has
real ones.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes


CHECKOUT = Path(__file__).resolve().parents[2]

UV = """#!/bin/sh
case "$*" in
*--help) echo '--clear' ;;
venv*)
    for folder; do :; done
    mkdir -p "$folder/bin"
    cp "$(dirname "$0")/environment-python" "$folder/bin/python"
    ;;
*) echo "uv $1 $2" >>"$CALLS" ;;
esac
"""

# Libraries are there once they are installed.
PYTHON = """#!/bin/sh
case "$*" in
*libEGL*) grep -q 'apt-get .*install' "$CALLS" 2>/dev/null || echo 'libEGL.so.1, libGL.so.1' ;;
*) echo "python $*" >>"$CALLS" ;;
esac
"""

APT_GET = """#!/bin/sh
echo "apt-get $* ${DEBIAN_FRONTEND:-}" >>"$CALLS"
[ "$(grep -c 'apt-get update' "$CALLS")" -gt "${FAILURES:-0}" ] || { echo 'E: no answer'; exit 100; }
"""


@dataclass(frozen=True)
class Machine:
    """A checkout on a machine of its own: `programs` is all that is on its PATH besides what a shell script
    needs.
    """

    checkout: Path
    programs: Path
    calls: Path

    def run(self, *arguments: str, failures: int = 0) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.programs), "CALLS": str(self.calls), "FAILURES": str(failures)}
        return subprocess.run(
            ["./run", *arguments],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def called(self) -> list[str]:
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []


def machine(folder: Path, user: int, *, apt: bool = True) -> Machine:
    checkout, programs = folder / "checkout", folder / "programs"
    checkout.mkdir(parents=True)
    programs.mkdir()
    for name in ("run", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, checkout)
    for name in ("sh", "cat", "cmp", "cp", "dirname", "grep", "mkdir", "mktemp", "rm", "sed", "tail"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    stand_ins = {
        "id": f"#!/bin/sh\necho {user}\n",
        "sleep": "#!/bin/sh\n",
        "uname": "#!/bin/sh\necho Linux\n",
        "uv": UV,
        "environment-python": PYTHON,
    }
    for name, text in (stand_ins | ({"apt-get": APT_GET} if apt else {})).items():
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    return Machine(checkout, programs, folder / "calls")


@pytest.mark.parametrize("command", ["demo", "test"])
def test_without_root_one_line_says_what_to_install(tmp_path: Path, command: str):
    bare = machine(tmp_path, 1000)
    process = bare.run(command)
    assert process.returncode == 2
    assert process.stdout == ""
    (line,) = (one.strip() for one in process.stderr.splitlines() if "apt-get" in one)
    assert line.startswith("sudo apt-get update && sudo apt-get install -y libegl1 libgl1 ")
    # Nothing is downloaded before, and nothing is installed behind anybody's back.
    assert bare.called() == []


@pytest.mark.parametrize("command", ["demo", "test"])
def test_root_installs_what_is_missing_first_and_says_so_once(tmp_path: Path, command: str):
    bare = machine(tmp_path, 0)
    process = bare.run(command)
    assert process.returncode == 0, process.stderr
    assert process.stdout == ""
    assert sum("apt-get install -y libegl1" in line for line in process.stderr.splitlines()) == 1
    update, install, *rest = bare.called()
    assert update.startswith("apt-get update")
    assert install.startswith("apt-get ")
    assert install.endswith(" libgl1-mesa-dri noninteractive")
    assert [one.split()[0] for one in rest] == ["uv", "python", "python"]
    # The next time there is nothing to do.
    bare.run(command)
    assert len(bare.called()) == 5 + 1


def test_a_mirror_that_does_not_answer_is_asked_again(tmp_path: Path):
    bare = machine(tmp_path / "twice", 0)
    process = bare.run("packages", "xvfb", failures=2)
    assert process.returncode == 0, process.stderr
    assert [one.split()[1] for one in bare.called()] == ["update", "update", "update", "-o"]
    assert bare.called()[-1].endswith(" libgl1-mesa-dri xvfb noninteractive")
    bare = machine(tmp_path / "never", 0)
    process = bare.run("packages", failures=99)
    assert process.returncode == 2
    assert len(bare.called()) == 3
    assert "E: no answer" in process.stderr


def test_other_systems_are_told_the_libraries(tmp_path: Path):
    process = machine(tmp_path, 0, apt=False).run("demo")
    assert process.returncode == 2
    (line,) = process.stderr.splitlines()
    assert "libEGL.so.1, libGL.so.1" in line
    assert "package manager" in line


def test_the_conformance_skins_run_from_the_checkout(tmp_path: Path):
    bare = machine(tmp_path, 0)
    process = bare.run("skinscope", "conformance", "--engine", "threejs")
    assert process.returncode == 0, process.stderr
    assert bare.called()[-1] == "python -P -m tests.conformance.run_engines --engine threejs"
