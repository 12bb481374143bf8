"""Names of bones in words: `hand.L`, `mixamorig:LeftHand` and `DEF-hand.L.001` are all the left hand.

Riggers write the same few parts in many ways. A name is split into words. If all of them are known it becomes
a body part; anything else is left alone, since a wrong guess would be worse than a strange name.
"""

from __future__ import annotations

import re

from .message import Message

PREFIX = re.compile(
    r"^(?:.*:)?(?:(?:def|org|mch|cc_base|valvebiped|j_bip|bip\d*|b|jnt|skeleton)[-_. ]+)*", re.IGNORECASE
)
"""Namespaces, and the prefixes that Rigify, Character Creator, Source, VRM and 3ds Max Biped use."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")

NOISE = frozenset({"joint", "jnt", "bone", "base", "end", "helper", "master", "f", "c", "m", "bip"})
"""Words that say nothing about the part."""

COMPOUNDS = {
    "upperarm": ("upper", "arm"),
    "lowerarm": ("lower", "arm"),
    "upperleg": ("upper", "leg"),
    "lowerleg": ("lower", "leg"),
    "upleg": ("upper", "leg"),
    "eyelid": ("lid",),
    "eyebrow": ("brow",),
    "little": ("pinky",),
}

LEFT, RIGHT, UPPER, LOWER, TWIST, ROLL = "left", "right", "upper", "lower", "twist", "roll"

QUALIFIERS = {
    "l": LEFT,
    "left": LEFT,
    "r": RIGHT,
    "right": RIGHT,
    "upper": UPPER,
    "up": UPPER,
    "t": UPPER,
    "lower": LOWER,
    "b": LOWER,
    "twist": TWIST,
    "roll": ROLL,
}

FINGERS = {
    "index": Message("index finger"),
    "middle": Message("middle finger"),
    "ring": Message("ring finger"),
    "pinky": Message("little finger"),
    "thumb": Message("thumb"),
    "finger": Message("finger"),
}

PARTS = {
    **FINGERS,
    "abdomen": Message("abdomen"),
    "ankle": Message("ankle"),
    "arm": Message("arm"),
    "ball": Message("ball of the foot"),
    "beak": Message("beak"),
    "belly": Message("belly"),
    "body": Message("body"),
    "breast": Message("breast"),
    "brow": Message("brow"),
    "calf": Message("calf"),
    "cheek": Message("cheek"),
    "chest": Message("chest"),
    "chin": Message("chin"),
    "clavicle": Message("clavicle"),
    "ear": Message("ear"),
    "elbow": Message("elbow"),
    "eye": Message("eye"),
    "face": Message("face"),
    "fin": Message("fin"),
    "foot": Message("foot"),
    "forearm": Message("forearm"),
    "forehead": Message("forehead"),
    "hair": Message("hair"),
    "hand": Message("hand"),
    "head": Message("head"),
    "heel": Message("heel"),
    "hip": Message("hip"),
    "hips": Message("hips"),
    "hoof": Message("hoof"),
    "horn": Message("horn"),
    "iris": Message("iris"),
    "jaw": Message("jaw"),
    "knee": Message("knee"),
    "leg": Message("leg"),
    "lid": Message("eyelid"),
    "lip": Message("lip"),
    "mouth": Message("mouth"),
    "neck": Message("neck"),
    "nose": Message("nose"),
    "palm": Message("palm"),
    "paw": Message("paw"),
    "pelvis": Message("pelvis"),
    "rib": Message("rib"),
    "ribs": Message("ribs"),
    "shin": Message("shin"),
    "shoulder": Message("shoulder"),
    "spine": Message("spine"),
    "stomach": Message("stomach"),
    "tail": Message("tail"),
    "teeth": Message("teeth"),
    "temple": Message("temple"),
    "thigh": Message("thigh"),
    "toe": Message("toe"),
    "toes": Message("toes"),
    "tongue": Message("tongue"),
    "torso": Message("torso"),
    "waist": Message("waist"),
    "wing": Message("wing"),
    "wrist": Message("wrist"),
}


FINE = frozenset(FINGERS) | {
    "hand",
    "palm",
    "wrist",
    "face",
    "lid",
    "lip",
    "brow",
    "cheek",
    "chin",
    "eye",
    "iris",
    "forehead",
    "jaw",
    "mouth",
    "nose",
    "teeth",
    "temple",
    "tongue",
}
"""Hands and face: small parts that people look at closely."""


def is_fine_part(bone_name: str) -> bool:
    """Tell whether a bone of this name belongs to the hands or the face."""
    words = [word.lower() for word in WORD.findall(PREFIX.sub("", bone_name))]
    return any(part in FINE for word in words for part in COMPOUNDS.get(word, (word,)))


def body_part(bone_name: str) -> Message | None:
    """Return the body part that a bone of this name belongs to, worded for the middle of a sentence: 'left
    hand'.

    Numbers are dropped, since they count along a part. None if any part of the name is not understood.
    """
    part, qualifiers = _understood(bone_name)
    return _qualified(PARTS[part], qualifiers) if part else None


def plain_part(bone_name: str) -> str:
    """Return the body part that a bone of this name belongs to, a key of `PARTS`, whichever side it is on; ''
    if any part of the name is not understood.
    """
    return _understood(bone_name)[0]


def _understood(bone_name: str) -> tuple[str, set[str]]:
    words = [word.lower() for word in WORD.findall(PREFIX.sub("", bone_name))]
    words = [part for word in words for part in COMPOUNDS.get(word, (word,))]
    words = " ".join(words).replace("fore arm", "forearm").split()
    qualifiers = {QUALIFIERS[word] for word in words if word in QUALIFIERS}
    parts = [word for word in words if not (word in QUALIFIERS or word in NOISE or word.isdigit())]
    if len(parts) == 2 and parts[0] == "hand" and parts[1] in FINGERS:
        del parts[0]
    if len(parts) != 1 or parts[0] not in PARTS or {LEFT, RIGHT} <= qualifiers:
        return "", set()
    return parts[0], qualifiers


def _qualified(part: Message, qualifiers: set[str]) -> Message:
    if UPPER in qualifiers:
        part = Message("upper {part}", part=part)
    if LOWER in qualifiers:
        part = Message("lower {part}", part=part)
    if TWIST in qualifiers:
        part = Message("{part} twist", part=part)
    if ROLL in qualifiers:
        part = Message("{part} roll", part=part)
    if LEFT in qualifiers:
        part = Message("left {part}", part=part)
    if RIGHT in qualifiers:
        part = Message("right {part}", part=part)
    return part
