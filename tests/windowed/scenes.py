"""Scenes for window tests, as text that Blender runs."""

from __future__ import annotations

from pathlib import Path

BENDING_BAR = Path(__file__).with_name("bending_bar.py").read_text(encoding="utf-8")
