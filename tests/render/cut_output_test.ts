import { assertEquals } from "@std/assert";
import { cutOutput } from "../../lib/render/cut_output.ts";

const CASES = [
  {
    name: "blank output",
    text: " \n\n",
    max: 3,
    both: [[], 0, []],
    end: [[], 0, []],
  },
  {
    name: "output that fits",
    text: "a\nb\n",
    max: 2,
    both: [["a", "b"], 0, []],
    end: [["a", "b"], 0, []],
  },
  {
    name: "CRLF at the end",
    text: "a\r\n",
    max: 1,
    both: [["a"], 0, []],
    end: [["a"], 0, []],
  },
  {
    name: "too long output",
    text: "1\n2\n3\n4\n5",
    max: 2,
    both: [["1"], 3, ["5"]],
    end: [[], 3, ["4", "5"]],
  },
  {
    name: "output that is one line too long, whole",
    text: "1\n2\n3",
    max: 2,
    both: [["1", "2", "3"], 0, []],
    end: [["1", "2", "3"], 0, []],
  },
  {
    name: "all lines with a limit of 0",
    text: "1\n2",
    max: 0,
    both: [[], 2, []],
    end: [[], 2, []],
  },
  {
    name: "blank lines in between",
    text: "1\n\n3",
    max: Infinity,
    both: [["1", "", "3"], 0, []],
    end: [["1", "", "3"], 0, []],
  },
];

for (const { name, text, max, both, end } of CASES) {
  Deno.test(`cutOutput() handles ${name}`, () => {
    for (const [keep, expected] of [["both", both], ["end", end]] as const) {
      const { head, omitted, tail } = cutOutput(text, { maxLines: max, keep });
      assertEquals([[...head], omitted, [...tail]], expected, keep);
    }
  });
}
