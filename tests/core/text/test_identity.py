"""Two identities are equal if their names and libraries are."""

from __future__ import annotations

import pickle

from skinning_addon.core.text.identity import Identity


def test_what_is_local_is_its_name():
    assert Identity("Body") == "Body"
    assert {"Body": 1}[Identity("Body")] == 1
    assert {Identity("Body"): 1}["Body"] == 1
    assert str(Identity("Body")) == f"{Identity('Body')}" == "Body"


def test_a_library_makes_another():
    linked = Identity("Body", "hero.blend")
    assert linked != "Body"
    assert linked != Identity("Body", "villain.blend")
    assert linked == Identity("Body", "hero.blend")
    assert len({linked, Identity("Body"), "Body", Identity("Body", "hero.blend")}) == 2
    assert f"{linked}" == "Body (hero.blend)"


def test_a_name_that_reads_like_another_identity_is_none():
    linked, local = Identity("Body", "hero.blend"), Identity("Body (hero.blend)")
    assert linked != local
    assert local != linked
    assert linked != "Body (hero.blend)"
    assert len({linked, local}) == 2


def test_an_identity_outlives_its_process():
    linked = Identity("Body", "hero.blend")
    copy = pickle.loads(pickle.dumps(linked))  # noqa: S301 - our own
    assert (copy, copy.name, copy.library) == (linked, "Body", "hero.blend")
    assert Identity.of(copy) is copy
