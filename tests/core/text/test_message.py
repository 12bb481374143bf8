from __future__ import annotations

import copy
import json
import pickle

import pytest

from skinning_addon.core.text.errors import BindingError, StaleBindingError
from skinning_addon.core.text.message import Clause, Message, Sentence

KOREAN = {
    "'{mesh}' has {count} vertices.": "'{mesh}'에 버텍스가 {count}개 있습니다.",
    "{problem} (Blender says: {error})": "{problem} (Blender: {error})",
    "not a number": "숫자가 아님",
    "Off by {distance} at frame {frame:g}": "프레임 {frame:g}에서 {distance} 벗어남",
}


def korean(text):
    return KOREAN.get(text, text)


def test_to_code_it_is_the_english_text():
    message = Message("'{mesh}' has {count} vertices.", mesh="Body", count=3)
    assert message == "'Body' has 3 vertices."
    assert json.loads(json.dumps({"message": message})) == {"message": "'Body' has 3 vertices."}
    assert f"{message}" == "'Body' has 3 vertices."


def test_it_is_told_again_in_another_language_in_that_language_s_order():
    message = Message("Off by {distance} at frame {frame:g}", distance="4.1 mm", frame=17.0)
    assert message.retold(korean) == "프레임 17에서 4.1 mm 벗어남"


def test_messages_inside_are_translated_and_names_are_not():
    inner = Message("'{mesh}' has {count} vertices.", mesh="not a number", count=0)
    outer = Message("{problem} (Blender says: {error})", problem=inner, error=Message("not a number"))
    assert outer.retold(korean) == "'not a number'에 버텍스가 0개 있습니다. (Blender: 숫자가 아님)"


def test_braces_in_names_are_no_placeholders():
    message = Message("'{mesh}' has {count} vertices.", mesh="{count}{0}", count=3)
    assert message == "'{count}{0}' has 3 vertices."
    assert message.retold(korean) == "'{count}{0}'에 버텍스가 3개 있습니다."
    assert Message("a {brace} of nobody's").retold(korean) == "a {brace} of nobody's"


def test_an_error_s_text_is_its_message():
    error = BindingError("'{mesh}' has {count} vertices.", rule="no-vertices", mesh="Body", count=0)
    told = str(error)
    assert told == "'Body' has 0 vertices."
    assert isinstance(told, Message)
    assert told.retold(korean) == "'Body'에 버텍스가 0개 있습니다."
    assert error.rule == "no-vertices"
    # Raised again, the message is the same one.
    assert str(BindingError(told)) is told


@pytest.mark.parametrize("carry", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301
def test_it_survives_being_sent_to_another_process(carry):
    message = carry(Message("'{mesh}' has {count} vertices.", mesh="Body", count=3))
    assert message == "'Body' has 3 vertices."
    assert message.retold(korean) == "'Body'에 버텍스가 3개 있습니다."
    error = carry(StaleBindingError("'{mesh}' has {count} vertices.", mesh="Body", count=3))
    assert str(error).retold(korean) == "'Body'에 버텍스가 3개 있습니다."
    assert error.rule == "stale"


def test_a_sentence_begins_with_a_capital_in_every_language():
    part = Message("left {part}", part=Message("hand"))
    sentence = Sentence("{part} off by {distance}", part=part, distance="4 mm")
    assert sentence == "Left hand off by 4 mm"
    german = {
        "{part} off by {distance}": "{part} um {distance} daneben",
        "left {part}": "linke {part}",
        "hand": "Hand",
    }
    assert sentence.retold(german.get) == "Linke Hand um 4 mm daneben"
    assert Sentence("{part} off", part="'bone'") == "'bone' off"
    # A name at the beginning keeps its spelling, also one that is translated.
    for engine in ("three.js", Message("three.js")):
        told = Sentence("{part} off in {engine}", part=part, engine=engine)
        table = {**german, "{part} off in {engine}": "{engine}: {part}", "three.js": "three.js"}
        assert told.retold(table.get) == "three.js: linke Hand"


@pytest.mark.parametrize(
    ("sentence", "within"),
    [
        ("The FBX exporter leaves out keys.", "the FBX exporter leaves out keys"),
        ("Set Simplify to 0.", "set Simplify to 0"),
        ("Preserve Volume is lost.", "Preserve Volume is lost"),
        ("Blender mixes NLA tracks.", "Blender mixes NLA tracks"),
        ("Bones are posed without keys.", "bones are posed without keys"),
    ],
)
def test_a_clause_begins_in_lower_case_unless_with_a_name(sentence: str, within: str):
    assert Clause(sentence) == within
