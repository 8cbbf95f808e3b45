"""rgenv/inference/policy.py: prompts, completions and their decoding.

Then how requests are spread over servers, and asked again.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_manager import ServerManager
from transformers import AutoTokenizer

from rgenv.dialogue.prompts import DIALOGUE, Dialogue
from rgenv.errors import PromptFailed, PromptTooLong, RequestFailed, RequestRefused, ServerHangs
from rgenv.inference import policy as policy_module
from rgenv.inference.engine import Ask
from rgenv.inference.first_request import try_prompts
from rgenv.inference.policy import Generation, Policy, Sampling, completions_at_once
from rgenv.runtime.backoff import REFUSALS
from tests.support.chat_server import ChatServer, says
from tests.support.chat_templates import DEEPSEEK_R1, GEMMA, QWEN3
from tests.support.engines import error
from tests.support.fakes import Completion, Reply, fake_config, scripted
from tests.support.polling import settle, until
from tests.support.rollouts import problem

pytestmark = pytest.mark.usefixtures("short_pauses")

PROBLEM = problem(question="What is the gcd of 4 and 6?")


def new_servers(reply: Reply, tokenizer: Any) -> ServerManager:
    return ServerManager(fake_config(), server_class=scripted(reply, tokenizer))


def new_policy(servers: Any, tokenizer: Any, *, max_tokens: int = 4096, **more: Any) -> Policy:
    """Return a policy with different sampling parameters for training and evaluation."""
    return Policy(
        Generation(servers),
        tokenizer,
        model="fake",
        training=Sampling(max_tokens, 1.0, 0.95),
        evaluation=Sampling(2 * max_tokens, 0.1, 0.9, limit_option="eval_max_tokens"),
        **more,
    )


def batches(*completions: Sequence[Completion]) -> Reply:
    """Return the next list of completions, whatever number is requested."""
    left = list(completions)
    return lambda prompt, n: left.pop(0)


async def test_rollouts_hold_what_the_server_returned(tokenizer: Any) -> None:
    reply = batches([("<answer>2</answer>", "stop"), ("So it is", "length")])
    policy = new_policy(new_servers(reply, tokenizer), tokenizer)
    first, second = await policy.rollouts(PROBLEM, 2)
    messages = DIALOGUE.messages(PROBLEM.question)
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    prompt_tokens = tokenizer.encode(prompt)
    for rollout, text in ((first, "<answer>2</answer>"), (second, "So it is")):
        written = tokenizer.encode(text)
        assert rollout.prompt == prompt and rollout.text == text
        assert rollout.tokens == [*prompt_tokens, *written]
        assert rollout.masks == [-100] * len(prompt_tokens) + written
        assert rollout.logprobs == [1.0] * len(prompt_tokens) + [-0.5] * len(written)
        assert rollout.messages == (*messages, {"role": "assistant", "content": text})
        assert rollout.budget == 4096 - len(prompt_tokens)
    assert (first.answer, second.answer) == ("2", None)
    assert (first.truncated, second.truncated) == (False, True)


async def test_a_group_that_stays_too_small_is_an_error(tokenizer: Any) -> None:
    servers = new_servers(batches([("1", "stop")], [("2", "stop")]), tokenizer)
    policy = new_policy(servers, tokenizer)
    with pytest.raises(ValueError, match="2 of 3 completions came back"):
        await policy.rollouts(PROBLEM, 3)
    assert [request["n"] for request in servers.servers[0].requests] == [3, 2]


async def test_a_prompt_that_leaves_no_room_names_the_option(tokenizer: Any) -> None:
    servers = new_servers(batches(), tokenizer)
    policy = new_policy(servers, tokenizer, max_tokens=20)
    with pytest.raises(PromptTooLong, match=r"raise --env\.max_token_length \(20\)"):
        await policy.rollouts(PROBLEM, 1)
    with pytest.raises(PromptTooLong, match=r"raise --env\.eval_max_tokens \(40\)"):
        await policy.evaluate(PROBLEM)
    assert servers.servers[0].requests == []


TAGS = ("<|channel|>analysis<|message|>", "<|end|>"), ("<|channel>thought", "<channel|>")
OTHERS = ("<|START|>Thinking<|SEP|>", "<|END|> <|SEP|>"), ("<think>", "</think>")


@pytest.mark.parametrize("tags", [*TAGS, *OTHERS])
async def test_special_tokens_are_hidden_and_tags_are_kept(
    tokenizer_dir: Path, tags: tuple[str, str]
) -> None:
    """An answer in thinking that never ends is none; without the tag it would be one."""
    tokenizer = AutoTokenizer.from_pretrained(str(tokenizer_dir))
    special = sorted({token for tag in tags for token in re.findall(r"<[|/]?\w+\|?>", tag)})
    tokenizer.add_special_tokens({"additional_special_tokens": [*special, "<|return|>"]})
    dialogue = Dialogue.of("tags", think_tags=tags)
    opens, closes = tags
    answers = {
        f"{opens}or <answer>2</answer>, let me see": None,
        f"{opens}or <answer>3</answer>?{closes}<answer>2</answer><|return|>": "2",
        f"or <answer>3</answer>?{closes}<answer>2</answer>": "2",
    }
    for text, answer in answers.items():
        servers = new_servers(lambda prompt, n, text=text: [(text, "stop")] * n, tokenizer)
        policy = new_policy(servers, tokenizer, dialogue=dialogue)
        [rollout] = await policy.rollouts(replace(PROBLEM, dialogue=dialogue), 1)
        assert (rollout.text, rollout.answer) == (text.removesuffix("<|return|>"), answer)


async def test_a_scripted_server_may_answer_in_code_points(tokenizer: Any) -> None:
    """Atropos' stand-in has no tokenizer, and its group may be smaller than asked for."""
    points = list(map(ord, "<answer>ü</answer>"))

    class Stub:
        async def tokens_and_logprobs_completion(self, **_: Any) -> Any:
            return [0], [points], [[0.0005] * len(points)], ["stop"]

    policy = new_policy(SimpleNamespace(servers=[Stub()]), tokenizer, scripted=True)
    [rollout] = await policy.rollouts(PROBLEM, 2)
    assert (rollout.answer, rollout.finish_reason) == ("ü", "stop")
    assert (rollout.tokens, rollout.masks) == ([0, *points], [-100, *points])
    assert rollout.logprobs == [1.0] + [0.0] * len(points), "engines round to above 0"


BOXED = Dialogue.of("boxed")
USER_ONLY = Dialogue.of("final_line", "none", "{question}\nEnd with a line 'Answer: ...'.", ())


@pytest.mark.parametrize(
    ("template", "kwargs", "dialogue", "end", "text", "opening"),
    [
        (QWEN3, {}, BOXED, "assistant\n", "<think>5?</think>\\boxed{2}", ""),
        (QWEN3, {"enable_thinking": False}, BOXED, "</think>\n\n", "\\boxed{2}", ""),
        (DEEPSEEK_R1, {}, BOXED, "<think>\n", "\\boxed{5}?</think>\\boxed{2}", "<think>\n"),
        (GEMMA, {}, USER_ONLY, "model\n", "Hm.\n**Answer:** 2", ""),
    ],
)
@pytest.mark.parametrize("shots", [(), (("1 + 1?", "2"),)])
async def test_templates_of_model_families(
    tokenizer: Any,
    template: str,
    kwargs: dict[str, Any],
    dialogue: Dialogue,
    end: str,
    text: str,
    opening: str,
    shots: tuple[tuple[str, str], ...],
) -> None:
    asked = replace(PROBLEM, dialogue=replace(dialogue, examples=shots))
    policy = new_policy(
        new_servers(lambda prompt, n: [(text, "stop")] * n, tokenizer),
        tokenizer,
        own_template=template,
        template_kwargs=kwargs,
        dialogue=dialogue,
    )
    await try_prompts(policy, [asked], policy.training)
    [rollout] = await policy.rollouts(asked, 1)
    assert rollout.prompt.endswith(end) and PROBLEM.question in rollout.prompt
    assert all(question in rollout.prompt for question, _ in shots)
    assert (rollout.answer, dialogue.reading.opening(rollout.prompt)) == ("2", opening)
    reply = await policy.evaluate(asked)
    assert dialogue.reading.answer(reply.text) == "2"


async def test_chat_servers_take_turns() -> None:
    """One that failed has its turn again; all get the options of the template."""
    async with ChatServer(says("a")) as one, ChatServer(lambda body: error(500, "x")) as two:
        urls = two.url, one.url
        configs = [fake_config(server_type="openai", base_url=url)[0] for url in urls]
        servers = SimpleNamespace(servers=list(map(OpenAIServer, configs)))
        policy = new_policy(servers, None, chat_only=True, template_kwargs={"thinks": False})
        with pytest.raises(RequestFailed):
            await policy.evaluate(PROBLEM)
        two.script = lambda body: says(str(body["chat_template_kwargs"]))(body)
        texts = [(await policy.evaluate(PROBLEM)).text for _ in range(3)]
    assert texts == ["a", "{'thinks': False}", "a"]


AWAY = RequestFailed("http://here fails")


class Server:
    """Fails with `errors` first; then gives completions, each with the server's name as token."""

    def __init__(self, name: int, *errors: Exception, limit: int = 8) -> None:
        self.errors = list(errors)
        self.write: Any = lambda n: ([[name]] * n, [[-0.5]] * n)
        self.config = SimpleNamespace(num_max_requests_at_once=limit)
        self.reason: Any = "stop"
        self.asked: list[dict[str, Any]] = []
        self.release = asyncio.Event()
        self.release.set()

    async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
        self.asked.append(request)
        await self.release.wait()
        if self.errors:
            raise self.errors.pop(0)
        tokens, logprobs = self.write(request["n"])
        return request["input_ids"], tokens, logprobs, [self.reason] * len(tokens)


async def ask(generation: Generation, count: int = 1, *, limit: int = 9, **more: Any) -> Any:
    asked = Ask([5, 9], n=count, max_tokens=limit)
    return await generation.complete(asked, "2 + 2?", **more)


def over(*servers: Server, **more: Any) -> Generation:
    return Generation(SimpleNamespace(servers=list(servers)), at_once=8, **more)


async def test_the_server_with_the_most_room_is_asked() -> None:
    small, large = Server(0, limit=2), Server(1, limit=6)
    generation = over(small, large)
    for server in (small, large):
        server.release.clear()
    tasks = [asyncio.create_task(ask(generation)) for _ in range(16)]
    await settle()
    assert (len(small.asked), len(large.asked)) == (4, 12)
    for server in (small, large):
        server.release.set()
    await asyncio.gather(*tasks)


async def test_a_large_group_is_split() -> None:
    servers = Server(0), Server(1)
    assert len(await ask(over(*servers), 20)) == 20
    assert sorted(request["n"] for s in servers for request in s.asked) == [4, 8, 8]
    assert all(server.asked for server in servers)


def test_longer_completions_come_in_smaller_parts() -> None:
    """A body of more would hold the event loop while it is taken apart."""
    lengths = (2048, 8192, 21_000, 1 << 20)
    assert [completions_at_once(8, tokens) for tokens in lengths] == [8, 4, 1, 1]


async def test_another_server_is_asked_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that failed, which has the fewest requests under way, is tried from time to time."""
    monkeypatch.setattr(policy_module, "LONGEST_PAUSE", 0.5)
    failing, other = Server(0, *[AWAY] * 2), Server(1)
    generation = over(failing, other)
    for attempts in (1, 2):
        found = [await ask(generation) for _ in range(3)]
        assert [one.tokens for [one] in found] == [[1]] * 3
        assert len(failing.asked) == attempts and not generation.outage
        await asyncio.sleep(0.6)


NO_KEY = RequestRefused("http://here refuses requests with status 401", final=True)


@pytest.mark.parametrize("error", [AWAY, NO_KEY])
async def test_a_request_waits_until_a_server_answers(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that refuses what it answered before may get its key back. Those that wait ask
    together whether it answers, and none is given up."""
    caplog.set_level("INFO")
    server = Server(0)
    generation = over(server, patience=60)
    await ask(generation)
    server.errors = [error] * 100 * REFUSALS
    tasks = [asyncio.create_task(ask(generation)) for _ in range(50)]
    await until(lambda: generation.outage)
    assert [len(found) for found in await asyncio.gather(*tasks)] == [1] * 50
    assert sum(request["max_tokens"] == 1 for request in server.asked) < 50
    begun, over_again = caplog.messages
    assert begun == f"All inference servers fail; waiting up to 60 s: {error}"
    assert over_again.startswith("Inference is back after") and not generation.outage


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (AWAY, REFUSALS + 1),
        (RequestRefused("too long", final=False), REFUSALS),
        (ServerHangs("http://here did not answer within 9 s (--openai.timeout)"), 2),
    ],
)
async def test_a_request_that_fails_while_the_servers_answer_is_given_up(
    error: Exception, tries: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as one whose completions take longer than a gateway's limit of time; nothing else need
    be under way. One that hangs is named at once."""
    tried: list[Any] = []

    class ForShort(Server):
        async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
            if is_long := request["input_ids"] == [7, 7]:
                tried.append(request)
            self.errors = [error] if is_long else []
            return await super().tokens_and_logprobs_completion(**request)

    generation = over(ForShort(0), ForShort(1), patience=60)
    await ask(generation)
    with pytest.raises(PromptFailed, match=re.escape(str(error))):
        await generation.complete(Ask([7, 7]), "long")
    assert len(tried) == tries and not generation.outage
    once_more = "Others are answered; asked once more: a prompt that ends with 'long'"
    assert caplog.messages == [f"{error}. {once_more}"] * (tries == 2)


@pytest.mark.parametrize("error", [RequestRefused("no", final=True), KeyError("foreign")])
async def test_a_refusal_is_not_repeated(error: Exception) -> None:
    """Nor are errors of foreign clients, which have attempts of their own."""
    server = Server(0, error)
    with pytest.raises(type(error)):
        await ask(over(server))
    assert len(server.asked) == 1


async def test_what_no_trainer_can_use_is_left_out_and_counted() -> None:
    counted: list[str] = []
    server = Server(0)
    server.write = lambda n: ([[1, -100], [1, 2]][:n], [[-0.5, -0.5], [-0.5, 0.0005]][:n])
    generation = over(server, vocabulary=lambda: 10, count=counted.append)
    for _ in range(2):
        [one] = await ask(generation, 2)
        assert one == ([1, 2], [-0.5, 0.0005], "stop", [5, 9])
    assert counted == ["completions_unusable"] * 2
    with pytest.raises(RequestFailed, match="outside the vocabulary"):
        await ask(generation, is_training=False)


async def test_any_client_of_atropos_is_asked() -> None:
    """The prompt is the one that it read, and finish reasons are OpenAI's words."""
    server = Server(7)
    server.reason = "MAX_TOKENS"
    [one] = await ask(over(server), is_training=False)
    assert one == ([7], [-0.5], "length", [5, 9])
    given = {"temperature": 1.0, "top_p": 1.0, "n": 1, "max_tokens": 9, "split": "eval"}
    assert server.asked == [{"prompt": "2 + 2?", "input_ids": [5, 9], **given}]


@pytest.mark.parametrize("reason", ["abort", "ERROR", None])
async def test_completions_that_were_broken_off_are_asked_elsewhere(reason: Any) -> None:
    """vLLM and SGLang end requests so when they sleep or restart."""
    one, two = Server(1), Server(2)
    one.reason = reason
    generation = over(one, two)
    found = await ask(generation, 2)
    assert [completion.tokens for completion in found] == [[2], [2]]
    with pytest.raises(RequestFailed, match=r"broke the completions off \(finish_reason"):
        await ask(over(one), 2, is_training=False)
