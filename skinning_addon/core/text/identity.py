"""Identifies an object or action. A name is not enough, since a file may hold a linked and a local one of the
same name.
"""

from __future__ import annotations

from typing import Self


class Identity(str):
    """A name and the library that it is linked from; two identities are equal if both match.

    To all code it is a string: 'Body', or 'Body (characters/hero.blend)' if linked. A plain string is the
    name of something local and equals its identity; it never equals a linked identity, whatever it reads.

    name: as Blender has it. library: path of the library file relative to the open file; None if local.
    """

    name: str
    library: str | None

    def __new__(cls, name: str, library: str | None = None) -> Self:
        identity = super().__new__(cls, name if library is None else f"{name} ({library})")
        identity.name = str(name)
        identity.library = library
        return identity

    @classmethod
    def of(cls, text: str) -> Identity:
        """Return an identity unchanged, and a plain string as the name of something local."""
        return text if isinstance(text, Identity) else cls(text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Identity):
            return (self.name, self.library) == (other.name, other.library)
        return self.library is None and self.name == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        # Anything equal to a plain string must be found by it in a dictionary.
        return hash(self.name if self.library is None else (self.name, self.library))

    def __reduce__(self) -> tuple[type[Identity], tuple[str, str | None]]:
        return Identity, (self.name, self.library)
