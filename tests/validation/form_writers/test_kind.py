"""What several writers of other forms share."""

from rgenv.validation.form_writers.kind import joined, nothing, signs_and_digits


def test_joined_writers_write_the_forms_of_each() -> None:
    """A later writer replaces a form of the same name."""
    one = joined(lambda answer, _: {"a": answer, "b": answer}, lambda answer, _: {"b": answer * 2})
    assert one("x", "") == {"a": "x", "b": "xx"}
    assert nothing("x", "") == {}


def test_zero_has_no_sign() -> None:
    """A plus stands before other numbers; a minus has another form."""
    assert set(signs_and_digits("0.0")) == {"full-width digits"}
    assert signs_and_digits("5")["plus"] == "+5"
    assert signs_and_digits("-5")["minus sign"] == "\N{MINUS SIGN}5"
