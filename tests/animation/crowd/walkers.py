"""Walkers in closed form: two legs that swing about a hip, and feet that stay where they are put."""

from __future__ import annotations

import numpy as np

from skinning_addon.animation.clip import Clip, dense_clip
from skinning_addon.animation.crowd.feet import Body
from skinning_addon.animation.local_pose import LocalPose
from skinning_addon.core.skinning.skeleton import Skeleton

HIP, HEIGHT = 0.9, 1.8
STRIDE = 1.4
"""Metres a cycle."""

CYCLE = 1.1
"""Seconds."""

DUTY = 0.6
"""The share of a cycle for which each foot is planted."""

LEFT_DOWN, RIGHT_DOWN = 0.2, 0.7
"""When feet come down, as shares of the cycle."""

FRAMES = 241


def skeleton(names: tuple[str, str] = ("foot.L", "foot.R")) -> Skeleton:
    """A hip, a foot at each side, and a head; root space has Z up."""
    heads = np.array([(0, 0, HIP), (0.1, 0, 0), (-0.1, 0, 0), (0, 0, HEIGHT)])
    rest = np.tile(np.eye(4), (4, 1, 1))
    rest[:, 3, :3] = heads
    return Skeleton(("hip", *names, "head"), np.array([-1, 0, 0, 0]), rest)


def body(turned: float = 0.0, scale: float = 1.0) -> Body:
    """The walker in a world where it is turned about Z by degrees, and scaled."""
    angle = np.radians(turned)
    root_to_world = np.eye(4)
    root_to_world[:2, :2] = (np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))
    root_to_world[:3, :3] *= scale
    root_to_world[3, :3] = 5, -3, 0
    return Body.of(skeleton(), root_to_world)


def foot_way(phase: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a foot is relative to the hip along the way, and its height, at phases since it came down."""
    phase = phase % 1
    swing = (phase - DUTY) / (1 - DUTY)
    planted = phase <= DUTY
    front = STRIDE * DUTY / 2
    # Swings back to the front, smoothly.
    along = np.where(planted, front - STRIDE * phase, -front + 2 * front * swing * swing * (3 - 2 * swing))
    return along, np.where(planted, 0, 0.25 * np.sin(np.pi * np.clip(swing, 0, 1)))


def walk(*, travels: bool = False, wavering: float = 0.0, missing: int = 0, name: str = "Walk") -> Clip:
    """One cycle along -Y. wavering: metres by which the body falls behind and catches up twice a cycle, its
    feet sliding with it. missing: frames left out at the end.
    """
    share = np.linspace(0, 1, FRAMES)[: FRAMES - missing]
    translation = np.zeros((3, len(share), 4))
    translation[:, :, :] = np.array([(0, 0, HIP), (0.1, 0, -HIP), (-0.1, 0, -HIP), (0, 0, HEIGHT - HIP)]).T[
        :, None
    ]
    for bone, down in ((1, LEFT_DOWN), (2, RIGHT_DOWN)):
        along, height = foot_way(share - down)
        translation[1, :, bone] = -along
        translation[2, :, bone] += height
    translation[1, :, 0] = wavering * np.sin(4 * np.pi * share) - (STRIDE * share if travels else 0)
    return _clip(name, share, translation)


def stand(name: str = "Idle") -> Clip:
    """Breathing."""
    share = np.linspace(0, 1, FRAMES)
    translation = np.zeros((3, len(share), 4))
    translation[:, :, :] = np.array([(0, 0, HIP), (0.1, 0, -HIP), (-0.1, 0, -HIP), (0, 0, HEIGHT - HIP)]).T[
        :, None
    ]
    translation[2, :, 3] += 0.01 * np.sin(2 * np.pi * share)
    return _clip(name, share, translation)


def fly(name: str = "Fly") -> Clip:
    """A walk two metres above the ground."""
    clip = walk(name=name)
    share = np.linspace(0, 1, FRAMES)
    translation = np.zeros((3, FRAMES, 4))
    translation[:, :, :] = np.array(
        [(0, 0, HIP + 2), (0.1, 0, -HIP), (-0.1, 0, -HIP), (0, 0, HEIGHT - HIP)]
    ).T[:, None]
    translation[1, :, 1] = 0.2 * np.sin(2 * np.pi * share)
    return _clip(clip.name, share, translation)


def _clip(name: str, share: np.ndarray, translation: np.ndarray) -> Clip:
    rotation = np.zeros((4, len(share), 4))
    rotation[0] = 1
    pose = LocalPose(translation, rotation, np.ones((3, len(share), 4)))
    return dense_clip(name, ("hip", "foot.L", "foot.R", "head"), share * CYCLE * 24, pose)
