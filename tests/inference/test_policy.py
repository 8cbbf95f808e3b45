"""rgenv/inference/policy.py: prompts, completions and their decoding."""

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
from rgenv.errors import PromptTooLong, RequestFailed
from rgenv.inference.first_request import try_prompts
from rgenv.inference.policy import Generation, Policy, Sampling
from tests.support.chat_server import ChatServer, says
from tests.support.chat_templates import DEEPSEEK_R1, GEMMA, QWEN3
from tests.support.engines import error
from tests.support.fakes import Completion, Reply, fake_config, scripted
from tests.support.rollouts import problem

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
