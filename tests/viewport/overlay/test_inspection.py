"""A click hits what is drawn, including instances and intermediate steps of skinning."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import gpu
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.inspection.spaces import BONE
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.choices.settings import PreviewSettings, SpaceStep
from skinning_addon.viewport.layers import layer_key
from skinning_addon.viewport.objects.visibility import shown_instances
from skinning_addon.viewport.overlay.inspection import Target
from skinning_addon.viewport.picking import pick
from skinning_addon.viewport.session import ViewportSession
from tests.scene.posed_arm import keyed_arm

pytestmark = pytest.mark.gpu

SIZE = 200, 200
FROM_FRONT = np.array([(1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)], dtype=np.float64)
"""World to view, row vectors: looking along Y, Z up."""
FROM_TOP = np.eye(4)
"""Looking down, Y up."""
TO_CLIP = np.diag((0.1, 0.1, -0.01, 1.0))
"""View to clip: 20 units from side to side."""


class Scene:
    """The arm, previewed and drawn from the front, with the upright box at z from 0 to 3."""

    def __init__(self, session: ViewportSession) -> None:
        self.session = session
        self.arm = keyed_arm()
        self.skin = bpy.data.objects["Skin"]
        self.step: SpaceStep | None = None
        self.world_to_view = FROM_FRONT
        session.settings_of = lambda _scene: PreviewSettings(step=self.step)
        self.space = next(
            area.spaces.active
            for screen in bpy.data.screens
            for area in screen.areas
            if area.type == "VIEW_3D"
        )
        bpy.context.view_layer.update()
        self.preview = session.start(self.skin, bpy.context.evaluated_depsgraph_get())
        self.layer = layer_key(bpy.context.scene, bpy.context.view_layer)

    def draw(self) -> None:
        """What the draw handler does."""
        view_layer = bpy.context.view_layer
        view_layer.update()
        depsgraph = view_layer.depsgraph
        self.session.instances.follow(self.layer, depsgraph, [self.preview.uid])
        instances = shown_instances(
            self.session.instances,
            self.session.objects,
            self.skin,
            self.layer,
            view_layer=view_layer,
            space=self.space,
        )
        canvas = gpu.types.GPUOffScreen(*SIZE)
        with canvas.bind():
            live = self.preview.follow(self.skin, depsgraph, self.layer)
            assert live is not None
            settings = self.session.settings_of(bpy.context.scene)
            matrices = [instance.mesh_to_world for instance in instances]
            live.draw(View(self.world_to_view, TO_CLIP, SIZE[0]), settings, self.skin, depsgraph, matrices)
        canvas.free()

    def at(self, x: float, y: float) -> Target | None:
        """Pick at a place in the view, in units of the world from its middle."""
        view = SimpleNamespace(view_matrix=Matrix(self.world_to_view.T), window_matrix=Matrix(TO_CLIP.T))
        region = SimpleNamespace(data=view, width=SIZE[0], height=SIZE[1])
        context = SimpleNamespace(
            scene=bpy.context.scene, view_layer=bpy.context.view_layer, space_data=self.space
        )
        pixel = ((x / 10 + 1) * SIZE[0] / 2, (y / 10 + 1) * SIZE[1] / 2)
        return pick(self.session, context, self.layer, region, pixel)

    def drawn(self, target: Target | None) -> np.ndarray | None:
        seen = self.session.look_at(target, self.layer)
        return None if seen is None else seen.drawn


@pytest.fixture
def scene(session: ViewportSession, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(session, "settings_of", session.settings_of)
    return Scene(session)


def test_a_vertex_is_picked_on_the_instance_that_is_pointed_at(scene: Scene) -> None:
    character = bpy.data.collections.new("Character")
    character.objects.link(scene.skin)
    empties = []
    for x in (4.0, -4.0):
        empty = bpy.data.objects.new("Instance", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", character
        empty.location.x = x
        bpy.context.scene.collection.objects.link(empty)
        empties.append(empty)
    scene.draw()
    for x, instancer in ((0.0, 0), (4.0, empties[0].session_uid), (-4.0, empties[1].session_uid)):
        target = scene.at(x + 0.2, 1.1)
        assert target is not None
        assert target.instancer == instancer
        # The box has a vertex every 0.14 across and every 0.43 along.
        x_drawn, _, z_drawn = scene.drawn(target)
        assert abs(x_drawn - x - 0.2) < 0.1
        assert abs(z_drawn - 1.1) < 0.25
    assert scene.at(2.0, 1.1) is None
    empties[0].hide_set(True)
    scene.draw()
    assert scene.at(4.2, 1.1) is None


def test_what_is_picked_is_the_step_that_is_drawn_not_the_result(scene: Scene) -> None:
    bpy.context.scene.frame_set(12)
    scene.draw()
    upright = 0.1, 2.9
    assert scene.at(*upright) is None, "the arm is bent"
    scene.step = SpaceStep(0.0, 1.0)
    scene.draw()
    target = scene.at(*upright)
    assert target is not None
    at_rest = scene.skin.data.vertices[target.vertex].co
    assert np.allclose(scene.drawn(target), at_rest, atol=1e-5)
    assert abs(at_rest.x - upright[0]) < 0.1
    scene.step = None
    scene.draw()
    assert scene.at(*upright) is None


def test_of_a_vertex_that_several_parts_share_the_copy_that_is_pointed_at_is_picked(scene: Scene) -> None:
    scene.step = SpaceStep(float(BONE), 1.0)
    scene.world_to_view = FROM_TOP
    scene.draw()
    live = scene.preview.mesh_in_layer(scene.layer)
    assert live is not None
    assert live.frame is not None
    # All that can be seen from above, corner by corner: a click beside each of them finds it, where it was
    # clicked.
    positions = live.pickable(live.frame).positions
    places_of: dict[int, list[np.ndarray]] = {}
    for corner in positions[:, :2]:
        inside = corner + 0.01 * (positions[:, :2].mean(axis=0) - corner)
        target = scene.at(*inside)
        if target is not None:
            drawn = scene.drawn(target)
            assert np.abs(drawn[:2] - inside).max() < 0.25, "the box has a vertex every 0.14 and 0.43"
            places_of.setdefault(target.vertex, []).append(drawn)
    apart = [max(np.linalg.norm(one - instances[0]) for one in instances) for instances in places_of.values()]
    assert max(apart) > 1.0, "no vertex was picked in two parts"


def test_a_vertex_that_is_inspected_follows_the_frame_while_skinning_is_stopped(scene: Scene) -> None:
    scene.step = SpaceStep(float(BONE), 1.0)
    target = Target(scene.preview.uid, 5)
    for frame in (1, 12):
        bpy.context.scene.frame_set(frame)
        scene.draw()
        seen = scene.session.look_at(target, scene.layer)
        assert seen is not None, "the result has never been drawn"
        evaluated = scene.skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
        assert np.allclose(seen.trace.result, evaluated.data.vertices[5].co, atol=1e-5)
