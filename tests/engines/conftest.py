"""Tests whose judge is an engine: its own code, its own importer."""

from __future__ import annotations

import pytest

from tests.engines.node_engine import BABYLONJS, THREEJS, NodeEngine


@pytest.fixture(scope="session")
def threejs() -> NodeEngine:
    """three.js on Node."""
    THREEJS.install()
    return THREEJS


@pytest.fixture(scope="session")
def babylonjs() -> NodeEngine:
    """Babylon.js on Node."""
    BABYLONJS.install()
    return BABYLONJS
