"""What `check` finds about any random rig, for the tests."""

from __future__ import annotations

from typing import Any

OF_ANY_RANDOM_RIG = [
    ("unweighted-vertices", "warning", 0.0),
    ("all-zero-weights", "warning", 0.0),
    ("groups-without-bone", "info", 0.0),
]


def besides_its_weights(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what is found about every random rig: rule, severity and deviation."""
    of_any = {rule for rule, _, _ in OF_ANY_RANDOM_RIG}
    return [one for one in findings if one["rule"] not in of_any]
