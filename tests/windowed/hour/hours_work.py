"""The sixty steps of an hour of work, in their order: what the artist does, and what has to be true after it."""

from __future__ import annotations

from tests.windowed.hour import checking, editing, playing, previewing

STEPS = [*previewing.STEPS, *editing.STEPS, *checking.STEPS, *playing.STEPS]
