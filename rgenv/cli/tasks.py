"""The command `tasks`: list tasks, show problems of them, score an answer."""

import argparse
import sys
from collections.abc import Sequence

from rgenv.cli.parser import CommandParser, add_setting, natural, positive
from rgenv.cli.task_listing import (
    Entry,
    card,
    installed,
    is_completion,
    list_text,
    problem_text,
    verdict_text,
)
from rgenv.errors import DONE, FAILED, BadUsage, MakeFailed
from rgenv.gym.settings import Settings
from rgenv.measured import RELEASE
from rgenv.runtime.files import parse_json
from rgenv.task_names import COMPOSITE, choose_tasks, parse_levels
from rgenv.text import one_line

EXAMPLES = """\
examples:
  tasks                                  all tasks
  tasks games '*_sorting'                a category, and tasks that match a pattern
  tasks | grep prime                     tasks with this word in name or description
  tasks gcd                              all that is known about one task
  tasks gcd --level 0.5 --show 3         three problems of level 0.5
  tasks gcd --level 0.5 --answer 4       scores an answer to the first of them
  tasks own --task-modules my_tasks.py   tasks of your own
"""
ANSWER, RECIPE = "--answer", "--recipe"


def main(words: Sequence[str]) -> int:
    """Run the command; return 0, or 1 if a problem can't be made."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # questions have signs that ASCII lacks
    options = _parse(words)
    if options.recipe is not None or options.show is not None:
        return _show(options)
    found = _chosen(options)
    print(card(found[0]) if len(found) == 1 else list_text(found))
    return DONE


def _parse(words: Sequence[str]) -> argparse.Namespace:
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in (ANSWER, RECIPE):  # the text may begin with a minus sign
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    options = _new_parser().parse_intermixed_args(joined)
    problems = [options.level, options.seed, options.answer]
    if options.recipe is not None:
        if options.names or options.show or problems[:2] != [None, None]:
            raise BadUsage(
                f"{RECIPE} is one problem: leave out names and all options but {ANSWER}."
            )
    elif options.show is None and problems != [None, None, None]:
        options.show = 1
    return options


def _new_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "tasks",
        "List the tasks, show problems of them, and score answers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="names, categories or patterns; default: all")
    add_setting(parser, Settings, "task_modules")
    add("--show", type=positive, metavar="N", help="show N problems of each task")
    add("--level", type=_level, metavar="L", help="their level, in [0, 1]; default: none")
    add("--seed", type=natural, metavar="N", help="seed of the first one; default: 0")
    add(
        ANSWER,
        metavar="TEXT",
        help="score this answer to the first problem: a completion if it has thinking or is in the "
        "answer format, else an answer alone; - reads the standard input",
    )
    add_setting(parser, Settings, "answer_format")
    add_setting(parser, Settings, "system_prompt")
    add_setting(parser, Settings, "problems")
    add(RECIPE, metavar="JSON", help="show this problem")
    return parser


def _level(text: str) -> str:
    """Check one level, and return it as it is: none must differ from no option."""
    try:
        if len(parse_levels(text)) == 1:
            return text
    except BadUsage:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a level: write none or a number in [0, 1]")


def _chosen(options: argparse.Namespace) -> list[Entry]:
    version, tasks = installed(options.task_modules)
    if version not in ("", RELEASE):
        print(f"reasoning-gym {version} is installed; {RELEASE} was measured.", file=sys.stderr)
    entries = {one.task: one for one in tasks}
    categories = {one.task: one.category for one in tasks}
    names = choose_tasks(categories, options.names, configured=[COMPOSITE])
    return [entries[name] for name in names]


def _show(options: argparse.Namespace) -> int:
    from rgenv.gym import recipes  # starts the workers' side: half a second
    from rgenv.gym.clients import ReasoningGym

    if options.recipe is not None:
        recipes.read(options.recipe)  # for its errors
        wanted = [parse_json(options.recipe)]
    else:
        level, first = parse_levels(options.level or "none")[0], options.seed or 0
        seeds = range(first, first + options.show)
        wanted = [
            {"task": task, "seed": seed, "level": level}
            for task in _servable(options)
            for seed in seeds
        ]
    answer, code = options.answer, DONE
    with ReasoningGym(
        workers=1,
        task_modules=options.task_modules,
        answer_format=options.answer_format,
        system_prompt=options.system_prompt,
        problems=options.problems,
    ) as gym:
        for one in wanted:
            try:
                problem = gym.make(**one)
            except MakeFailed as error:
                reason = f"{one['task']}, seed {one['seed']}: no problem ({one_line(error)})"
                print(f"error: tasks: {reason}.", file=sys.stderr)
                code = FAILED
                continue
            print(problem_text(problem, options.task_modules), end="\n\n", flush=True)
            if answer is not None:
                text, reading = _read(answer), problem.dialogue.reading
                whole = text if is_completion(text, reading) else reading.write(text)
                [verdict] = gym.verdicts(problem, [whole])
                print(verdict_text(text, reading, verdict), end="\n\n", flush=True)
                answer = None  # it is to the first problem
    return code


def _read(text: str) -> str:
    """Return the text of the user; ``-`` is the standard input."""
    if text != "-":
        return text
    if sys.stdin.isatty():
        print("Type the answer; Ctrl-D ends it.", file=sys.stderr, flush=True)
    return sys.stdin.read()


def _servable(options: argparse.Namespace) -> list[str]:
    """Return the chosen tasks that have problems of their own; an answer is to one of them."""
    names = [one.task for one in _chosen(options)]
    if names == [COMPOSITE]:
        raise BadUsage(f"{COMPOSITE} mixes other tasks, which must be configured: show those.")
    if COMPOSITE in names:
        names.remove(COMPOSITE)
    if options.answer is not None and len(names) > 1:
        raise BadUsage(f"{ANSWER} is to one problem, and there are {len(names)} tasks: name one.")
    return names
