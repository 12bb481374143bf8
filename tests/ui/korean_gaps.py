"""Lists missing and superfluous entries of the Korean table, for `./run lint` and `./run build --release`.

Adding a sentence requires no knowledge of Korean: until a release the interface shows it in English.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise

import bpy  # noqa: F401 - it comes before mathutils, which the extension imports

import skinning_addon
from skinning_addon.ui.translations.korean import KOREAN
from tests.ui.interface_strings import Key, strings_of_interface

TABLE = "skinning_addon/ui/translations/korean.py"


def gaps(said: Iterable[Key], table: Mapping[Key, str]) -> list[str]:
    """List the changes that would make a translation table match exactly what the interface says."""
    missing = sorted(set(said) - {key for key, told in table.items() if told})
    stale = sorted(table.keys() - set(said))
    found = []
    if missing:
        found.append(f"add these to {TABLE}, each where it sorts, with its Korean:\n{_lines(missing)}")
    if stale:
        found.append(f"take these out of {TABLE}, nothing says them now:\n{_lines(stale)}")
    if list(table) != sorted(table):
        turned = next(pair for pair in pairwise(table) if pair[1] < pair[0])
        found.append(f"sort {TABLE}; these two stand the wrong way round:\n{_lines(turned)}")
    return found


def _lines(keys: Iterable[Key]) -> str:
    """Return entries in the table's format, ready to be pasted and filled in."""
    return "\n".join(
        f'    ({json.dumps(context)}, {json.dumps(text, ensure_ascii=False)}): "",' for context, text in keys
    )


def main() -> int:
    """Print the gaps. The exit status is 1 if there are any and the arguments request a release."""
    parser = argparse.ArgumentParser(prog="korean_gaps")
    parser.add_argument("--release", action="store_true", help="gaps are errors")
    release = parser.parse_args().release
    skinning_addon.register()
    found = gaps(strings_of_interface(), KOREAN)
    skinning_addon.unregister()
    for one in found:
        print(f"{'error' if release else 'warning'}: {one}", file=sys.stderr)
    if found and not release:
        print("These are warnings until `./run build --release`.", file=sys.stderr)
    return int(release and bool(found))


if __name__ == "__main__":
    sys.exit(main())
