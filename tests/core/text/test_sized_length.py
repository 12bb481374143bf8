from __future__ import annotations

import pytest

from skinning_addon.core.text.message import Message, Sentence
from skinning_addon.core.text.sized_length import sized_length


@pytest.mark.parametrize(
    ("metres", "height", "told"),
    [
        (0.0041, 1.8, "4.1 mm"),
        (0.4, 1.8, "40 cm"),
        (71.0, 1.8, "71 m on a character 1.8 m tall"),
        # A fox in centimetres.
        (0.29, 83.0, "29 cm on a character 83 m tall"),
        (0.001, 0.018, "1 mm on a character 1.8 cm tall"),
        (71.0, 0.0, "71 m"),
    ],
)
def test_an_unusual_size_stands_beside_a_deviation(metres, height, told):
    assert sized_length(metres, height) == told


def test_it_is_translated_within_a_sentence():
    sentence = Sentence("{part} off by {distance}", part=Message("left foot"), distance=sized_length(71, 1.8))
    assert sentence == "Left foot off by 71 m on a character 1.8 m tall"
    korean = {"{distance} on a character {height} tall": "{height} 캐릭터에서 {distance}"}
    assert sentence.retold(lambda text: korean.get(text, text)) == "Left foot off by 1.8 m 캐릭터에서 71 m"
