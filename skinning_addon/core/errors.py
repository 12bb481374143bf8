"""Everything that Skinscope refuses, as one small family.

Each message is a sentence for the user: it names the object, bone or file, and says what to do. Operators and the
command line turn these into reports; no other code catches them.
"""


class SkinscopeError(Exception):
    """Something that the user can put right; the message says what and how."""


class InvalidArrayError(SkinscopeError):
    """An array that crosses a layer has the wrong shape, or holds values that no skin can have."""


class HierarchyError(SkinscopeError):
    """Bones whose parents form a loop, or name a bone that does not exist."""


class BindingError(SkinscopeError):
    """A mesh that can't be skinned: no armature, no vertices, no bones.

    rule: stable identifier of the cause, as findings carry it.
    """

    def __init__(self, message: str, rule: str = "not-skinnable") -> None:
        super().__init__(message)
        self.rule = rule


class StaleBindingError(BindingError):
    """A mesh, armature or relation of the two is not what was bound any more; binding anew helps."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "stale")


class SourceFileError(SkinscopeError):
    """A file that is missing, broken, or of a kind that this Blender does not read."""


class OutputError(SkinscopeError):
    """A file or folder that can't be written to."""


class UsageError(SkinscopeError):
    """A request that names something unknown, such as a clip, a display or a tolerance."""


class DeviceError(SkinscopeError):
    """No GPU that Blender can use, or one that lacks what the skinning shaders need."""


class ShaderError(SkinscopeError):
    """A shader that does not compile; the message names the file and the line."""
