// The groups as objects, with what the list and the filters need of each.

const SOLVED = 0.99;
const SIGNS = {
  solved: ["●", "solved"],
  partial: ["◐", "partly right"],
  wrong: ["○", "wrong"],
  none: ["–", "no answer in the format"],
  misplaced: ["≈", "right, but not in the format"],
  cut: ["✂", "cut at the token limit, no answer"],
  trouble: ["!", "not judged: no completion came, or the verifier failed or refused it"],
};

const scoreOf = (rollout) => rollout.score ?? rollout.reward;

// Return what became of a rollout: a key of SIGNS.
function stateOf(rollout) {
  if (rollout.verdict === "no_answer") {
    return rollout.cut ? "cut" : rollout.misplaced ? "misplaced" : "none";
  }
  if (rollout.verdict && rollout.verdict !== "scored") return "trouble";
  const score = scoreOf(rollout);
  if (score === null) return "trouble";
  return score >= SOLVED ? "solved" : score > 0 ? "partial" : "wrong";
}

// What a group teaches: a short text for the list, and a longer one.
const LESSONS = {
  differ: ["differ", "differ (informative)"],
  cutDiffer: ["cut differ", "differ from cut ones only: no gradient if those are masked"],
  solved: ["all solved", "are equal: all solved"],
  wrong: ["all wrong", "are equal: all wrong"],
  format: ["no answer", "are equal: none has an answer in the format"],
  cut: ["all cut", "are equal: all cut"],
  none: ["none solved", "are equal: none solved, for several reasons"],
  partial: ["equal", "are equal: all partly right"],
  single: ["–", "one rollout only"],
};

function lessonOf(group) {
  const { rollouts, states } = group;
  if (rollouts.length < 2) return "single";
  if (group.informative) {
    return rewardsDiffer(rollouts.filter((rollout) => !rollout.cut)) ? "differ" : "cutDiffer";
  }
  if (group.solved === 1) return "solved";
  if (rollouts.every((rollout) => rollout.cut)) return "cut";
  if (states.every((name) => name === "wrong")) return "wrong";
  if (states.every((name) => name === "none" || name === "misplaced")) return "format";
  return group.solved === 0 && group.score === 0 ? "none" : "partial";
}

const onlySingles = (groups) => groups.every((group) => group.lesson === "single");

function rewardsDiffer(rollouts) {
  const given = rollouts.map((rollout) => rollout.reward ?? rollout.score)
    .filter((reward) => reward !== null);
  return Math.max(...given) - Math.min(...given) > 1e-9;
}

function readGroups(index) {
  const { groups: columns, rollouts: flat } = index;
  const kinds = Object.keys(index.verdicts);
  const inTokens = flat.tokens.every((tokens) => tokens !== null);
  let next = 0;
  return columns.id.map((id, number) => {
    const rollouts = [];
    for (const end = next + columns.size[number]; next < end; next++) {
      rollouts.push({
        index: flat.index[next],
        reward: flat.reward[next],
        score: flat.score[next],
        verdict: kinds[flat.verdict[next]] ?? "",
        tokens: flat.tokens[next],
        characters: flat.characters[next],
        cut: flat.cut[next] === 1,
        misplaced: flat.misplaced[next] === 1,
      });
    }
    const task = columns.task[number];
    return withNumbers({
      id, number, rollouts,
      kind: columns.kind[number],
      task: index.tasks[task],
      category: index.categories[task],
      level: columns.level[number],
      step: columns.step[number],
      source: columns.source[number],
      run: index.runs_of_sources[columns.source[number]],
      file: columns.file[number],
      line: columns.line[number],
      pieces: columns.pieces[number],
    }, inTokens);
  });
}

// Lengths are in tokens if all are known, and else in characters.
function withNumbers(group, inTokens) {
  const rollouts = group.rollouts;
  const scores = rollouts.map(scoreOf);
  const known = scores.filter((score) => score !== null);
  const rewards = rollouts.map((rollout) => rollout.reward ?? rollout.score);
  group.states = rollouts.map(stateOf);
  group.reward = mean(rewards);
  group.score = mean(scores);
  group.solved = known.length ? known.filter((score) => score >= SOLVED).length / known.length : null;
  group.informative = rewardsDiffer(rollouts);
  group.lesson = lessonOf(group);
  group.lengthUnit = inTokens ? "tokens" : "characters";
  group.length = mean(rollouts.map((rollout) => rollout[group.lengthUnit]));
  return group;
}

const levelName = (level) => level === null ? "defaults" : String(level);

// Return the numbers of the groups that are given, as pairs of a name and a text.
function figuresOf(groups) {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const states = groups.flatMap((group) => group.states);
  const share = (...wanted) => rollouts.length
    ? states.filter((found) => wanted.includes(found)).length / rollouts.length : null;
  const several = groups.filter((group) => group.rollouts.length > 1);
  return [
    ["Accuracy", percent(mean(groups.map((group) => group.solved))), "solved completions"],
    ["Mean reward", decimal(mean(groups.map((group) => group.reward))), "of all rollouts"],
    ["Informative", percent(several.length
      ? several.filter((group) => group.informative).length / several.length : null),
    "groups whose rewards differ"],
    ["Without an answer", percent(share("none", "misplaced")), share("misplaced")
      ? `${percent(share("misplaced"))} right, not in the format` : "the format is broken"],
    ["Cut", percent(rollouts.length
      ? rollouts.filter((rollout) => rollout.cut).length / rollouts.length : null),
    "at the token limit"],
    ["Not judged", percent(share("trouble")), "no completion, or the verifier failed"],
  ];
}
