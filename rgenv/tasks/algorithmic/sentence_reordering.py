"""Restore the order of the words of a sentence."""

import re
from functools import cache

from reasoning_gym.data import read_data_file

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.texts import Sentence
from rgenv.tasks.rewriting import SENTENCE_TEXT
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT, order_score

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])(?<!\b(?:Mr|Dr|Ms|St|No)\.)(?<!\bMrs\.)\s+(?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z][\w,;:'’$%() -]*[.!?]|[A-Z].*\b(?:Mr|Mrs|Dr)\. [A-Z][\w,;:' -]*[.!?]")


def correct(entry: Entry) -> Entry | None:
    """Return an entry with another sentence of the text, of a length that is asked for.

    It begins with a capital letter, has no quotation marks and no other sentence's words. None if
    there is no such sentence, or if the question would show it in order.
    """
    least, most = entry["metadata"]["difficulty"]["words_in_sentence"]
    sentences = [text for text, length in _lengths().items() if least <= length <= most]
    if not sentences:
        return None
    rng = random_of(entry)
    answer = rng.choice(sentences)
    words = answer.split()
    shuffled = rng.sample(words, len(words))
    if shuffled == words:
        return None
    question = f"{entry['question'].partition(': ')[0]}: {' '.join(shuffled)}"
    return changed(entry, question, answer, word_count=_lengths()[answer])


@cache
def _lengths() -> dict[str, int]:
    """Return the sentences of the text with the number of their words, in alphabetical order.

    Sentences that have the same words in another order are left out.
    """
    text = re.sub(r'["_]|\[.*?\]', "", read_data_file(SENTENCE_TEXT))
    alike: dict[tuple[str, ...], set[str]] = {}
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in _SENTENCE_ENDS.split(" ".join(paragraph.split())):
            if _SENTENCE.fullmatch(sentence):
                alike.setdefault(tuple(sorted(sentence.lower().split())), set()).add(sentence)
    sentences = sorted(sentence for same in alike.values() if len(same) == 1 for sentence in same)
    return {sentence: len(re.findall(r"\b\w+\b", sentence)) for sentence in sentences}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the words are in place.

    The library gives 0.13 to the sentence as the question shows it.
    """
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    return order_score(given, right)


def shortcuts(question: str) -> Answers:
    words = question.split(": ", 1)[1].split(" ")
    first = next((word for word in words if word[:1].isupper()), words[0])
    last = next((word for word in words if word[-1:] in ".?!"), words[-1])
    middle = list(words)
    for word in (first, last):
        if word in middle:
            middle.remove(word)
    orders = {
        "reverse the words": words[::-1],  # .06
        "capital first, stop last": [first, *middle, last],  # .31
        "capital first, stop last, reversed between": [first, *middle[::-1], last],  # .26
    }
    return {name: " ".join(order) for name, order in orders.items()}


TASK = Task(
    answer=Sentence(),
    correct=correct,
    verify=verify,
    shortcuts=shortcuts,
    family=words_after(r"sentence: (.*)"),
    # The text has about 400 sentences, few of them with more than 40 words.
    levels=moving(words_in_sentence=[(3, 7), (6, 12), (10, 18), (15, 28), (20, 48)]),
    prepared=("min_words_in_sentence", "max_words_in_sentence"),
    accepted={"shortcut": "the text has few sentences, and the number of letters tells which"},
)
