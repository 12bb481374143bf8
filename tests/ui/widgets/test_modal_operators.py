"""Disabling the extension ends the operators that are under way."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import bpy
import pytest

import skinning_addon
from skinning_addon.core.text.message import Message
from skinning_addon.ui.widgets import modal_operators, stepped_operator
from skinning_addon.ui.widgets.stepped_operator import SteppedOperator, StepProgress, Steps

COPY = "Copy of half a work"


class TEST_OT_half_a_work(SteppedOperator, bpy.types.Operator):
    """Blender in the background calls `execute` even if asked to invoke."""

    bl_idname = "skinscope_test.half_a_work"
    bl_label = "Half a Work"
    steps: Steps
    fails = False

    def begin(self, _context: bpy.types.Context) -> Steps:
        # Kept, so that Python doesn't close the steps when Blender drops the operator.
        TEST_OT_half_a_work.steps = self._copied()
        return TEST_OT_half_a_work.steps

    def _copied(self) -> Steps:
        copy = bpy.data.objects.new(COPY, None)
        try:
            while not self.fails:
                yield StepProgress(Message("Copying"), 1, 2)
            raise RuntimeError("an error of ours")
        finally:
            bpy.data.objects.remove(copy)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return self.invoke(context, None)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def half_a_work(session, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: ARG001 - enables the extension
    monkeypatch.setattr(stepped_operator, "SECONDS_WITHOUT_PROGRESS", 0.0)
    bpy.utils.register_class(TEST_OT_half_a_work)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        assert bpy.ops.skinscope_test.half_a_work() == {"RUNNING_MODAL"}
    yield
    bpy.utils.unregister_class(TEST_OT_half_a_work)


@pytest.mark.usefixtures("half_a_work")
def test_disabling_takes_back_what_half_a_work_has_made():
    """Blender drops a running operator with its class and calls nothing of it. Python would close its steps some
    day, maybe while Blender draws, when data must not change.
    """
    assert COPY in bpy.data.objects
    skinning_addon.unregister()
    try:
        assert COPY not in bpy.data.objects
    finally:
        skinning_addon.register()


@pytest.mark.usefixtures("half_a_work")
def test_an_unforeseen_error_leaves_nothing_under_way(monkeypatch: pytest.MonkeyPatch):
    (operator,) = modal_operators._under_way
    monkeypatch.setattr(TEST_OT_half_a_work, "fails", True)
    with pytest.raises(RuntimeError, match="an error of ours"):
        operator.modal(bpy.context, SimpleNamespace(type="TIMER", value="NOTHING"))
    assert COPY not in bpy.data.objects
    assert modal_operators._under_way == []
