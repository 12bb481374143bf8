"""A sentence says whether there is a GPU; no driver crashes the program."""

from __future__ import annotations

import os
import sys
import time

import gpu
import pytest

from skinning_addon.core.text.errors import DeviceError
from skinning_addon.drawing import device

in_a_copy = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lacks drivers")


@pytest.fixture
def not_started(monkeypatch):
    """As in a fresh background process: nothing answers until the GPU is started."""
    monkeypatch.setattr(device, "_answers", lambda: False)


@pytest.mark.usefixtures("not_started")
def test_before_5_2_the_remedy_is_named(monkeypatch):
    monkeypatch.delattr(gpu, "init", raising=False)
    with pytest.raises(DeviceError, match=r"Before Blender 5\.2.*--device cpu"):
        device.start_gpu()


@in_a_copy
@pytest.mark.parametrize(
    "start",
    [os.abort, lambda: os._exit(1), lambda: 1 / 0, lambda: time.sleep(60)],
    ids=["crashes", "exits", "raises", "hangs"],
)
@pytest.mark.usefixtures("not_started")
def test_a_driver_that_fails_in_any_way_is_reported(monkeypatch, capfd, start):
    monkeypatch.setattr(device, "PATIENCE", 0.5)
    monkeypatch.setattr(gpu, "init", start, raising=False)
    with pytest.raises(DeviceError, match="can't find a graphics driver"):
        device.start_gpu()
    assert capfd.readouterr() == ("", "")


@in_a_copy
@pytest.mark.usefixtures("not_started")
def test_a_start_that_changes_nothing_is_reported(monkeypatch):
    monkeypatch.setattr(gpu, "init", lambda: None, raising=False)
    assert device.gpu_problem() == device.NO_DRIVER


@pytest.mark.gpu
def test_a_gpu_that_runs_has_no_problem_and_a_name():
    assert device.gpu_problem() is None
    device.start_gpu()
    backend, _, name = device.describe_gpu().partition(", ")
    assert backend in {"OPENGL", "VULKAN", "METAL"}
    assert name
