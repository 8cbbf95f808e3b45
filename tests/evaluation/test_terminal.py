from rgenv.evaluation.eval_metrics import metrics
from rgenv.evaluation.evaluate import Evaluation
from rgenv.evaluation.terminal import report, score_table
from rgenv.measured import TASKS
from tests.support.samples import run_of, sample


def test_the_table_has_a_line_for_each_task_below_its_category() -> None:
    run = [*run_of(1.0, 0.5), sample("lcm", 0, 1.0), sample("maze", 0, 0.0)]
    cells = [line.split() for line in score_table(run, metrics(run)).splitlines()]
    assert cells[0][-3:] == ["blind", "format", "truncated"]
    assert [row[0] for row in cells[2:7]] == ["arithmetic", "gcd", "lcm", "games", "maze"]
    assert cells[2][1:3] == ["3", "0.667"] and cells[3][1:3] == ["2", "0.500"]
    assert cells[3][-3:] == [f"{TASKS['gcd'].blind[None]:.3f}", "1.000", "0.000"]
    assert cells[7][:5] == ["all", "tasks", "(macro)", "4", "0.500"]
    assert cells[9][:5] == ["all", "problems", "(micro)", "4", "0.500"]


def test_completions_without_an_answer_say_why_and_what_would_read_them() -> None:
    texts = ["so \\boxed{13}", "I refuse.", "<think>so <answer>13</answer>", "<answer> </answer>"]
    run = [sample(seed=n, score=0.0, text=t, verdict="no_answer") for n, t in enumerate(texts)]
    run.append(sample(seed=4, score=0.0, text="", verdict="empty"))
    finished = Evaluation({"model": "m", "items": 5}, run, metrics(run), None, seconds=12.4)
    assert (
        "5 completions have no answer: no answer tags (2), thinking never closed (1), the answer "
        "is empty (1), the server returned no text (1).\n"
        "1 of them has one by --env.answer_format boxed.\n"
    ) in report(finished)
    right = [sample()]
    assert "no answer" not in report(
        Evaluation({"model": "m", "items": 1}, right, metrics(right), None, seconds=1)
    )
