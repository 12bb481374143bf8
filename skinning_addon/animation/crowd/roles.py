"""Which clip is played in which role: by name, else by how it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...core.text.errors import CrowdError
from ...core.text.message import Message
from ...core.text.offered_names import offered
from .feet import words
from .kinds import ROLE_NAMES, ROLES
from .strides import Stride

ROLE_WORDS = (
    frozenset({"idle", "stand", "standing"}),
    frozenset({"walk", "walking"}),
    frozenset({"run", "running", "jog", "jogging", "gallop"}),
)

SEAM = 0.03
"""A clip whose bones jump farther where it begins again is not taken for a gait: a share of the height."""


@dataclass(frozen=True)
class Roles:
    """clips: by role: idle, walk, run. notes: of roles whose clip was not found by name."""

    clips: tuple[str, str, str]
    notes: tuple[Message, ...]


def find_roles(
    names: Sequence[str],
    measure: Callable[[str], Stride | None],
    chosen: Mapping[str, str] | None = None,
    armature: str = "",
) -> Roles:
    """Assign clips to roles.

    By name, a role's word has to be one of the clip's; of several clips, the one with fewest other words. A
    role that is left takes, of the other clips, the one that moves least (idle), the slowest that travels
    (walk) or the fastest (run); if none travels, walking and running share a clip.

    measure: a clip's stride; None if it has none. Only called if a name is not enough. chosen: clips by role,
    from the user. armature: its name, for messages.

    Raises:
        CrowdError: a chosen clip is unknown, or there is no clip for a role.
    """
    found = dict(chosen or {})
    for role, clip in found.items():
        if clip not in names:
            raise CrowdError(
                "There is no clip '{clip}' of '{armature}' to {role} with; {offer}",
                clip=clip,
                armature=armature,
                role=role,
                offer=offered(clip, names, names) or Message("it has no clips."),
            )
    for role in ROLES:
        best = named(names, role)
        if ROLE_NAMES[role] not in found and best is not None:
            found[ROLE_NAMES[role]] = best
    notes: list[Message] = []
    if len(found) < len(ROLES):
        others = [name for name in names if name not in found.values()]
        notes += _fill(found, {name: stride for name in others if (stride := measure(name))})
    for role in ROLE_NAMES:
        if role not in found:
            raise CrowdError(
                "'{armature}' has no clip to {role} with: none is called that, and none moves that way; add "
                "one, or choose it yourself.",
                armature=armature,
                role=role,
            )
    idle, walk, run = (found[role] for role in ROLE_NAMES)
    return Roles((idle, walk, run), tuple(notes))


def named(names: Iterable[str], role: int) -> str | None:
    """Return the clip with a role's word, and as few others as possible; None if there is none."""
    matching = [name for name in names if ROLE_WORDS[role] & set(words(name))]
    return min(matching, key=lambda name: len(words(name)), default=None)


def _fill(found: dict[str, str], strides: Mapping[str, Stride]) -> list[Message]:
    """Fill roles that no name fills, and say so."""
    idle, walk, run = ROLE_NAMES
    standing = [name for name, stride in strides.items() if not stride.speed]
    gaits = [name for name, stride in strides.items() if _is_gait(stride)]
    notes: list[Message] = []
    if idle not in found and standing:
        found[idle] = min(standing, key=lambda name: strides[name].liveliness)
        notes.append(
            Message("'{clip}' is the idle: no clip is called that, and it moves least.", clip=found[idle])
        )
    gaits.sort(key=lambda name: strides[name].speed)
    if walk not in found and gaits:
        found[walk] = gaits.pop(0)
        notes.append(
            Message("'{clip}' is the walk: no clip is called that, and it is slowest.", clip=found[walk])
        )
    if run not in found and gaits:
        found[run] = gaits[-1]
        notes.append(
            Message("'{clip}' is the run: no clip is called that, and it is fastest.", clip=found[run])
        )
    for role, other in ((walk, run), (run, walk)):
        if role not in found and other in found:
            clip = found[role] = found[other]
            notes.append(
                Message("There is no clip to {role} with, so '{clip}' serves for both.", role=role, clip=clip)
            )
    return notes


def _is_gait(stride: Stride) -> bool:
    """Whether it goes somewhere on two feet or more, in a loop that closes."""
    return bool(stride.speed) and stride.seam <= SEAM and len({name for _, name in stride.contacts}) > 1
