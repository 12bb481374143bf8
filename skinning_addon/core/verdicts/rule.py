"""One kind of finding, with all its texts, wherever they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..profiles.binding import Binding, Reason
from ..text.message import Message
from .finding import Finding, Severity

_NO_WORDS = Message("")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """All texts about a kind of finding, for the sidebar, `check`, its reports, fixes and docs/check-report.md.

    id: stable, such as 'preserve-volume'. severity: None if it depends on figures, by the thresholds.
    name: for lists; a `Message` if the sidebar may list it.
    about: a short description, for reports that list rules separately from findings. details: the same, with
    the additions for docs/check-report.md, in Markdown; if empty, `about` is used.
    sentence: the text of a finding; empty if it needs more than one template, kept in the code that finds it.
    singular: the same for a `count` of 1; empty if there is no difference.
    fix: what to do about it; empty if nothing can be done, or the sentence says it. operator: the sidebar
    operator that does it.
    exported_with: settings of Blender's exporters (`profiles.exporter_settings`) that avoid it.
    cause: why a mesh deviates in an engine, to follow "because"; empty if the rule is not a cause. Used as the
    description if `about` is empty.
    present: whether the cause can move any vertex of a mesh, judging by Blender's own binding; None if that
    can't tell.
    strict: whether it weakens the meaning of "exact", so that `check --strict` treats it as an error.
    """

    id: str
    severity: Severity | None
    name: str
    about: str = ""
    details: str = ""
    sentence: Message = _NO_WORDS
    singular: Message = _NO_WORDS
    fix: str = ""
    operator: str = ""
    exported_with: Mapping[str, object] = field(default_factory=dict[str, object])
    cause: Message = _NO_WORDS
    present: Callable[[Binding], bool] | None = None
    strict: bool = False

    @property
    def description(self) -> str:
        """A short description of the rule, without a full stop."""
        return self.about or self.cause

    def told(self, **words: object) -> Message:
        """Return the sentence with its placeholders filled in."""
        sentence = self.singular if self.singular and words.get("count") == 1 else self.sentence
        return Message(sentence.template, **words)

    def finding(self, about: str, message: str, fix: str | None = None) -> Finding:
        """Return a finding without figures. about: an object's identity, or ''. fix: None for the rule's."""
        return Finding(
            self.id, self.severity or Severity.INFO, about, message, self.fix if fix is None else fix
        )

    def reason(self, **words: object) -> Reason:
        """Return this rule's finding as the reason why a result can't equal Blender's."""
        return Reason(self.id, self.told(**words))
