"""One kind of finding, with all that is said about it wherever it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..profiles.binding import Binding, Reason
from ..text.message import Message
from .finding import Finding, Severity

_NO_WORDS = Message("")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Everything that the side bar, `check`, its reports, fixes and docs/check-report.md say about a kind of
    finding.

    id: stable, such as 'preserve-volume'. severity: None where figures decide, by the thresholds. name: in
        lists; a `Message` where the side bar may have it in one.
    about: in a few words, for reports that list rules apart from findings. details: the same with what
    docs/check-report.md has to say besides, in Markdown; empty for `about`.
    sentence: what a finding of it says; empty where that takes more than one template, and whoever finds it has
    them.
    fix: what to do about it; empty where nothing can be done, or the sentence says it. operator: the side
    bar's, which does it.
    cause: why a mesh deviates in an engine, to follow "because"; empty where the rule is no cause, and `about`
    where there is no other.
    present: whether the cause can move anything of a mesh, by what Blender's own binding of it has; None where
    that does not tell.
    strict: whether it makes "exact" say less than it seems to, so that `check --strict` takes it for an error.
    """

    id: str
    severity: Severity | None
    name: str
    about: str = ""
    details: str = ""
    sentence: Message = _NO_WORDS
    fix: str = ""
    operator: str = ""
    cause: Message = _NO_WORDS
    present: Callable[[Binding], bool] | None = None
    strict: bool = False

    @property
    def description(self) -> str:
        """What the rule is about, in a few words without a full stop."""
        return self.about or self.cause

    def told(self, **words: object) -> Message:
        """Fill the sentence."""
        return Message(self.sentence.template, **words)

    def finding(self, about: str, message: str, fix: str | None = None) -> Finding:
        """Return a finding without figures. about: identity of an object, '' for none. fix: None for that of
        the rule.
        """
        return Finding(
            self.id, self.severity or Severity.INFO, about, message, self.fix if fix is None else fix
        )

    def reason(self, **words: object) -> Reason:
        """Return why a result can't equal Blender's, where that is a finding of this rule too."""
        return Reason(self.id, self.told(**words))
