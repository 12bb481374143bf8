"""`python -m skinning_addon`: the program, with Blender as a Python module."""

from __future__ import annotations

import sys

from .command_line.main import main
from .command_line.program.ending import end_process

if __name__ == "__main__":
    end_process(main(sys.argv[1:]))
