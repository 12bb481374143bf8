"""`python -m skinning_addon`: the program, with Blender as a Python module."""

from __future__ import annotations

import sys

from .command_line.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
