"""Choices that an engine has, because the specification leaves them open or because a file breaks its rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How an engine reads a file. The defaults are the specification's formula over all that the file has.

    sets: of joints and weights read; None for all. normalized: whether weights are divided by their sum.
    unweighted: where vertices go whose weights are all zero: "formula" (to the origin), "first" (with joint
    0), "unskinned" (as stored), or "nowhere" (NaN). animations: which play; None for all at once. rotation:
    between linear keys, "slerp" or "nlerp".
    """

    sets: int | None = None
    normalized: bool = False
    unweighted: str = "formula"
    animations: tuple[int, ...] | None = None
    rotation: str = "slerp"


BY_SPECIFICATION = Reading()
