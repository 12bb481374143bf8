"""Agents that the GPU poses are where the processor would have them, whether they fade or not."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.crowd.fixed_point import CYCLE, FULL
from skinning_addon.animation.crowd.gaits import fading, weights
from skinning_addon.animation.crowd.kinds import IDLE, ROLES
from skinning_addon.animation.crowd.posing import CrowdPoser
from skinning_addon.animation.palettes import instance_palettes
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.scene.crowd.variants import Troupe
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.crowds.drawn_agents import PosedAgents, SampledAgents
from tests.drawing.canvas import PIXELS, canvas, painted
from tests.viewport.crowds.test_scene_crowd import COUNT, Chosen

STEP = 700
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def player():
    made = Chosen()
    found = made.refreshed(sampled=True, tolerance=TOLERANCE).player
    assert found.follow(STEP, lambda: False)
    yield found
    made.crowd.stop()


def poser_of(player) -> CrowdPoser:
    return player.character.poser


def troupe_of(player) -> Troupe:
    return player.characters[0].troupe


def test_some_agents_posed_alone_are_as_among_all(player):
    state, settings = player.crowd.state, player.crowd.settings
    joints = player.character.meshes[0].binding.passes[0].joints
    poser = poser_of(player)
    (everybody,) = poser.palettes(state, settings, (joints,))
    for who in (np.arange(0), np.array([3]), np.array([7, 2, 29])):
        (some,) = poser.palettes(state.of(who), settings, (joints,))
        np.testing.assert_allclose(some, everybody[who], atol=1e-6)


def test_agents_are_posed_as_an_animation_controller_poses_them(player):
    """A track for each role, at the agents' phases and weights, by its own timeline."""
    state, settings, character = player.crowd.state, player.crowd.settings, player.character
    joints = character.meshes[0].binding.passes[0].joints
    poser = poser_of(player)
    controller = Controller(character.body.skeleton, poser.clips, tracks=len(ROLES), instances=COUNT)
    share = weights(state, settings) / FULL
    for role in ROLES:
        clip = character.strides[role].clip
        phase = state.idle_phase if role == IDLE else state.stride_phase
        for agent in range(COUNT):
            position, weight = phase[agent] / CYCLE * clip.duration, min(share[role, agent], 1.0)
            controller.set_track(
                role, clip.name, position=position, speed=0.0, weight=weight, instances=(agent,)
            )
    expected = instance_palettes(controller, joints, np.eye(4), places=poser.places(state))
    (found,) = poser.palettes(state, settings, (joints,))
    assert fading(weights(state, settings)).any()
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_samples_are_within_the_tolerance_of_every_vertex(player):
    """By the formula, of all who hear one clip: 1 mm at 1.8 m, which is the walker's height."""
    state, settings = player.crowd.state, player.crowd.settings
    clips = player.characters[0].sampled
    (mesh,) = player.character.meshes
    skin, joints = mesh.binding.passes[0].skin, mesh.binding.passes[0].joints
    settled = np.flatnonzero(~fading(weights(state, settings)))
    assert 0 < len(settled) < COUNT
    poser = poser_of(player)
    exact = poser.palettes(state, settings, (joints,))[0][settled].astype(np.float64)
    heard = poser.heard(state.of(settled), settings, clips)
    samples = clips.palettes(joints).astype(np.float64)
    share = heard.fraction[..., None, None, None]
    blended = (1 - share) * samples[heard.before] + share * samples[heard.after]
    found = (heard.weight[..., None, None, None] * blended).sum(axis=1) @ heard.places[:, None]
    at = np.concatenate((mesh.binding.mesh.positions, np.ones((mesh.binding.mesh.vertex_count, 1))), axis=1)
    joint, vertex = skin.joints, skin.vertex_of_influence
    apart = np.einsum("vi,nvij->nvj", at[vertex], (found - exact)[:, joint])
    worst = np.linalg.norm(apart[..., :3], axis=-1).max()
    assert worst <= TOLERANCE
    assert worst <= player.characters[0].sampling_deviation * 1.01


@pytest.mark.gpu
def test_everybody_is_drawn_once_by_either(player):
    """Those that fade by the processor, all others by the GPU: the picture is that of the processor alone."""
    state, settings = player.crowd.state, player.crowd.settings
    sampled = SampledAgents(troupe_of(player), player.characters[0].sampled, 1e9)
    sampled._fades[:] = np.inf
    view = View(np.eye(4), np.diag((1 / 8, 1 / 8, -1 / 8, 1.0)), PIXELS)
    seen = []
    for drawn in (sampled, PosedAgents(troupe_of(player))):
        drawn.send(state, settings)
        with canvas() as picture:
            with picture.drawing():
                drawn.draw("shaded", view, DisplaySettings(), lambda _mesh: ())
            seen.append(painted(picture.pixels()))
    fade = int(fading(weights(state, settings)).sum())
    assert 0 < fade < COUNT
    assert [one._palette.instances for _, one in sampled.drawings] == [COUNT - fade, fade]
    assert seen[1].sum() > 2 * COUNT
    assert np.count_nonzero(seen[0] ^ seen[1]) <= 0.02 * seen[1].sum()
    sampled.free()


@pytest.mark.gpu
def test_who_plays_a_clip_beyond_the_tolerance_is_left_to_the_processor(player):
    state, settings = player.crowd.state, player.crowd.settings
    clips = player.characters[0].sampled
    worst = int(np.argmax(clips.deviations))
    below = max(one for one in clips.deviations if one < clips.deviations[worst])
    drawn = SampledAgents(troupe_of(player), clips, (below + clips.deviations[worst]) / 2)
    drawn.send(state, settings)
    heard = weights(state, settings)[[one.clip is clips.clips[worst] for one in player.character.strides]]
    beyond = fading(weights(state, settings)) | (heard > 0).any(axis=0)
    assert beyond.sum() > fading(weights(state, settings)).sum()
    assert [one._palette.instances for _, one in drawn.drawings] == [COUNT - beyond.sum(), beyond.sum()]
    drawn.free()
