/** The tokens that each count of a stream adds. */

import { assertEquals } from "@std/assert";
import type { UsageRule } from "../../lib/usage/derivations.ts";
import { TokenCounter } from "../../lib/usage/token_counter.ts";
import { type Tokens, tokensOf } from "../../lib/usage/tokens.ts";

/**
 * A step of a case: a count "total/last", each "input+output", or "?" for a count without numbers;
 * "record" for a request that its record counts; or "turn" for a new turn. The expected rule and
 * the expected added input tokens follow.
 */
type Step = readonly [
  count: string,
  rule: UsageRule,
  input?: number,
];

function tokens(text: string | undefined): Tokens | undefined {
  if (text === undefined || text === "") return undefined;
  const [input = "0", output = "0"] = text.split("+");
  return tokensOf((kind) =>
    kind === "input_tokens"
      ? BigInt(input)
      : kind === "output_tokens"
      ? BigInt(output)
      : 0n
  );
}

const CASES = [
  {
    name: "a count without a total is one request (up to 0.29)",
    steps: [["/100+5", "request", 100], ["/100+5", "request", 100]],
  },
  {
    name: "totals that grow",
    steps: [
      ["100+5/100+5", "first", 100],
      ["300+10/200+5", "grown", 200],
      ["350+10/50+0", "grown", 50],
    ],
  },
  {
    name: "a total that is repeated (0.42 and later)",
    steps: [
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
      ["100+5/100+5", "repeated"],
      ["turn 2", "repeated"],
      ["100+5/100+5", "repeated"],
      ["300+9/200+4", "grown", 200],
    ],
  },
  {
    name: "the estimate after a compaction adds nothing",
    steps: [
      ["100+5/100+5", "first", 100],
      ["100+5/0+0", "repeated"],
      ["150+9/50+4", "grown", 50],
    ],
  },
  {
    name: "two processes at once that each continue from the total they read",
    steps: [
      ["300+10/100+5", "unwritten", 300],
      ["turn 2", "repeated"],
      ["400+15/100+5", "grown", 100],
      ["turn 3", "repeated"],
      ["500+20/200+10", "grown", 200],
      ["650+25/150+5", "grown", 150],
      ["540+20/140+5", "grown", 140],
      ["900+30/250+5", "grown", 250],
    ],
  },
  {
    name: "two processes at once that reach the same total (0.133)",
    steps: [
      ["200+5/200+5", "first", 200],
      ["300+10/100+5", "grown", 100],
      ["turn 2", "repeated"],
      ["400+15/100+5", "grown", 100],
      ["600+20/200+5", "grown", 200],
      ["turn 3", "repeated"],
      ["400+15/100+5", "grown", 100],
    ],
  },
  {
    name: "two processes at once that both restart, announced (0.77)",
    steps: [
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
      ["100+5/100+5", "repeated"],
      ["turn 2", "repeated"],
      ["?", "unknown"],
      ["120+5/120+5", "first", 120],
      ["turn 3", "repeated"],
      ["?", "unknown"],
      ["130+5/130+5", "first", 130],
      ["130+5/130+5", "repeated"],
      ["260+10/130+5", "grown", 130],
      ["120+5/120+5", "repeated"],
      ["200+10/80+5", "grown", 80],
      ["260+10/130+5", "repeated"],
    ],
  },
  {
    name: "two processes at once that repeat their totals (0.118)",
    steps: [
      ["?", "unknown"],
      ["300+10/300+10", "first", 300],
      ["300+10/300+10", "repeated"],
      ["400+15/100+5", "grown", 100],
      ["turn 2", "repeated"],
      ["550+20/150+5", "grown", 150],
      ["turn 3", "repeated"],
      ["400+15/100+5", "repeated"],
      ["520+25/120+10", "grown", 120],
      ["550+20/150+5", "repeated"],
      ["650+25/100+5", "grown", 100],
      ["520+25/120+10", "repeated"],
      ["600+30/80+5", "grown", 80],
    ],
  },
  {
    name: "a process that restarts and has used less",
    steps: [
      ["300+10/300+10", "first", 300],
      ["turn 2", "repeated"],
      ["100+5/100+5", "restarted", 100],
      ["250+9/150+4", "grown", 150],
    ],
  },
  {
    name: "a process that restarts and has used more",
    steps: [
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["300+10/300+10", "restarted", 300],
    ],
  },
  {
    name: "a process that restarts and has used as much, unannounced (0.34)",
    steps: [
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["100+5/100+5", "restarted", 100],
    ],
  },
  {
    name:
      "a process that restarts and has used as much, in turns with ids (0.148)",
    steps: [
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["100+5/100+5", "restarted", 100],
    ],
  },
  {
    name: "a process that restarts and has used as much, announced (0.53)",
    steps: [
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
    ],
  },
  {
    name: "a process that continues beside one that announces itself (0.77)",
    steps: [
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
      ["300+9/200+4", "grown", 200],
      ["?", "unknown"],
      ["300+9/200+4", "repeated"],
      ["?", "unknown"],
      ["420+20/120+11", "grown", 120],
      ["?", "unknown"],
      ["80+5/80+5", "first", 80],
    ],
  },
  {
    name: "rate limits without counts, and the estimate of a compaction",
    steps: [
      ["100+5/100+5", "first", 100],
      ["300+9/200+4", "grown", 200],
      ["?", "unknown"],
      ["300+9/0+0", "repeated"],
      ["350+9/50+0", "grown", 50],
    ],
  },
  {
    name: "a total that is repeated in a later turn (0.136)",
    goesOn: true,
    steps: [
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["100+5/100+5", "repeated"],
      ["300+9/200+4", "grown", 200],
    ],
  },
  {
    name:
      "a total of recorded requests that is repeated in a later turn (0.155)",
    steps: [
      ["record", "recorded"],
      ["100+5/100+5", "recorded"],
      ["turn 2", "repeated"],
      ["100+5/100+5", "repeated"],
      ["record", "recorded"],
      ["300+9/200+4", "recorded"],
    ],
  },
  {
    name: "requests that were not written",
    steps: [
      ["100+5/100+5", "first", 100],
      ["400+20/50+5", "missed", 300],
    ],
  },
  {
    name: "a file without its beginning",
    steps: [["900+50/100+5", "unwritten", 900], ["950+60/50+10", "grown", 50]],
  },
  {
    name: "a fork that continues the totals of its parent",
    isFork: true,
    steps: [["900+50/100+5", "inherited", 100], ["950+60/50+10", "grown", 50]],
  },
  {
    name: "a fork that repeats a copied total",
    isFork: true,
    steps: [
      ["100+5/100+5", "first", 100],
      ["turn 2", "repeated"],
      ["100+5/100+5", "repeated"],
    ],
  },
  {
    name: "requests with records (0.155 and later)",
    steps: [
      ["record", "recorded"],
      ["100+5/100+5", "recorded"],
      ["100+5/100+5", "repeated"],
      ["record", "recorded"],
      ["record", "recorded"],
      ["400+10/100+5", "recorded"],
      ["500+15/100+5", "grown", 100],
    ],
  },
  {
    name: "a request that exceeds the context window (0.171)",
    steps: [
      ["?", "unknown"],
      ["100+5/100+5", "first", 100],
      ["0+0/0+0", "empty"],
      ["turn 2", "repeated"],
      ["0+0/0+0", "empty"],
      ["300+9/300+9", "grown", 300],
      ["300+9/0+0", "repeated"],
    ],
  },
  {
    name: "a count of no tokens",
    steps: [["0+0/0+0", "empty"], ["/0+0", "empty"]],
  },
] satisfies {
  name: string;
  isFork?: boolean;
  goesOn?: boolean;
  steps: Step[];
}[];

for (
  const { name, isFork = false, goesOn = false, steps } of CASES
) {
  Deno.test(`TokenCounter counts: ${name}`, () => {
    const counter = new TokenCounter();
    let turn = 1;
    for (const [i, [count, rule, input]] of steps.entries()) {
      if (count === "record") counter.recorded();
      else if (count.startsWith("turn")) turn += 1;
      else {
        const [total, last] = count.split("/");
        const addition = counter.count(
          {
            total: count === "?" ? undefined : tokens(total),
            last: tokens(last),
          },
          { turn, isFork, goesOn },
        );
        assertEquals(addition.rule, rule, `step ${i}: ${count}`);
        assertEquals(
          addition.tokens?.input_tokens,
          input === undefined ? undefined : BigInt(input),
          `step ${i}: ${count}`,
        );
      }
    }
  });
}

Deno.test("TokenCounter.isContinuedBy() returns whether a count continues the last total", () => {
  const countOf = (total?: string, last?: string) => ({
    total: tokens(total),
    last: tokens(last),
  });
  const counter = new TokenCounter();
  const continues = (total?: string, last?: string): boolean =>
    counter.isContinuedBy(countOf(total, last));
  assertEquals(continues("100+5", "100+5"), false);
  counter.count(countOf("100+5", "100+5"), {
    turn: null,
    isFork: false,
    goesOn: false,
  });
  assertEquals(continues("150+9", "50+4"), true);
  assertEquals(continues("150+9", "50+3"), false);
  // The same total again continues, unless it equals the last request: then a process restarted.
  assertEquals(continues("100+5", "60+2"), true);
  assertEquals(continues("100+5", "100+5"), false);
  assertEquals(continues("50+5", "50+5"), false);
  assertEquals(continues("150+9"), false);
  assertEquals(continues(undefined, "50+4"), false);
});
