"""Lengths are written in the most readable unit; tolerances are read in any."""

import copy
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.skinning.deviation import Deviation
from skinning_addon.core.text.errors import UsageError
from skinning_addon.core.text.length import METRES_PER_UNIT_NAME, LengthStyle, format_length
from skinning_addon.core.verdicts.tolerance import EXACT, Tolerance
from tests.core.builders import property_test


class TestFormat:
    @pytest.mark.parametrize("carry", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301
    def test_a_length_in_words_still_knows_how_long_it_is(self, carry):
        length = carry(format_length(0.004123, digits=3))
        assert length == "4.12 mm"
        assert length.metres == 0.004123
        assert LengthStyle("in", 2).write(length.metres) == "0.16 in"

    @pytest.mark.parametrize(
        ("metres", "text"),
        [
            (0.0, "0 mm"),
            (9e-10, "0 mm"),
            (2e-9, "0.002 µm"),
            (4.26e-6, "4.3 µm"),
            (4.1e-4, "0.41 mm"),
            (1e-3, "1 mm"),
            (2.5e-3, "2.5 mm"),
            (0.0234, "2.3 cm"),
            (0.5, "50 cm"),
            (0.994, "99 cm"),
            (0.999, "1 m"),
            (0.00999, "1 cm"),
            (9.99e-6, "0.01 mm"),
            (9_999.0, "10 km"),
            (1.0, "1 m"),
            (1.8, "1.8 m"),
            (123.4, "123 m"),
            (1500.0, "1500 m"),
            (25_000.0, "25 km"),
            (-0.0005, "-0.5 mm"),
            (math.nan, "not a number"),
            (math.inf, "infinite"),
        ],
    )
    def test_a_length_reads_as_a_person_would_write_it(self, metres, text):
        assert format_length(metres) == text

    def test_the_unit_is_that_of_the_number_as_it_is_shown(self):
        assert format_length(0.999, digits=3) == "99.9 cm"
        assert format_length(0.9996, digits=3) == "1 m"

    def test_more_digits_where_they_are_asked_for(self):
        assert format_length(0.00123456, digits=4) == "1.235 mm"

    @property_test
    @given(st.floats(1e-9, 1e7))
    def test_what_is_written_is_within_half_a_digit_of_what_was_meant(self, metres):
        number, unit = format_length(metres, digits=3).split()
        assert float(number) * METRES_PER_UNIT_NAME[unit] == pytest.approx(metres, rel=0.0051)


class TestParse:
    @pytest.mark.parametrize(
        ("text", "metres"),
        [
            ("0.5mm", 0.0005),
            ("2cm", 0.02),
            ("2 cm", 0.02),
            ("  1m ", 1.0),
            ("3um", 3e-6),
            ("3\N{MICRO SIGN}m", 3e-6),
            ("3\N{GREEK SMALL LETTER MU}m", 3e-6),
            ("1e-3m", 0.001),
            ("1E-3 m", 0.001),
            (".5mm", 0.0005),
            ("+1mm", 0.001),
            ("0.1km", 100.0),
        ],
    )
    def test_a_number_with_a_unit_is_a_length(self, text, metres):
        tolerance = Tolerance.parse(text)
        assert tolerance.value == pytest.approx(metres)
        assert not tolerance.relative

    @pytest.mark.parametrize(
        ("text", "share"),
        [("1e-5", 1e-5), ("0.1%", 0.001), ("0.1 %", 0.001), ("5e-3%", 5e-5), ("0.002", 0.002)],
    )
    def test_a_number_without_a_unit_is_a_share(self, text, share):
        tolerance = Tolerance.parse(text)
        assert tolerance.value == pytest.approx(share)
        assert tolerance.relative

    @pytest.mark.parametrize(
        "text",
        [
            "", " ", "mm", "%", "abc", "1mm2", "1 inch", "1 mm mm", "1,5mm", "1.2.3mm", ".", "e-5", "1e", "0x10",
            "0", "0mm", "-1mm", "-0.1%", "nan", "inf", "nan mm", "1e999", "1e-999 m", "0.1 %%", "one percent",
        ],
    )  # fmt: skip
    def test_anything_else_is_refused_with_examples_of_what_is_right(self, text):
        with pytest.raises(UsageError) as refusal:
            Tolerance.parse(text)
        assert f"'{text}'" in str(refusal.value)
        assert "0.5mm" in str(refusal.value)
        assert "0.1%" in str(refusal.value)

    @property_test
    @given(st.text(st.sampled_from("0123456789.,eE+-% \nmckuµ"), max_size=8))
    def test_no_text_at_all_breaks_it(self, text):
        try:
            tolerance = Tolerance.parse(text)
        except UsageError:
            return
        assert 0 < tolerance.value < math.inf

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("0.5mm", "0.5 mm"),
            ("1.25mm", "1.25 mm"),
            ("0.123456789 m", "12.3456789 cm"),
            ("2 cm", "2 cm"),
            ("100 cm", "1 m"),
            ("3um", "3 \N{MICRO SIGN}m"),
            ("1e-7mm", "0.0001 \N{MICRO SIGN}m"),
            ("1e-5", "1e-05"),
            ("0.1%", "0.001"),
            ("0.1234567%", "0.001234567"),
        ],
    )
    def test_it_says_what_was_asked_for(self, text, shown):
        assert str(Tolerance.parse(text)) == shown

    @property_test
    @given(st.integers(1, 10**9), st.integers(-9, 0), st.sampled_from(["mm", "cm", "m", "%", ""]))
    def test_what_it_says_is_read_as_the_same(self, digits, exponent, unit):
        tolerance = Tolerance.parse(f"{digits}e{exponent}{unit}")
        again = Tolerance.parse(str(tolerance))
        assert again.relative == tolerance.relative
        assert again.value == pytest.approx(tolerance.value, rel=1e-11)


class TestWriteTogether:
    @pytest.mark.parametrize(
        ("metres", "style", "texts", "unit"),
        [
            ((3.4e-7, -2e-8, 0.0), LengthStyle(), ["0.34", "-0.02", "0.00"], "µm"),
            ((0.0412, -0.0009, 0.1), LengthStyle(), ["4", "0", "10"], "cm"),
            ((0.0412, -0.0009, 0.1), LengthStyle(digits=4), ["4.12", "-0.09", "10.00"], "cm"),
            ((3.4e-7, -2e-8, 0.0), LengthStyle("m"), ["0.0000", "0.0000", "0.0000"], "m"),
            ((0.0254, 0.0, -0.0127), LengthStyle("in"), ["1.0", "0.0", "-0.5"], "in"),
            ((0.0, 1e-12, 0.0), LengthStyle(), ["0", "0", "0"], "mm"),
            ((math.nan, 0.001, 0.0), LengthStyle(), ["not a number", "1.0", "0.0"], "mm"),
        ],
    )
    def test_the_largest_decides_on_unit_and_decimals(self, metres, style, texts, unit):
        assert style.write_together(metres) == (texts, unit)


class TestAllows:
    def deviation(self, distance, relative, metres_per_unit=1.0):
        return Deviation([distance], [1.0], relative, metres_per_unit)

    def test_a_length_is_compared_in_metres_whatever_the_scenes_unit(self):
        one_millimetre = Tolerance.parse("1mm")
        assert one_millimetre.allows(self.deviation(0.0009, relative=1.0))
        assert not one_millimetre.allows(self.deviation(0.0011, relative=0.0))
        assert one_millimetre.allows(self.deviation(0.09, relative=1.0, metres_per_unit=0.01))
        assert not one_millimetre.allows(self.deviation(0.11, relative=0.0, metres_per_unit=0.01))

    def test_a_share_is_compared_with_the_relative_deviation(self):
        assert EXACT.allows(self.deviation(1000.0, relative=1e-5))
        assert not EXACT.allows(self.deviation(0.0, relative=1.1e-5))

    @pytest.mark.parametrize("tolerance", [Tolerance(1e30, relative=True), Tolerance(1e30, relative=False)])
    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_what_is_no_number_is_within_nothing(self, tolerance, bad):
        assert not tolerance.allows(self.deviation(bad, relative=bad))
