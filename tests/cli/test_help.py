"""rgenv/cli/help.py: what --help prints."""

from rgenv.cli.arguments import Option
from rgenv.cli.help import command_help, usage

OPTIONS = [
    Option("env.seed", "Tasks", "integer", "42", "Seed of the `stream`."),
    Option("env.task_names", "Tasks", "list of strings", "none", "word " * 60),
    Option("env.force", "Tasks", "boolean", "false", "Start over"),
    Option("openai.model_name", "Inference servers", "string", "m", "The model."),
]


def test_the_usage_lists_the_commands() -> None:
    """Each command has a line that says what it does."""
    text = usage("program.py")
    assert text.startswith(
        "usage: program.py {serve,process,evaluate,profile,validate,view,export,tasks}"
    )
    for command in ("serve", "process", "evaluate", "profile", "validate", "tasks"):
        assert f"\n  {command} " in text


def test_options_are_grouped_with_type_default_and_description() -> None:
    """Each section has a heading; each option its type, its default and its description."""
    text = command_help("program.py", "serve", OPTIONS)
    assert text.startswith("usage: program.py serve [--OPTION VALUE ...]\n\nGenerate and score")
    assert "\n\nTasks:\n  --env.seed  integer; default: 42\n      Seed of the stream.\n" in text
    assert "\n  --env.force or --force  boolean; default: false\n      Start over.\n" in text
    assert text.endswith(
        "Inference servers:\n  --openai.model_name  string; default: m\n      The model."
    )
