"""`./run docs`: the documentation as a site that opens from a folder and loads nothing from anywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

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
