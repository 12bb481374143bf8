"""Which of Blender's output is passed on: its complaints, not its progress."""

from __future__ import annotations

import pytest

from skinning_addon.core.text.printed_lines import complaints_in, is_chatter, without_chatter, worth_telling

# As Blender 4.2 and 5.2 print them, but for the names, which may say anything.
CHATTER = """\
19:54:37 | INFO: Data are loaded, start creating Blender stuff
19:54:37 | INFO: Blender create Mesh node missing error
FBX version: 7400
FBX import of 'failed warning.fbx' took 8.51 ms
00:01.198  blend            | Read blend: "/tmp/error.blend"
Read blend: "/tmp/could not.blend"
00:00.100  system.path      | WARNING Could not get a list of mounted file-systems"""

COMPLAINTS = """\
19:54:37 | WARNING: Some glTF object names are too long
00:01.234  io.fbx           | WARNING Vertex 12 has weights without bone
Warning: 3 positions are NaN
Cannot find lib '/tmp/library.blend'"""

TRACEBACK = """\
Traceback (most recent call last):
  File "importer.py", line 3, in read
KeyError: 'JOINTS_0'"""


@pytest.mark.parametrize("line", CHATTER.splitlines())
def test_what_blender_is_at_is_no_complaint_whatever_names_are_in_it(line: str):
    assert is_chatter(line)
    assert complaints_in(line) == []
    assert worth_telling(line) == without_chatter(line) == ""


@pytest.mark.parametrize("line", COMPLAINTS.splitlines())
def test_complaints_are_told(line: str):
    assert not is_chatter(line)
    assert len(complaints_in(line)) == 1
    assert worth_telling(f"{CHATTER}\n{line}\n").endswith(line.rsplit("| ", maxsplit=1)[-1])


def test_a_traceback_is_told_whole_and_what_is_unknown_with_what_takes_blender_down():
    printed = f"{CHATTER}\nAnimations: 3\n{TRACEBACK}\n{CHATTER}"
    assert worth_telling(printed).strip() == TRACEBACK
    # Outside of opening a file, only what is known for chatter is dropped: a crash is explained in lines of any
    # kind.
    assert (
        without_chatter(f"{CHATTER}\nWriting: /tmp/blender.crash.txt\n") == "Writing: /tmp/blender.crash.txt"
    )
