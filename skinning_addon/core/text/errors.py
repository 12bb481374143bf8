"""Every error that Skinscope raises, as one small family.

Each message is a sentence for the user: it names the object, bone or file, and says what to do. Operators and
the command line turn these into reports. Other code catches them only to pass the sentence on, to a panel or as
a finding, or if it has a fallback.

An error is raised with its message's template and arguments, so that the interface can translate it::

    raise BindingError("'{mesh}' has no vertices.", rule="no-vertices", mesh=mesh_object.name)
"""

from __future__ import annotations

from .message import Message


class SkinscopeError(Exception):
    """A problem that the user can fix; the message says what it is and how to fix it. `str(error)` is a
    `Message`.
    """

    def __init__(self, template: str, /, **arguments: object) -> None:
        super().__init__(Message(template, **arguments))


class InvalidArrayError(SkinscopeError):
    """An array that crosses a layer has the wrong shape, or holds values that no skin can have."""


class HierarchyError(SkinscopeError):
    """Bones whose parents form a loop, or name a bone that does not exist."""


class BindingError(SkinscopeError):
    """A mesh that can't be skinned: no armature, no vertices, no bones.

    rule: stable identifier of the cause, as findings carry it.
    """

    def __init__(self, template: str, /, *, rule: str = "not-skinnable", **arguments: object) -> None:
        super().__init__(template, **arguments)
        self.rule = rule


class StaleBindingError(BindingError):
    """The mesh, the armature or the relation between them has changed since it was bound; binding again fixes
    it.
    """

    def __init__(self, template: str, /, **arguments: object) -> None:
        super().__init__(template, rule="stale", **arguments)


class PoseNotReadyError(BindingError):
    """Blender has not updated an armature object's pose for its bones yet; it does so at its next
    evaluation.
    """

    def __init__(self, template: str, /, **arguments: object) -> None:
        super().__init__(template, rule="stale", **arguments)


class ClipError(SkinscopeError):
    """Keyframes that can't be played, a clip for another skeleton, or a request that no animation controller
    can meet.
    """


class ScriptError(SkinscopeError):
    """An animation controller script that can't be read, or that asks for something no controller can do."""


class CrowdError(SkinscopeError):
    """A crowd that can't be: no room, a rule that no agent can follow, or a recording that can't be read."""


class SourceFileError(SkinscopeError):
    """A file that is missing, broken, or in a format that this Blender does not read."""


class NothingToCompareError(SourceFileError):
    """A file that can be read, and has none of the meshes that are wanted."""


class ExportError(SkinscopeError):
    """One of Blender's exporters is missing, failed, or was cancelled."""


class OutputError(SkinscopeError):
    """A file or folder that can't be written to."""


class UsageError(SkinscopeError):
    """A request that names something unknown, such as a clip, a display or a tolerance."""


class ProfileError(SkinscopeError):
    """A profile that does not exist, or whose file has an invalid key, type or value."""


class ConfigError(SkinscopeError):
    """A configuration, a baseline or positions from an engine: a file that can't be read, or has invalid
    contents.
    """


class DeviceError(SkinscopeError):
    """No GPU that Blender can use, or one that lacks what the skinning shaders need."""


class ShaderError(SkinscopeError):
    """A shader that does not compile; the message names the file and the line."""
