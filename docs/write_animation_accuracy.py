"""Writes docs/animation-accuracy.md from a run of the tests of clips.

    SKINSCOPE_RIGS=FOLDER ./run test tests/measurement/test_clips_of_rigs.py
        with SKINSCOPE_EVERY_CLIP=1 and SKINSCOPE_ACCURACY=clips.jsonl
    python docs/write_animation_accuracy.py clips.jsonl

The page holds what the tests measured, and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

PAGE = Path(__file__).with_name("animation-accuracy.md")

HEAD = """# Accuracy of baked clips

`docs/write_animation_accuracy.py` writes this page from a run of `tests/measurement/test_clips_of_rigs.py`;
don't edit it by hand.

Each clip is baked, sampled at whole frames and between them, run down the hierarchy and skinned, and its
vertices are compared with Blender's own evaluated mesh. Figures are the largest distance of a vertex, divided
by (diagonal of the rest mesh + largest displacement); up to 1e-5 counts as exact. *Reduced* clips keep
only the keys that hold every vertex within 1e-3 of the whole character's size; their figures are shares of
that size.

A clip of translations, rotations and scales can't store shear. If bones are sheared, all three figures
include that loss, and *explained* says how far vertices are off, at whole frames and between them, once each
bone's shear at that frame is added to the clip's pose. Bendy bones are bent by their handles, in the clip's
pose.

## Summary

| rig | clips | worst at whole frames | between frames | reduced, worst | memory | reduced memory |
|---|---|---|---|---|---|---|
"""


def main() -> None:
    by_rig: defaultdict[str, list[dict]] = defaultdict(list)
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["test"] == "clips":
            by_rig[entry["rig"]].append(entry)
    page = [HEAD, *(_summary(rig, entries) for rig, entries in by_rig.items())]
    for rig, entries in by_rig.items():
        page.extend(_table(rig, entries))
    PAGE.write_text("".join(page), encoding="utf-8")


def _summary(rig: str, entries: list[dict]) -> str:
    worst = (f"{max(one[kind] for one in entries):.1e}" for kind in ("whole", "fractional", "reduced"))
    memory = (_kilobytes(one[kind] for one in entries) for kind in ("bytes", "reduced_bytes"))
    return f"| {' | '.join((rig, str(len(entries)), *worst, *memory))} |\n"


def _table(rig: str, entries: list[dict]) -> Iterator[str]:
    sheared = any(one["shear"] for one in entries)
    yield f"\n## {rig}\n\n| clip | whole | between | reduced | keys | reduced | memory | reduced |"
    yield " shear | explained, whole | explained, between |\n" if sheared else "\n"
    yield f"|{'---|' * (11 if sheared else 8)}\n"
    for one in entries:
        figures = (f"{one[kind]:.1e}" for kind in ("whole", "fractional", "reduced"))
        keys = (str(one[kind]) for kind in ("keys", "reduced_keys"))
        memory = (_kilobytes([one[kind]]) for kind in ("bytes", "reduced_bytes"))
        shear = _shear(one) if sheared else ()
        yield f"| {' | '.join((one['clip'], *figures, *keys, *memory, *shear))} |\n"


def _shear(one: dict) -> tuple[str, str, str]:
    whole, fractional = (f"{one[kind]:.1e}" for kind in ("unexplained_whole", "unexplained_fractional"))
    return f"{one['shear']:.2g} ({one['shear_bone']})", whole, fractional


def _kilobytes(sizes: Iterable[int]) -> str:
    return f"{sum(sizes) / 1000:.1f} kB"


main()
