"""The interface in Korean, as a user sees it."""

from __future__ import annotations

import pytest

from tests.windowed.harness import BlenderFailedError

SHOW_PANEL = """\
with view3d() as area:
    area.spaces.active.show_region_ui = True
side_bar = next(region for region in area.regions if region.type == 'UI')
"""
OPEN_TAB = "side_bar.active_panel_category = 'Skinscope'\nside_bar.tag_redraw()"
# What stands between two armatures can't be skinned, so that all kinds of sentences are to be seen.
MAKE_INEXACT = """\
bar.modifiers.new('Twist', 'SIMPLE_DEFORM').angle = 0.3
bar.modifiers.new('Again', 'ARMATURE').object = rig
settings.show_figures = True
settings.display = 'DEVIATION'
with view3d(): bpy.ops.skinscope.preview_start()
"""
SPEAK = "bpy.context.preferences.view.language = '{}'"
SAID = """\
from bpy.app.translations import pgettext, pgettext_tip
from skinning_addon.core.text.message import Message
from skinning_addon.viewport.choices.translation import translated
from skinning_addon.viewport.overlay.sentences import verdict
preview = session.previews[0]
live = preview.mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))
[pgettext('Start Preview', 'Operator'), translated(verdict(live.figures)), translated(preview.binding.reasons[0].message)]
"""
MANUAL = "bpy.types.WM_OT_doc_view_manual._lookup_rna_url('bpy.ops.skinscope.inspect')"
OTHER_WORDS = """\
from skinning_addon.ui.translations.korean import KOREAN
[one for (context, one), told in KOREAN.items() if context == '*' and '{' not in one and told not in (one, translated(one))]
"""
WITHOUT_SELECTION = """\
select_only(rig)
rig.select_set(False)
bpy.context.view_layer.objects.active = None
with view3d(): bpy.ops.skinscope.preview_start()
"""


@pytest.fixture
def bar(own_bar):
    own_bar.run(SHOW_PANEL)
    own_bar.screenshot()
    own_bar.run(OPEN_TAB + "\n" + MAKE_INEXACT)
    own_bar.wait_until("figures()['settled'] and figures()['max']")
    return own_bar


def test_labels_sentences_and_refusals_are_korean_and_english_again(bar):
    english = bar.screenshot()
    assert bar.run(SAID)[0] == "Start Preview"
    assert "user-guide.md#inspecting-a-vertex" in bar.run(MANUAL)
    bar.run(SPEAK.format("ko_KR"))
    korean = bar.screenshot()
    label, verdict, reason = bar.run(SAID)
    assert label == "미리보기 시작"
    assert "/ko/tutorial.md#" in bar.run(MANUAL)
    assert verdict == "프레임 1에서 'upper' 30 cm 벗어남"
    assert reason == "'Twist' 모디파이어가 'Bar'의 두 아마츄어 모디파이어 사이에 있습니다."
    # Blender has words of its own for some of ours, such as "view" for the verdict Look.
    assert bar.run(OTHER_WORDS) == []
    with pytest.raises(BlenderFailedError, match="아마츄어를 활성화하세요"):
        bar.run(WITHOUT_SELECTION)
    bar.run(SPEAK.format("en_US") + "\nselect_only(bar)")
    assert bar.run(SAID)[0] == "Start Preview"
    assert (korean != english).any(axis=2).sum() > 5_000
