"""Messages that go to another process are the same there, and can still be translated."""

from __future__ import annotations

import json

import numpy as np
import pytest

from skinning_addon.core.text.length import format_length
from skinning_addon.core.text.message import Clause, Continuation, Message, Sentence
from skinning_addon.core.text.message_record import recorded, restored


@pytest.mark.parametrize(
    "message",
    [
        Message("a plain one with {braces}"),
        Message("'{mesh}' is off by {distance}", mesh="Body", distance=format_length(0.031)),
        Sentence(
            "{part} off at frame {frame:g}",
            part=Message("left {part}", part=Message("hand")),
            frame=np.float64(3),
        ),
        Message("{count} of {total:.3g}, {path}", count=3, total=2.5, path=None),
        Message("{first}; {second}", first=Clause("It ends."), second=Continuation("The file is there.")),
    ],
    ids=("plain", "length", "nested", "numbers", "clauses"),
)
def test_messages_survive(message: Message):
    again = restored(json.loads(json.dumps(recorded(message))))
    assert again == message
    assert type(again) is type(message)

    def in_capitals(text: str) -> str:
        return text.replace("hand", "Hand").replace("off", "OFF").replace("plain", "PLAIN")

    assert again.retold(in_capitals) == message.retold(in_capitals)


def test_other_objects_become_their_text():
    told = Message("it failed ({reason})", reason=ValueError("no keys"))
    assert restored(recorded(told)) == "it failed (no keys)"
    assert restored(recorded("a name")) == "a name"
