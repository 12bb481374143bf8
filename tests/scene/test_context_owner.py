"""What `bpy.context` gives belongs to the open file, also in Blenders that would go on with a freed scene."""

from __future__ import annotations

import ctypes

import bpy
import pytest


def owner_address(struct: bpy.types.bpy_struct) -> int:
    """The address of the data-block that Blender takes `struct` to belong to, 0 for none.

    Read from the Python object, where it comes first: `id_data` would follow a dangling address.
    """
    return ctypes.c_size_t.from_address(id(struct) + object.__basicsize__).value


@pytest.mark.parametrize("attribute", ["tool_settings", "layer_collection"])
def test_after_a_load_the_window_belongs_to_no_freed_scene(attribute: str):
    assert getattr(bpy.context, attribute) is not None
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    alive = {one.as_pointer() for one in (bpy.context.scene, bpy.context.window_manager)}
    # A variable, because a failed assertion would print what it calls with, and so follow the address.
    owner = owner_address(bpy.context.window)
    assert owner in {0, *alive}
