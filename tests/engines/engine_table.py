"""Every engine that runs here, by the name of its capture script. If the engine has a profile, that is its id,
too.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.engines.capture import Engine
from tests.engines.godot_engine import GodotEngine
from tests.engines.node_engine import NodeEngine
from tests.engines.python_engine import PythonEngine

ENGINES: Mapping[str, Engine] = {
    "threejs": NodeEngine(("three",), "threejs_capture.mjs"),
    "babylonjs": NodeEngine(("@babylonjs/core", "@babylonjs/loaders"), "babylonjs_capture.mjs"),
    "playcanvas": NodeEngine(("playcanvas",), "playcanvas_capture.mjs"),
    "raylib": PythonEngine(
        ("numpy", "raylib", "cffi", "pycparser"), "raylib_capture.py", before=("xvfb-run", "-a")
    ),
    # Sampled at 60 a second, so that it misses no key of scenes whose rate divides that.
    "godot4": GodotEngine(60.0),
    # At the rate of the scenes that it is given: by default its loader makes 30 poses a second.
    "panda3d": PythonEngine(
        ("numpy", "panda3d", "panda3d-gltf", "panda3d-simplepbr"), "panda3d_capture.py", arguments=("60",)
    ),
    "vtk": PythonEngine(("numpy", "vtk"), "vtk_capture.py"),
}

OPEN_USD = PythonEngine(("numpy", "usd-core"), "usd_capture.py")
"""Reads USD files, not glTF."""
