"""How the pixels of a bone texture are stored. Without numpy: the command line's arguments name them."""

from __future__ import annotations

from enum import Enum


class PixelFormat(Enum):
    """How a pixel's four numbers are stored. value: as on the command line."""

    FLOAT32 = "float32"
    HALF = "half"
    UNORM16 = "unorm16"

    @property
    def numbers(self) -> str:
        """The type of one number, little-endian, as numpy names it."""
        return {"float32": "<f4", "half": "<f2", "unorm16": "<u2"}[self.value]

    @property
    def pixels_per_bone(self) -> int:
        """Three rows of a matrix, or a quaternion and a translation."""
        return 2 if self is PixelFormat.UNORM16 else 3


class BoneSpace(Enum):
    """What a bone's numbers in a texture are relative to. value: as on the command line."""

    REST = "rest"
    """Its movement from rest: all that a vertex needs, in one step."""
    PARENT = "parent"
    """Translation, rotation and scale relative to its parent, as clips have them: two clips are blended as an
    animation controller blends them, but a bone takes all those that it hangs on."""


class Layout(Enum):
    """Whose reader the files are for. value: as on the command line."""

    SKINSCOPE = "skinscope"
    """Ours: docs/bone-textures.md."""
    ANIM_TO_TEXTURE = "animtotexture"
    """Unreal's AnimToTexture plug-in, in its bone mode."""


class Storing(Enum):
    """How the pixels of our layout are stored. value: as on the command line."""

    RAW = "raw"
    EXR = "exr"
