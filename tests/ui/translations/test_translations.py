from __future__ import annotations

import string

import bpy
import pytest
from bpy.app.translations import pgettext

from skinning_addon.ui.engine.mesh_fix import MeshFix
from skinning_addon.ui.registration import CLASSES
from skinning_addon.ui.translations import _in_both_contexts, register_translations, unregister_translations
from skinning_addon.ui.translations.korean import KOREAN
from skinning_addon.viewport.choices.translation import CONTEXT, language, translated
from tests.ui.interface_strings import strings_of_interface, strings_of_source, strings_of_sources
from tests.ui.korean_gaps import gaps


@pytest.fixture
def said(session):  # noqa: ARG001 - registers the classes
    """All that the interface says: (context, English) -> where."""
    return strings_of_interface()


def test_the_interface_says_something(said):
    """The collector finds each kind of words where they are."""
    assert said["Operator", "Start Preview"] == "SKINSCOPE_OT_preview_start"
    assert said["*", "Stop drawing the skinned meshes"] == "SKINSCOPE_OT_preview_stop"
    assert said["*", "How to show previews in the 3D view"] == "SKINSCOPE_PT_display"
    assert said["*", "Wireframe"] == "SKINSCOPE_PG_settings.wireframe"
    assert said["*", "Shaded"] == "SKINSCOPE_PG_settings.display SHADED"
    assert (
        next(text for _, text in said if "to skin." in text)
        == "'{mesh}' has no vertices, so there is nothing to skin."
    )
    assert said["*", "No preview"].startswith("ui/preview/panels.py:")


def test_a_sentence_without_korean_is_printed_as_a_line_to_paste():
    """Whether the real table is whole is asked by `./run lint`, as a warning, and `./run build --release`."""
    missing = gaps(
        [("*", "New"), ("*", "Old"), ("*", "Pasted only")], {("*", "Old"): "옛", ("*", "Pasted only"): ""}
    )
    assert [one.splitlines()[1:] for one in missing] == [
        ['    ("*", "New"): "",', '    ("*", "Pasted only"): "",']
    ]
    assert missing[0].startswith("add these")


def test_korean_for_words_that_nothing_says_is_named():
    (stale,) = gaps([("*", "Old")], {("*", "Gone"): "간", ("*", "Old"): "옛"})
    assert stale.startswith("take these out")
    assert stale.splitlines()[1:] == ['    ("*", "Gone"): "",']


def test_a_line_out_of_order_is_named():
    keys = [("*", "A"), ("*", "C"), ("*", "B")]
    (unsorted,) = gaps(keys, dict.fromkeys(keys, "가"))
    assert unsorted.splitlines()[1:] == ['    ("*", "C"): "",', '    ("*", "B"): "",']


def test_nothing_is_put_together_before_it_can_be_translated():
    composed = [f"{one.place}: {one.key[1]}" for one in strings_of_sources() if one.untranslatable]
    assert not composed, "give a template and arguments (docs/development.md):\n" + "\n".join(composed)


def test_the_table_is_sorted_and_korean():
    assert list(KOREAN) == sorted(KOREAN)
    for (_, english), korean in KOREAN.items():
        hangul = any("\uac00" <= letter <= "\ud7a3" for letter in korean)
        assert hangul or korean == english, english
        assert korean == korean.strip(), english


def test_a_sentence_calls_a_fix_what_its_button_says():
    """As in "off its authored shape since 'Limit Influences'"."""
    table = _in_both_contexts(KOREAN)
    labels = [one.bl_label for one in CLASSES if issubclass(one, MeshFix)]
    assert "Limit Influences" in labels
    for label in labels:
        assert table[CONTEXT, label] == KOREAN["Operator", label]
    assert table[CONTEXT, "Deviation"] == KOREAN["*", "Deviation"]


def test_placeholders_agree():
    """One test for all: a test of its own for each line would open an empty file a thousand times."""
    unlike = {english: korean for (_, english), korean in KOREAN.items() if fields(korean) != fields(english)}
    assert unlike == {}


def fields(template):
    """What `str.format` would put in; text without placeholders is never formatted and may hold any braces."""
    return sorted((name, form, turn) for _, name, form, turn in string.Formatter().parse(template) if name)


@pytest.mark.parametrize(
    "line",
    [
        'raise BindingError(f"{mesh} has no vertices.")',
        'raise BindingError("{} has no vertices.".format(mesh))',
        'Reason("rule", Message(f"{mesh} is odd."))',
        'self.report({"ERROR"}, "No vertices")',
        'self.report({"ERROR"}, f"No {what}")',
        'cls.poll_message_set("Select a mesh")',
        'layout.label(text=f"{count} vertices")',
        'layout.label(text="Vertices: " + count)',
    ],
)
def test_words_that_cannot_be_translated_are_found(line):
    assert [one.untranslatable for one in strings_of_source(line, "ui/example.py")] == [True]


@pytest.mark.parametrize(
    "line",
    [
        'layout.label(text=f"{count}")',
        "layout.label(text=preview.name)",
        'self.report({"ERROR"}, translated_report(problem))',
        'layout.operator("skinscope.inspect", text="")',
        "raise BindingError(sentence)",
    ],
)
def test_numbers_and_names_are_no_words(line):
    assert list(strings_of_source(line, "ui/example.py")) == []


OWN_WORDS = {
    # Blender's says something else.
    "Along Normal": "함께 노멀",
    "Exact": "정확한",
    "From": "에서",
    "Second": "초",
    "Spread": "전염",
    # Blender's is misspelled, or half in English.
    "Baked Animation": "베이크된 에니메이션",
    "Ease In and Out": "완화 In 및 Out",
    "Engine": "앤진",
}
"""Words for which ours is not Blender's, and Blender's."""


@pytest.fixture
def korean(session):  # noqa: ARG001 - registers our words
    """Blender's own Korean interface, without our words."""
    view = bpy.context.preferences.view
    before = view.language, view.use_translate_interface
    view.language, view.use_translate_interface = "ko_KR", True
    unregister_translations()
    yield
    register_translations()
    view.language, view.use_translate_interface = before


@pytest.fixture
def view():
    """The preferences for the interface, which are as before afterwards."""
    view = bpy.context.preferences.view
    before = view.language, view.use_translate_interface
    yield view
    view.language, view.use_translate_interface = before


@pytest.mark.skipif(not bpy.app.translations.locales, reason="the Python module has English alone")
@pytest.mark.usefixtures("session")
def test_text_is_kept_only_in_the_language_that_it_was_written_in(view):
    """Each of these has other words, and is another language for what is kept."""
    found = {}
    for name, translates in (("en_US", True), ("ko_KR", True), ("ko_KR", False), ("de_DE", True)):
        view.language, view.use_translate_interface = name, translates
        found[translated("No room aside: zoom out to see both apart"), translated("Armature")] = language()
    assert len(set(found.values())) == len(found) == 3


@pytest.mark.skipif(
    not bpy.app.binary_path or bpy.app.version < (5, 2, 0),
    reason="the words are those of a desktop Blender 5.2",
)
@pytest.mark.usefixtures("korean")
def test_words_are_those_of_blenders_own_korean_interface():
    """Users read ours beside Blender's: the same English has the same Korean in both."""
    assert pgettext("Armature") == "아마츄어"
    theirs = {
        (english, ours): found
        for (context, english), ours in KOREAN.items()
        for found in [_in_blender(context, english)]
        if found not in {None, ours}
    }
    assert {english: found for (english, _), found in theirs.items()} == OWN_WORDS


def _in_blender(context: str, english: str) -> str | None:
    """Return Blender's Korean for an English text, in that context or else in the usual one; None if it has none."""
    for one in (context, None):
        told = pgettext(english, one)
        if told != english:
            return told
    return None
