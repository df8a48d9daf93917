"""The language of reward formulas."""

import pytest

from eval_tui.config.formula import FormulaError, check_formula


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("0.6 * a + 0.4 * b", {"a", "b"}),
        ("0.25", set[str]()),
        ("best = max(a, b)\nbest / 2", {"a", "b"}),
        ("max = 0.25\nmax", set[str]()),
        ("a if not b else (c, [1, None, True])", {"a", "b", "c"}),
        ("x = x + 1\nx", {"x"}),
        ("-a // 2 % 3 >= 1 and mean([]) == 0", {"a"}),
    ],
)
def test_names_of_a_formula(formula: str, names: set[str]) -> None:
    assert check_formula(formula) == names


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "a +",
        "a ** 2",
        "a @ b",
        "a << 2",
        "open(a)",
        "a.real",
        "a.bit_length()",
        "[a][0]",
        "(lambda: 1)()",
        "'x'",
        "b'x'",
        "f'{a}'",
        "a * 2000000",
        "1e400",
        "1j",
        "...",
        "_x = a\n_x",
        "x = a",
        "a, b = 1, 2\na",
        "x += 1\nx",
        "[i for i in [1]]",
        "{1: 2}",
        "max(a, key=b)",
        "max(*a)",
        "import os\n1",
        "(y := 1)",
        "1 if a else await b",
        "+".join(["a"] * 150),
        "(" * 5000,
        "-" * 9000 + "1",
        "a" * 20_000,
        "a\0b",
    ],
)
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(FormulaError) as caught:
        check_formula(formula)
    assert str(caught.value)
