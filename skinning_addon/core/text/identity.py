"""Which object, or action: a name alone is none, since a file may hold a linked one beside a local one of the same name."""

from __future__ import annotations

from typing import Self


class Identity(str):
    """A name, and the library that it is linked from. Two are the same where both are.

    To all code it is a text: 'Body', or 'Body (characters/hero.blend)' for what is linked. Plain text is the name of what is
    local, and equal to its identity; never equal to that of something linked, whatever it reads.

    name: as Blender has it. library: path of the library's file as seen from the open file; None for what is local.
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
        """Return an identity as it is, and plain text as the name of something local."""
        return text if isinstance(text, Identity) else cls(text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Identity):
            return (self.name, self.library) == (other.name, other.library)
        return self.library is None and self.name == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        # What equals plain text has to be found by it in a dictionary.
        return hash(self.name if self.library is None else (self.name, self.library))

    def __reduce__(self) -> tuple[type[Identity], tuple[str, str | None]]:
        return Identity, (self.name, self.library)
