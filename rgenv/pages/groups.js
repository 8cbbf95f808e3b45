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
const rewardOf = (rollout) => rollout.reward ?? rollout.score;

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
  const given = rollouts.map(rewardOf).filter((reward) => reward !== null);
  return Math.max(...given) - Math.min(...given) > 1e-9;
}

function readGroups(index) {
  const { groups: columns, rollouts: flat } = index;
  const kinds = Object.keys(index.verdicts);
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
    const of = (name) => columns[name][number];
    return withNumbers({
      id, number, rollouts, kind: of("kind"), level: of("level"), step: of("step"), side: of("side"),
      source: of("source"), file: of("file"), line: of("line"), pieces: of("pieces"),
      task: index.tasks[task], category: index.categories[task],
      run: index.runs_of_sources[of("source")],
    });
  });
}

// Lengths are in tokens if all are known, and else in characters.
let lengthUnit = "tokens";

function withNumbers(group) {
  const rollouts = group.rollouts;
  const known = rollouts.map(scoreOf).filter((score) => score !== null);
  group.states = rollouts.map(stateOf);
  group.reward = mean(rollouts.map(rewardOf));
  group.score = mean(known);
  group.solved = known.length ? known.filter((score) => score >= SOLVED).length / known.length : null;
  group.informative = rewardsDiffer(rollouts);
  group.lesson = lessonOf(group);
  group.length = mean(rollouts.map((rollout) => rollout[lengthUnit]));
  return group;
}

const levelName = (level) => level === null ? "defaults" : String(level);
const placeOf = (group) => group.step ?? group.number + 1;

// Return the groups in lists by a key.
function grouped(groups, keyOf) {
  const found = new Map();
  for (const group of groups) {
    const key = keyOf(group);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(group);
  }
  return found;
}

// Return the numbers of groups: name, text, and what it means.
function figuresOf(groups) {
  const states = groups.flatMap((group) => group.states);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const share = (some, all) => all.length ? some.length / all.length : null;
  const are = (...wanted) => share(states.filter((name) => wanted.includes(name)), states);
  const several = groups.filter((group) => group.rollouts.length > 1);
  return [
    ["Accuracy", percent(mean(groups.map((group) => group.solved))), "solved completions"],
    ["Mean reward", decimal(mean(groups.map((group) => group.reward))), "of all rollouts"],
    ["Informative", percent(share(several.filter((group) => group.informative), several)),
      "groups whose rewards differ"],
    ["Without an answer", percent(are("none", "misplaced")), are("misplaced")
      ? `${percent(are("misplaced"))} right, not in the format` : "the format is broken"],
    ["Cut", percent(share(rollouts.filter((rollout) => rollout.cut), rollouts)),
      "at the token limit"],
    ["Not judged", percent(are("trouble")), "no completion, or the verifier failed"],
  ];
}
