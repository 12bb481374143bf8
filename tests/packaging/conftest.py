"""What `pip install skinscope` makes of an environment that has nothing else."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.packaging.wheels import bare_environment, built_wheels, uv


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheels(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="session")
def installed(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with `skinscope` and the Blender module that the tests have."""
    python = bare_environment(tmp_path_factory.mktemp("installed"))
    # By its exact version, which has been downloaded already.
    module = f"bpy=={bpy.app.version_string.split()[0]}"
    uv("pip", "install", "--quiet", "--python", python, "--find-links", wheels, "skinscope", module)
    return python.parent
