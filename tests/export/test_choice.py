"""rgenv/export/choice.py: the best rows of each group and each problem."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rgenv.export.choice import Choice, Offer, Rules, offers
from rgenv.export.completions import Completion, Usable

PROMPT = [{"role": "user", "content": "What is 6 times 7?"}]
SCORES = st.sampled_from([0.0, 0.01, 0.5, 0.96, 0.99, 1.0])

groups = st.lists(
    st.tuples(SCORES, st.sampled_from([1.0, 0.5]), st.sampled_from("abcdef")), max_size=6
).map(
    lambda found: Usable(
        PROMPT,
        [
            Completion(i, text, score, score * penalty)
            for i, (score, penalty, text) in enumerate(found)
        ],
        Counter(),
    )
)
rules = st.builds(
    Rules,
    pairs=st.booleans(),
    min_score=SCORES,
    min_score_spread=st.sampled_from([0.0, 0.05, 0.5]),
    per_problem=st.integers(1, 3),
)


def group(*scores: float, rewards: tuple[float, ...] = ()) -> Usable:
    """Return a group with different texts."""
    given = rewards or scores
    pairs = enumerate(zip(scores, given, strict=True))
    return Usable(PROMPT, [Completion(i, f"text {i}", s, r) for i, (s, r) in pairs], Counter())


def chosen(found: Usable, **values: object) -> list[tuple[int, int]]:
    """Return the indexes of the rows of one group."""
    made = offers(found, Rules(**values), file=0, offset=0)  # type: ignore[arg-type]
    return [(offer.better, offer.worse) for offer in made]


def test_the_best_of_a_group() -> None:
    """It is solved and has the highest score; of equal ones the reward decides, then the order."""
    assert chosen(group(0.99, 1.0, 1.0)) == [(1, -1)]
    assert chosen(group(1.0, 1.0, rewards=(0.5, 1.0))) == [(1, -1)]
    assert chosen(group(0.99, 1.0, 1.0), per_problem=5) == [(1, -1), (2, -1)]
    assert chosen(group(0.5, 0.2)) == []
    assert chosen(group(0.5, 0.2), min_score=0.4) == [(0, -1)]
    assert chosen(group()) == []


def test_pairs_of_a_group() -> None:
    """The worst is rejected first, and each completion is in one pair."""
    assert chosen(group(1.0, 0.5, 0.0, 1.0), pairs=True) == [(0, 2)]
    assert chosen(group(1.0, 0.5, 0.0, 1.0), pairs=True, per_problem=5) == [(0, 2), (3, 1)]


def test_equal_scores_make_no_pair() -> None:
    """Nor do scores that differ by less than the spread, even if that is 0."""
    assert chosen(group(1.0, 1.0), pairs=True, min_score_spread=0.0) == []
    assert chosen(group(1.0, 0.96), pairs=True) == []
    assert chosen(group(1.0, 0.96), pairs=True, min_score_spread=0.01) == [(0, 1)]


@given(st.lists(st.tuples(st.sampled_from([b"p", b"q"]), groups), max_size=5), rules, st.randoms())
def test_the_order_of_groups_does_not_matter(
    found: list[tuple[bytes, Usable]], rules: Rules, random: object
) -> None:
    """The same rows are chosen in any order, at most as many of a problem as wanted, once each."""
    added = [
        (problem, offers(one, rules, file=0, offset=place))
        for place, (problem, one) in enumerate(found)
    ]
    shuffled = list(added)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    results = []
    for order in (added, shuffled):
        choice = Choice(rules)
        for problem, made in order:
            choice.add(problem, made)
        results.append(choice.chosen())
    assert results[0] == results[1]
    rows: list[tuple[Offer, bytes]] = results[0]
    assert all(n <= rules.per_problem for n in Counter(problem for _, problem in rows).values())
    assert len({(problem, offer.digest) for offer, problem in rows}) == len(rows)
