from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

import bpy
import pytest

from skinning_addon.ui import manual_map
from skinning_addon.ui.manual_map import KOREAN_PAGES, PAGES, address_of
from skinning_addon.ui.registration import CLASSES

DOCUMENTATION = address_of("")

CHECKOUT = Path(__file__).resolve().parents[2]


def page(rna):
    """What Blender opens for one of its names."""
    return bpy.types.WM_OT_doc_view_manual._lookup_rna_url(rna)


def anchors(file):
    """The headings of a page as GitHub links to them."""
    headings = re.findall(r"^#+ (.*)$", (CHECKOUT / "docs" / file).read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted({page for _, page in (*PAGES, *KOREAN_PAGES)}))
def test_every_page_and_section_is_there(page):
    file, _, anchor = page.partition("#")
    assert not anchor or anchor in anchors(file)


def test_pages_are_files_beside_the_package():
    """tests/packaging/test_zip_contents.py sees to it that they are shipped."""
    folder = Path(url2pathname(urlparse(DOCUMENTATION).path))
    for file in {page.partition("#")[0] for _, page in (*PAGES, *KOREAN_PAGES)}:
        assert (folder / file).is_file()


def test_every_operator_setting_and_preference_leads_to_a_section(session):  # noqa: ARG001 - registers the map
    assert page("bpy.ops.skinscope.preview_start") == f"{DOCUMENTATION}user-guide.md#starting-and-stopping"
    assert page("bpy.types.SKINSCOPE_PG_settings.threshold") == f"{DOCUMENTATION}user-guide.md#the-heat-map"
    for operator in dir(bpy.ops.skinscope):
        assert page(f"bpy.ops.skinscope.{operator}").startswith(f"{DOCUMENTATION}user-guide.md#")
    groups = [one for one in CLASSES if issubclass(one, bpy.types.PropertyGroup | bpy.types.AddonPreferences)]
    for one in groups:
        for name in one.__annotations__:
            if not isinstance(one.bl_rna.properties[name], bpy.types.PointerProperty):
                opened = page(f"bpy.types.{one.__name__}.{name}")
                assert opened.startswith(f"{DOCUMENTATION}user-guide.md#"), opened


def test_blender_s_own_pages_stay_blender_s(session):  # noqa: ARG001
    assert "docs.blender.org" in page("bpy.types.Object.location")


def test_a_korean_interface_opens_korean_pages(session, monkeypatch):  # noqa: ARG001
    """Blender as a module speaks English alone; tests/windowed/test_translations.py asks one that speaks
    Korean.
    """
    monkeypatch.setattr(manual_map, "interface_is_korean", lambda: True)
    for name in ("bpy.ops.skinscope.inspect", "bpy.types.SKINSCOPE_PG_spaces.step"):
        assert page(name).isascii()
        assert unquote(page(name)) == f"{DOCUMENTATION}ko/tutorial.md#blender에서-보기"
    # There is no Korean page about that one.
    threshold = page("bpy.types.SKINSCOPE_PG_settings.threshold")
    assert threshold == f"{DOCUMENTATION}user-guide.md#the-heat-map"
    opened = {
        unquote(page(f"bpy.ops.skinscope.{operator}")).removeprefix(DOCUMENTATION)
        for operator in dir(bpy.ops.skinscope)
    }
    assert {one for pattern, one in KOREAN_PAGES if pattern.startswith("bpy.ops")} <= opened
    settings = {
        unquote(page(f"bpy.types.{one.__name__}.{name}")).removeprefix(DOCUMENTATION)
        for one in CLASSES
        if issubclass(one, bpy.types.PropertyGroup)
        for name in one.__annotations__
    }
    assert {one for pattern, one in KOREAN_PAGES if pattern.startswith("bpy.types")} <= settings
