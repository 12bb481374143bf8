"""A deviation reported with its largest cause, in English and in another language."""

from __future__ import annotations

from dataclasses import replace

from skinning_addon.core.text.message import Clause, Message
from skinning_addon.core.verdicts.cause_sentence import with_cause
from skinning_addon.core.verdicts.finding import REMAINDER, Finding, Severity
from skinning_addon.core.verdicts.rules import RULES

SENTENCE = Message("Hand off by {distance}", distance="4 mm")


def finding(
    rule: str, deviation: float | None, fix: str = "", mesh: str = "Body", profile: str = "unity-4"
) -> Finding:
    return Finding(rule, Severity.WARNING, mesh, "", fix=fix, deviation=deviation, profile=profile)


def test_the_largest_cause_and_its_fix_end_the_sentence() -> None:
    findings = [
        finding("weight-precision", 1e-3),
        finding("influence-limit", 4e-3, Message("Limit the influences.")),
        finding("sheared-local-matrix", 9e-3, mesh="Coat"),
        finding("bendy-bones", 8e-3, profile="unity-1"),
        finding(REMAINDER, 7e-3),
    ]
    assert with_cause(SENTENCE, findings, "Body", "unity-4") == (
        "Hand off by 4 mm, mostly because vertices have more influences than the shader receives; limit "
        "the influences"
    )


def test_what_counts_is_what_a_cause_does_where_the_mesh_is_furthest_off() -> None:
    elsewhere = replace(finding("bendy-bones", 9e-3), at_worst=1e-7)
    there = replace(finding("preserve-volume", 4e-3), at_worst=3.9e-3)
    told = with_cause(SENTENCE, [elsewhere, there], "Body", "unity-4")
    assert told == "Hand off by 4 mm, mostly because Preserve Volume does not reach the engine"
    assert with_cause(SENTENCE, [elsewhere], "Body", "unity-4") == SENTENCE


def test_without_a_cause_or_a_fix() -> None:
    assert with_cause(SENTENCE, [finding("influence-limit", None)], "Body", "unity-4") == SENTENCE
    assert (
        with_cause(SENTENCE, [finding("weight-precision", 1e-3)], "Body", "unity-4")
        == "Hand off by 4 mm, mostly because weights are stored with few bits"
    )


def test_names_keep_their_capitals() -> None:
    told = with_cause(SENTENCE, [finding("preserve-volume", 1e-3)], "Body", "unity-4")
    assert told.endswith("because Preserve Volume does not reach the engine")


def test_every_part_is_translated() -> None:
    # And spelt as the table has it: the first word may be a name there.
    table = {
        SENTENCE.template: "Hand {distance} daneben",
        RULES["influence-limit"].cause.template: "Zu viele Einfluesse",
        "Limit the influences.": "Begrenze sie.",
        "{sentence}, mostly because {cause}; {fix}": "{sentence}: {cause}, {fix}!",
    }
    fix = Message("Limit the influences.")
    told = with_cause(SENTENCE, [finding("influence-limit", 1.0, fix)], "Body", "unity-4")
    assert told.retold(lambda text: table[text]) == "Hand 4 mm daneben: Zu viele Einfluesse, Begrenze sie!"


def test_every_cause_and_fix_reads_on_within_a_sentence() -> None:
    """Two capitals at the beginning are taken for a name, as of Preserve Volume."""
    names = {"Preserve Volume", "Blender"}
    for rule in RULES.values():
        for text in filter(None, (rule.cause, rule.fix)):
            begins = Clause(text)[:1]
            assert begins.islower() or any(text.startswith(one) for one in names), (rule.id, text)
