"""`skinscope crowd` with several characters and variants of them: who walks about, as what, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.two_walkers import two

__all__ = ["two"]

VARIANTS = """\
[[variant]]
share = 3
scale = [0.5, 1.0]
tint = [1.0, 0.0, 0.0]
without = ["Hat"]

[[variant]]
character = "Giant"
share = 1
"""


def played(skinscope: Program, file: Path, *options: object) -> tuple[dict, np.ndarray, str]:
    """Return the events, the places (F, N, 2) and what was said."""
    folder = file.parent / "out"
    result = skinscope("crowd", file, "--seconds", 8, "--output", folder, "--seed", 3, *options)
    assert result.status == 0, result.complaints
    events = json.loads((folder / "events.json").read_text(encoding="utf-8"))
    with (folder / "positions.csv").open(encoding="utf-8") as stream:
        rows = [(float(one["x"]), float(one["y"])) for one in csv.DictReader(stream)]
    return events, np.array(rows).reshape(-1, events["count"], 2), result.output


@pytest.mark.gpu
def test_two_characters_share_a_crowd(two: Path, skinscope: Program):
    events, places, told = played(skinscope, two, "--count", 20, "--character", "Walker,Giant")
    assert [one["name"] for one in events["characters"]] == ["Walker", "Giant"]
    assert "Walker, 1.9 m tall" in told
    assert "Giant, 3.6 m tall" in told
    which = np.array([one["variant"] for one in events["agents"]])
    assert np.bincount(which).tolist() == [10, 10]
    radius = np.array([one["radius"] for one in events["settings"]["kinds"]])[which] / 1e6
    assert radius.max() > 1.4 * radius.min()
    first, second = np.triu_indices(20, 1)
    apart = np.linalg.norm(places[:, first] - places[:, second], axis=2)
    assert (apart - radius[first] - radius[second]).min() >= -0.001
    # Twice as tall, with the same clips: twice as fast.
    small, tall = (one["gaits"][1]["speed"] for one in events["characters"])
    assert tall == pytest.approx(2 * small, rel=1e-3)


@pytest.mark.gpu
def test_variants_come_from_a_file(two: Path, skinscope: Program):
    (two.parent / "variants.toml").write_text(VARIANTS, encoding="utf-8")
    events, _, told = played(skinscope, two, "--count", 40, "--variants", two.parent / "variants.toml")
    assert events["variants"] == [
        {"character": "Walker", "share": 3, "scale": [0.5, 1.0], "without": ["Hat"], "tint": [1.0, 0.0, 0.0]},
        {"character": "Giant", "share": 1, "scale": [1.0, 1.0], "without": [], "tint": [1.0, 1.0, 1.0]},
    ]
    scales = {
        which: [one["scale"] for one in events["agents"] if one["variant"] == which] for which in (0, 1)
    }
    assert (len(scales[0]), len(scales[1])) == (30, 10)
    assert 0.5 <= min(scales[0]) < 0.6
    assert 0.9 < max(scales[0]) <= 1
    assert set(scales[1]) == {1.0}
    assert "the widest two together" in told


@pytest.mark.gpu
def test_small_ones_walk_as_much_slower_as_they_are_smaller(two: Path, skinscope: Program):
    (two.parent / "variants.toml").write_text("[[variant]]\nscale = [0.5, 1.0]\n", encoding="utf-8")
    events, places, _ = played(
        skinscope, two, "--count", 12, "--variants", two.parent / "variants.toml", "--area", 60
    )
    ways = np.linalg.norm(np.diff(places, axis=0), axis=2) * 30
    speeds = {"walk": events["gaits"][1]["speed"], "run": events["gaits"][2]["speed"]}
    for agent, one in enumerate(events["agents"]):
        fastest = np.round(ways[:, agent].max() / one["scale"], 3)
        assert np.abs(np.array([*speeds.values(), 0.0]) - fastest).min() < 0.03 * speeds["run"]


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("variants", "told"),
    [
        ("", "'variants.toml' has no variants of a crowd; write 1 to 64 tables"),
        ("[[variant]]\n[other]\n", "'variants.toml' has no variants of a crowd"),
        (
            "[[variant]]\nsize = 1\n",
            "'variants.toml', variant 1: there is no key size; choose from character",
        ),
        ("[[variant]]\nshare = 1.5\n", "variant 1: share is 1.5; write a whole number from 0 to 1000"),
        ("[[variant]]\nscale = [1]\n", "variant 1: scale is [1]; write two factors"),
        ("[[variant]]\nscale = [2, 1]\n", "Agents can't be scaled from 2 to 1"),
        ("[[variant]]\ntint = [1, 2, 0]\n", "variant 1: tint is [1, 2, 0]; write three numbers"),
        ("[[variant]]\nwithout = [3]\n", "variant 1: without is [3]; write names"),
        (
            '[[variant]]\nwithout = ["Cap"]\n',
            "'Walker' has no mesh 'Cap' to leave out; choose one of Body, Hat",
        ),
        ('[[variant]]\nwithout = ["Body", "Hat"]\n', "A variant of 'Walker' has no mesh left"),
        ("[[variant]]\nshare = 0\n", "Nobody is of any variant"),
        ('[[variant]]\ncharacter = "Elf"\n', "There is no armature 'Elf'; choose one of Giant, Walker"),
        ("[[variant]\n", "is not a valid TOML file"),
    ],
)
def test_a_file_of_variants_that_makes_no_sense_is_refused(
    two: Path, skinscope: Program, variants: str, told: str
):
    path = two.parent / "variants.toml"
    path.write_text(variants, encoding="utf-8")
    result = skinscope("crowd", two, "--output", two.parent / "out", "--variants", path)
    assert result.status == 2
    assert told in result.complaints[-1]
    assert not (two.parent / "out").exists()


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--character", "Elf"), "There is no armature 'Elf'"),
        (("--character", "Walker,Giant", "--walk", "Walk"), "--idle, --walk and --run choose clips of one"),
        (("--character", "Walker", "--variants", "x.toml"), "--variants names its characters itself"),
        (("--variants", "missing.toml"), "can't be read"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    two: Path, skinscope: Program, options: tuple[str, ...], told: str
):
    result = skinscope("crowd", two, "--output", two.parent / "out", *options)
    assert result.status == 2
    assert told in result.complaints[-1]
