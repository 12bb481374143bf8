"""`./run docs`: the documentation as a site that opens from a folder and loads nothing from anywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote

import bpy
import pytest

from skinning_addon.ui import manual_map
from tests.browser import document_after_scripts
from tests.installed_package import CHECKOUT

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(
        bool(bpy.app.binary_path) or sys.version_info < (3, 13),
        reason="the site is the same everywhere: built once",
    ),
    pytest.mark.skipif(os.name == "nt", reason="./run needs a POSIX shell"),
]

LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=[\"']?([^\"'\s>]+)|<link\b([^>]*)>")


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of the built site."""
    result = subprocess.run([CHECKOUT / "run", "docs"], capture_output=True, text=True, check=False)
    # Every link leads somewhere: MkDocs refuses to build it otherwise.
    assert (result.returncode, result.stdout) == (0, "dist/site/index.html\n"), result.stderr
    return CHECKOUT / "dist" / "site"


def test_every_page_is_there_and_is_found(site: Path):
    pages = {path.relative_to(CHECKOUT / "docs") for path in (CHECKOUT / "docs").rglob("*.md")}
    readme, index = Path("rules/README.md"), Path("rules/index.md")
    pages = {index if page == readme else page for page in pages} | {Path("index.md")}
    missing = {page for page in pages if not (site / page.with_suffix(".html")).exists()}
    assert missing == set()
    # As JavaScript, which a page that was opened from a folder may load.
    (text,) = re.findall(
        r"var __index = (.*)", (site / "search" / "search_index.js").read_text(encoding="utf-8")
    )
    found = {one["location"].partition("#")[0] for one in json.loads(text)["docs"]}
    assert found == {page.with_suffix(".html").as_posix() for page in pages}


def test_nothing_is_loaded_from_elsewhere(site: Path):
    for page in site.rglob("*.html"):
        for source, link in LOADED.findall(page.read_text(encoding="utf-8")):
            assert "://" not in source, page
            assert "://" not in link or "canonical" in link, page


def test_links_out_of_the_documentation_are_names(site: Path):
    page = (site / "ci.html").read_text(encoding="utf-8")
    assert "installs Blender as a module" in page
    assert 'href="../action.yml"' not in page


def test_the_search_works_in_a_page_opened_from_a_folder(site: Path, tmp_path: Path):
    address = f"{(site / 'rules' / 'envelopes.html').as_uri()}?q=influence"
    page = document_after_scripts(tmp_path, address)
    (found,) = re.findall(r"(\d+) matching documents</div>", page)
    assert int(found) > 5
    assert "influence-limit.html" in page


def test_every_page_of_the_online_manual_is_in_the_site(site: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(manual_map, "SITE", site)
    assert manual_map.address_of("user-guide.md#figures") == f"{site.as_uri()}/user-guide.html#figures"
    monkeypatch.setattr(manual_map, "interface_is_korean", lambda: True)
    folder, pages = manual_map._pages()
    assert folder == f"{site.as_uri()}/"
    assert len(pages) == len(manual_map.PAGES) + len(manual_map.KOREAN_PAGES)
    for page in sorted({page for _, page in pages}):
        file, _, anchor = unquote(page).partition("#")
        text = (site / file).read_text(encoding="utf-8")
        assert not anchor or re.search(f'id="?{re.escape(anchor)}["> ]', text), page


@pytest.mark.usefixtures("site")
def test_a_built_extension_has_the_site_without_what_a_server_needs(tmp_path: Path):
    extension = tmp_path / "skinscope.zip"
    with zipfile.ZipFile(extension, "w") as built:
        built.writestr("blender_manifest.toml", "")
    subprocess.run([sys.executable, CHECKOUT / "docs/put_site_into_zip.py", extension], check=True)
    with zipfile.ZipFile(extension) as built:
        names = built.namelist()
        built.extractall(tmp_path)
    assert names[0] == "blender_manifest.toml"
    assert not [name for name in names if name.endswith((".map", ".gz"))]
    assert extension.stat().st_size < 6e6
    address = f"{(tmp_path / 'docs/site/user-guide.html').as_uri()}?q=influence"
    assert "matching documents" in document_after_scripts(tmp_path / "profile", address)
