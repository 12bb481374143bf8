"""Configurations and engine profiles: valid values of every key, with their meaning, and invalid ones.

Written by hand from docs/ci.md and docs/profiles.md.
"""

from __future__ import annotations

import json
from typing import Any

from skinning_addon.core.profiles.verification import Evidence, Verification

Values = dict[str, tuple[list[tuple[str, Any]], list[str]]]
"""By key: TOML texts with their meaning, and texts that must be refused."""

NO_TEXT = ["5", "1.5", "true", "[]", "{}", "[5]", "1979-05-27", "nan", "[[]]", '""']
NO_FLAG = ["0", "1", '"true"', "[]", "{}", "nan", '""']

CHECK: Values = {
    "tolerance": (
        [('"1mm"', (0.001, False)), ('"2 cm"', (0.02, False)), ('"0.1%"', (0.001, True)), ("'1e-5'", (1e-5, True)), ('"1in"', (0.0254, False))],
        [*NO_TEXT, '"mm"', '"-1mm"', '"0"', '"0mm"', '"nan"', '"inf"', '"1e999"', '"1e-999"', '"1 parsec"', '"1,5mm"', '"0x10mm"', '"1e-323%"', '"1e308km"', '"1e-323thou"', '"1..5mm"', '"+-1"'],
    ),
    "frames": (
        [('"1:40"', (1.0, 40.0, None)), ('"-5:5:0.5"', (-5.0, 5.0, 0.5)), ('"7"', (7.0, 7.0, None)), ('"0:27.5:0.5"', (0.0, 27.5, 0.5)), ('"+1:2"', (1.0, 2.0, None))],
        [*NO_TEXT, '"a:b"', '"5:1"', '"1:2:0"', '"1:2:-1"', '"1:2:3:4"', '"1e3"', '"0:99999999999999999999"', '"-99999999999:0"', '"0:1000000:0.00001"', '"nan:1"', '"1:inf"', '":"', '"1:"', '":5"', '"0x1:5"', '"1;5"', f'"{"9" * 400}"', f'"0:{"9" * 400}"', '"0:1:0.000000000000001"'],
    ),
    "normals": (
        [('"5deg"', 5.0), ('"2.5"', 2.5), ('"0"', 0.0), ('"180 deg"', 180.0), ('"7\N{DEGREE SIGN}"', 7.0)],
        [*NO_TEXT, '"-1"', '"181"', '"nan"', '"5rad"', '"5mm"', '"deg"', '"5,0"', '"1e2"', f'"{"9" * 400}"'],
    ),
    "visibility": ([('"viewport"', "viewport"), ('"render"', "render")], [*NO_TEXT, '"renders"', '"RENDER"', '" render"']),
    "clips": (
        [('"all"', ("all",)), ('["Walk", "Run"]', ("Walk", "Run")), ('"Walk, Run"', ("Walk", "Run")), ('["Läuft"]', ("Läuft",))],
        ["5", "1.5", "true", "[]", "{}", "[5]", "nan", "[[]]", '""', '","', '"Walk,,Run"', '[""]', '["Walk", 5]', '["Walk", ""]', '[["Walk"]]', "[{}]"],
    ),
    "profiles": (
        [('["threejs"]', ("threejs",)), ('["unity-4", "threejs"]', ("unity-4", "threejs")), ('["blender"]', ("blender",)), ('["threejs", "threejs"]', ("threejs",))],
        ['"threejs"', *NO_TEXT, '["nope"]', '[""]', '["missing.toml"]', '["../x/threejs.toml"]', '["threejs", 5]', '["a\\u0000.toml"]', '[".toml"]', '["THREEJS"]', f'["{"x" * 5000}.toml"]', '["/dev/null.toml"]'],
    ),
    "clips_from": ([('"walk.glb"', "walk.glb"), ('"../walk.blend"', "../walk.blend")], [*NO_TEXT, '"a\\u0000b"']),
    "retarget": ([("false", False)], NO_FLAG),
    "export_option": ([("{}", {}), ("{export_def_bones = true}", {"export_def_bones": True}), ("{export_influence_nb = 8}", {"export_influence_nb": 8})], ["5", "true", '"export_def_bones=true"', "[]", "{nope = 1}", "{export_def_bones = 1}", '{export_influence_nb = "8"}', "{export_influence_nb = 1.5}"]),
    "strict": ([("true", True), ("false", False)], NO_FLAG),
    "baseline": ([('"no-such.json"', None)], [*NO_TEXT, '"a\\u0000b"', '"."', '".."', '"/"', f'"{"x" * 5000}"']),
    "exclude": (
        [('["backup", "*_old.blend"]', ("backup", "*_old.blend")), ("[]", ()), ('["Läuft/alt"]', ("Läuft/alt",)), ("['[']", ("[",))],
        ["5", "1.5", "true", "{}", "[5]", "1979-05-27", "nan", "[[]]", '""', '"backup"', '[""]', '["backup", 5]', '["backup", ""]', '[["backup"]]'],
    ),
    "pictures": ([('"pictures"', "pictures"), ('"a/../pictures"', "pictures")], [*NO_TEXT, '"a\\u0000b"']),
    "cache": ([('"kept"', "kept"), ('"a/../kept"', "kept")], [*NO_TEXT, '"a\\u0000b"']),
}  # fmt: skip
LENGTH_WRONG = [*NO_TEXT, '"0.1%"', '"1"', '"1e-5"', '"-1mm"', '"0mm"', '"1e999m"', '"nan"']
THRESHOLDS: Values = {
    "invisible": ([('"0.2mm"', (0.0002, 0))], [*LENGTH_WRONG, '"1m"', '"1mm"']),
    "good": ([('"2mm"', (0.002, 1))], [*LENGTH_WRONG, '"1m"', '"0.05mm"', '"5mm"']),
    "fail": ([('"2cm"', (0.02, 2))], [*LENGTH_WRONG, '"0.5mm"', '"1mm"', '"1e306km"']),
}
SEVERITY_WRONG = [*NO_TEXT, '"fatal"', '"ERROR"', '"none"']
SEVERITY: Values = {
    rule: (
        [('"error"', "error"), ('"warning"', "warning"), ('"info"', "info"), ('"off"', None)],
        SEVERITY_WRONG,
    )
    for rule in ("influence-limit", "modifier-after", "no-weights", "object-scale")
} | {rule: ([], ['"error"', '"off"', *NO_TEXT]) for rule in ("tolerance", "no-such-rule", "Modifier-After")}

TABLES = {"check": CHECK, "thresholds": THRESHOLDS, "severity": SEVERITY}


def _choices(*names: str) -> tuple[list[tuple[str, Any]], list[str]]:
    return [(json.dumps(one), one) for one in names], [
        *NO_TEXT,
        '"no such"',
        json.dumps(names[0].upper() + " "),
    ]


def _flag() -> tuple[list[tuple[str, Any]], list[str]]:
    return [("true", True), ("false", False)], NO_FLAG


def _whole(
    smallest: int, largest: int, *, unlimited: bool = False
) -> tuple[list[tuple[str, Any]], list[str]]:
    good: list[tuple[str, Any]] = [(str(smallest), smallest), (str(largest), largest)]
    bad = [
        str(smallest - 1),
        str(largest + 1),
        "4.5",
        "4.0",
        "nan",
        "inf",
        "true",
        "[]",
        "{}",
        '"4"',
        "-4",
        "9" * 30,
    ]
    bad.append("0x" + "f" * 20000)
    return good + [('"all"', None)] * unlimited, bad + ['"all"'] * (not unlimited) + ['"ALL"']


PROFILE: dict[str, Values] = {
    "exporter": {
        "format": _choices("none", "gltf", "fbx", "usd"),
        "influences": _whole(1, 255, unlimited=True),
        "deform_bones_only": _flag(),
    },
    "importer": {
        "influences": _whole(1, 255, unlimited=True),
        "keep": _choices("largest", "first", "last-set", "bone-order"),
        "minimum_weight": (
            [("0", 0.0), ("1", 1.0), ("0.25", 0.25)],
            ["-0.1", "1.1", "nan", "inf", "-inf", "true", '"0.5"', "[]", "{}", "0x" + "f" * 20000],
        ),
        "normalise": _choices("never", "always", "cut"),
        "all_zero": _choices("rest", "first-joint", "origin"),
        "bones_by_name": _flag(),
        "node_transform": _flag(),
        "below_armature": _flag(),
        "node_keys": _flag(),
        "joint_number_bits": _whole(8, 32),
        "samples_per_second": (
            [("0", 0.0), ("1000", 1000.0), ("29.97", 29.97)],
            ["-0.1", "1000.1", "nan", "inf", "-inf", "true", '"30"', "[]", "{}"],
        ),
        "sampling": _choices("local", "joined", "next-key", "chord"),
    },
    "weights": {
        "format": _choices("f32", "unorm16", "unorm8"),
        "rounding": _choices("nearest", "truncate"),
        "quantise": _choices("before-normalising", "after-normalising"),
        "last_implied": _flag(),
    },
    "hierarchy": {
        "rule": _choices(
            "matrices",
            "trs",
            "component-scale",
            "flattened",
            "fbx-trs",
            "fbx-component-scale",
            "panda3d",
            "usd",
        )
    },
    "palette": {
        "index_bits": _whole(8, 32),
        "entries": _whole(1, 65536, unlimited=True),
        "beyond": _choices("split", "rest"),
        "rows": _whole(3, 4),
    },
    "shader": {
        "blend": _choices("linear", "blender", "dual-quaternion"),
        "normalise": _choices("never", "homogeneous", "shader"),
        "origin": _choices("armature", "world"),
        "normals": _choices("matrix", "cofactors", "joint-cofactors", "last-joint"),
        "unmoved": _choices("rest", "not-drawn"),
    },
    "lost": {
        **{
            key: _flag()
            for key in (
                "bendy_bones",
                "envelopes",
                "masks",
                "earlier_armatures",
                "non_deform_bones",
                "skins_on_bones",
            )
        },
        "counting_armature": _choices("last", "first", "parent"),
        "mesh_motion": _choices("kept", "frame-0", "first-frame", "current-frame"),
    },
    "axes": {
        "up": (
            [('"Z"', "Z"), ('"-Z"', "-Z"), ('"X"', "X")],
            [*NO_TEXT, '"W"', '"z"', '"--Z"', '"+Z"', '"Y"', '"-Y"'],
        ),
        "forward": ([('"X"', "X"), ('"-Y"', "-Y")], [*NO_TEXT, '"W"', '"y"', '"Z"', '"-Z"']),
        "handedness": _choices("left", "right"),
        "unit": (
            [("1", 1.0), ("0.01", 0.01), ("1e-6", 1e-6)],
            ["0", "-1", "nan", "inf", "1e7", "1e-7", "true", '"1"', "[]", "{}", "9" * 400],
        ),
    },
}
TOP: Values = {
    "label": ([('"Ours"', "Ours"), ('"{label}"', "{label}"), ('"%s"', "%s")], NO_TEXT),
    "version": ([('"1"', "1")], NO_TEXT),
    "sources": ([('["a"]', ("a",))], ['"a"', "5", "true", "{}", "[5]", "[[]]", '[""]', "[]"]),
    "unchecked": ([('["a"]', ("a",)), ("[]", ())], ['"a"', "5", "true", "{}", "[5]", "[[]]", '[""]']),
    "group": ([('"engine"', "engine"), ('"historic"', "historic")], [*NO_TEXT, '"blender"', '"Engine"']),
    "verified": (
        [
            ("{}", Verification()),
            (
                '{file = {by = "it", version = "1", rigs = 3, figure = 0}}',
                Verification(file=Evidence("it", "1", 3, 0.0)),
            ),
        ],
        [
            '"file"',
            "true",
            "{whole = {}}",
            "{file = {}}",
            '{file = {by = "it", version = "1", rigs = 0, figure = 0}}',
            '{file = {by = "it", version = "1", rigs = 3, figure = nan}}',
            '{beyond = "a"}',
        ],
    ),
    "extends": ([], [*NO_TEXT, '"nope"', '"studio"', '"blender"', '"../threejs"', '"threejs.toml"']),
}
