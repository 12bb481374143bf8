"""Tests judged by an engine: its own code, its own importer."""

from __future__ import annotations

import pytest

from tests.engines.capture import Engine
from tests.engines.engine_table import ENGINES, OPEN_USD
from tests.engines.ufbx_judge import Ufbx, build_ufbx
from tests.scene.random_rig import RigOptions

WHAT_GETS_LOST = (
    RigOptions(seed=1),
    RigOptions(seed=2, influences=9, transformed=True),
    RigOptions(seed=3, preserve_volume=True, mask=True),
    RigOptions(seed=4, bendy=4),
    RigOptions(seed=5, envelopes=True),
    RigOptions(seed=6, envelopes=True, envelope_multiply=True),
    RigOptions(seed=7, modifiers=2),
    RigOptions(seed=8, inherit_scale="ALIGNED", constraints=True),
    RigOptions(seed=9, scale="negative"),
)


@pytest.fixture(params=WHAT_GETS_LOST, ids=lambda options: f"seed{options.seed}")
def what_gets_lost(request: pytest.FixtureRequest) -> RigOptions:
    """Options of rigs with something that no file can hold."""
    return request.param


def _installed(name: str) -> Engine:
    engine = ENGINES[name]
    engine.install()
    return engine


@pytest.fixture(scope="session")
def threejs() -> Engine:
    """three.js on Node."""
    return _installed("threejs")


@pytest.fixture(scope="session")
def babylonjs() -> Engine:
    """Babylon.js on Node."""
    return _installed("babylonjs")


@pytest.fixture(scope="session")
def playcanvas() -> Engine:
    """PlayCanvas on Node."""
    return _installed("playcanvas")


@pytest.fixture(scope="session")
def vtk() -> Engine:
    """VTK, a Python package."""
    return _installed("vtk")


@pytest.fixture(scope="session")
def ufbx(tmp_path_factory: pytest.TempPathFactory) -> Ufbx:
    """ufbx, which evaluates FBX files."""
    return build_ufbx(tmp_path_factory.mktemp("ufbx"))


@pytest.fixture(scope="session")
def raylib() -> Engine:
    """raylib, a Python package, under Xvfb."""
    return _installed("raylib")


@pytest.fixture(scope="session")
def godot() -> Engine:
    """Godot, where there is one."""
    return _installed("godot4")


@pytest.fixture(scope="session")
def panda3d() -> Engine:
    """Panda3D, a Python package."""
    return _installed("panda3d")


@pytest.fixture(scope="session")
def usd() -> Engine:
    """OpenUSD, a Python package. It reads USD files, so it isn't in the table of those that read glTF."""
    OPEN_USD.install()
    return OPEN_USD
