"""Error sentences for unknown names, suggesting the nearest known ones."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ...core.text.quoted import brief


def no_such(kind: str, name: str, names: Sequence[str]) -> str:
    """Say that `name` is not a `kind`, and suggest the nearest of `names`, or list them."""
    name = brief(name)
    article = "an" if kind[0] in "aeiou" else "a"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return f"'{name}' is not {article} {kind}; did you mean {_listed(near)}?"
    return f"'{name}' is not {article} {kind}; {'choose' if names[1:] else 'there is only'} {_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)
