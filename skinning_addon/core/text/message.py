"""User-facing text in English that can be translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self


class Message(str):
    """A string that knows its template and arguments::

        message = Message("'{mesh}' has {count} vertices.", mesh="Body", count=3)
        message                             "'Body' has 3 vertices."
        message.retold(to_korean)           the same in Korean

    To all code it is the English text. To show it, the template is looked up in the translation table,
    exactly as it stands in the code, and filled in again: `'{mesh}' has ...` is the same sentence for every
    mesh.

    template: with {names} as for `str.format`; without arguments it is the text itself, braces and all.
    arguments: messages among them are translated too; other text is not, being names and numbers.
    """

    template: str
    arguments: Mapping[str, object]

    def __new__(cls, template: str, /, **arguments: object) -> Self:
        if isinstance(template, cls) and not arguments:
            return template
        message = super().__new__(cls, template.format(**arguments) if arguments else template)
        message.template = template
        message.arguments = arguments
        return message

    @classmethod
    def _worded(cls, told: Message, text: str) -> Self:
        """Return the same message with its English text reworded."""
        message = str.__new__(cls, text)
        message.template = told.template
        message.arguments = told.arguments
        return message

    def __str__(self) -> str:
        """Return the message itself, so that `str(error)` can be translated."""
        return self

    def retold(
        self, translate: Callable[[str], str], rewrite: Callable[[object], object] = lambda value: value
    ) -> str:
        """Return the message with its template, and those of its arguments, translated.

        rewrite: applied to each argument that is not a message, before it is filled in.
        """
        template = translate(self.template)
        if not self.arguments:
            return template
        return template.format(
            **{
                name: value.retold(translate, rewrite) if isinstance(value, Message) else rewrite(value)
                for name, value in self.arguments.items()
            }
        )


class Sentence(Message):
    """A message that begins with a lower-case argument: its first letter is capitalised."""

    def __new__(cls, template: str, /, **arguments: object) -> Self:
        told = Message(template, **arguments)
        return cls._worded(told, _begun(told, template, arguments))

    def retold(
        self, translate: Callable[[str], str], rewrite: Callable[[object], object] = lambda value: value
    ) -> str:
        """Return the sentence translated, as `Message.retold`."""
        text, template = super().retold(translate, rewrite), translate(self.template)
        # What else a translation begins with may be a name: three.js has no capital.
        return _begun(text, template, self.arguments) if _first(template) == _first(self.template) else text


class Clause(Message):
    """A sentence inside another: without its full stop, and its first word in lower case unless it is a
    name.
    """

    def __new__(cls, template: str, /, **arguments: object) -> Self:
        told = Message(template, **arguments)
        return cls._worded(told, _within(told))

    def retold(
        self, translate: Callable[[str], str], rewrite: Callable[[object], object] = lambda value: value
    ) -> str:
        """Return the clause translated, as `Message.retold`."""
        text = super().retold(translate, rewrite)
        # Only for our English is it known which first words are names.
        return _within(text) if translate(self.template) == self.template else text.removesuffix(".")


class Continuation(Message):
    """A sentence that ends another one, as after a colon: its first word is in lower case unless it is a
    name.
    """

    def __new__(cls, template: str, /, **arguments: object) -> Self:
        told = Message(template, **arguments)
        return cls._worded(told, _continued(told))

    def retold(
        self, translate: Callable[[str], str], rewrite: Callable[[object], object] = lambda value: value
    ) -> str:
        """Return the sentence translated, as `Message.retold`."""
        text = super().retold(translate, rewrite)
        return _continued(text) if translate(self.template) == self.template else text


def about(mesh: str, sentence: Message, *, of_several: bool) -> Message:
    """Put the name of the mesh that a sentence is about before it, unless there is no other."""
    return Message("{mesh}: {sentence}", mesh=mesh, sentence=sentence) if of_several else sentence


_NAMES = frozenset({"Blender", "Blender's"})

_BEFORE_NAMES = frozenset({"A", "An", "The", "Set"})
"""First words of sentences that are in lower case within another, although a capital follows."""


def _within(text: str) -> str:
    return _continued(text).removesuffix(".")


def _continued(text: str) -> str:
    first, _, rest = text.partition(" ")
    # Two capitals in a row, as in Preserve Volume, are a name; The FBX exporter is not.
    is_name = first in _NAMES or (rest[:1].isupper() and first not in _BEFORE_NAMES)
    return text if is_name else f"{text[:1].lower()}{text[1:]}"


def _begun(text: str, template: str, arguments: Mapping[str, object]) -> str:
    # A name is not a message and keeps its spelling.
    return f"{text[:1].upper()}{text[1:]}" if isinstance(arguments.get(_first(template)), Message) else text


def _first(template: str) -> str:
    """Return the name of the argument that a template begins with, empty if it begins with a word."""
    return template[1:].partition("}")[0] if template.startswith("{") else ""


def counted(count: int, one: str, several: str) -> str:
    """Return a count with its noun, singular or plural."""
    return f"{count} {one if count == 1 else several}"
