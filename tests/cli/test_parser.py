"""rgenv/cli/parser.py."""

import pytest

from rgenv.cli.parser import CommandParser
from rgenv.errors import BadUsage


@pytest.mark.parametrize("words", [["--mo", "3"], ["--most"], ["--other"]])
def test_a_mistake_is_one_sentence(words: list[str]) -> None:
    """It names the help of the command; abbreviations of options are mistakes, too."""
    parser = CommandParser("view", "Show a run.")
    parser.add_argument("--most", type=int)
    with pytest.raises(BadUsage, match=r"; `\S+ view --help` lists the options\.$"):
        parser.parse_args(words)
