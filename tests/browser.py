"""A real browser, without a window: Chromium, from wherever the machine has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import bpy
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """Return the browser's path; skip the test without one, or fail it with REQUIRE_BROWSER=1.

    Inside a desktop Blender the test is skipped in any case: what a page does depends on no Blender, and this one
    may be in a root folder without a browser.
    """
    if bpy.app.binary_path:
        pytest.skip("pages are opened by the lanes of the Python module, not inside a desktop Blender")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("there is no Chromium on the PATH")
        pytest.skip("there is no Chromium on the PATH (REQUIRE_BROWSER=1 makes that a failure)")
    return found


def run_browser(folder: Path, address: str, *options: str) -> str:
    """Open a page and return what the browser prints. folder: for its profile. Scripts have 8 s of their time."""
    usual = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder}",
        "--virtual-time-budget=8000",
    )
    result = subprocess.run(
        [chromium(), *usual, *options, address], capture_output=True, text=True, check=True, timeout=120
    )
    return result.stdout


def document_after_scripts(folder: Path, address: str) -> str:
    """Return a page's HTML once its scripts have run."""
    return run_browser(folder, address, "--dump-dom")
