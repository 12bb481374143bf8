"""Names of clips in a list that is separated by commas, where names have commas, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def joined_names(names: Sequence[str], known: Collection[str]) -> list[str]:
    """Return names with those put together again that a comma has taken apart.

    names: without spaces around them. known: all names of clips. Neighbors are joined if that is a clip's name,
    the longest first, unless each of them is a clip by itself.
    """
    with_commas: dict[tuple[str, ...], str] = {}
    for one in known:
        if "," in one:
            with_commas.setdefault(tuple(part.strip() for part in one.split(",")), one)
    joined: list[str] = []
    left = tuple(names)
    while left:
        taken = next(
            (
                count
                for count in range(len(left), 1, -1)
                if left[:count] in with_commas and not all(one in known for one in left[:count])
            ),
            1,
        )
        joined.append(left[0] if taken == 1 else with_commas[left[:taken]])
        left = left[taken:]
    return joined
