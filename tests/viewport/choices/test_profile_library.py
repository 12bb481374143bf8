"""Engine profiles as seen by menus and draw callbacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from skinning_addon.core.profiles.catalogue import SHIPPED
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.core.text.errors import ProfileError
from skinning_addon.viewport.choices import profile_library


@pytest.fixture
def users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(profile_library, "profile_folders", lambda: (tmp_path,))
    profile_library.reload_profiles()
    yield tmp_path
    profile_library.reload_profiles()


def test_a_profile_added_since_is_the_one_that_its_file_describes(users_folder: Path):
    assert "own" not in profile_library.all_profiles()
    assert isinstance(profile_library.profile_called("own"), ProfileError)
    shutil.copy(SHIPPED / "unity-1.toml", users_folder / "own.toml")
    found = profile_library.profile_called("own")
    assert isinstance(found, Profile)
    assert (found.id, found.label) == ("own", "Unity, one bone")
    assert profile_library.profile_shown(found, "") is found
