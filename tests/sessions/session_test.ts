import { assertEquals } from "@std/assert";
import { titleOf } from "../../lib/sessions/session.ts";
import type { SessionHead } from "../../lib/sessions/session_head.ts";

const HEAD: SessionHead = {
  id: "a",
  started: undefined,
  firstMessage: undefined,
  cwd: undefined,
  gitBranch: undefined,
  gitCommit: undefined,
  gitUrl: undefined,
  cliVersion: undefined,
  source: undefined,
  originator: undefined,
  model: undefined,
  modelProvider: undefined,
  kind: "main",
  forkedFrom: undefined,
  parent: undefined,
  agent: undefined,
  historyMode: undefined,
  hasHeader: true,
  problem: undefined,
};

const CASES = [
  {
    name: "by its name, on one line",
    head: { firstMessage: "Hello" },
    given: "My\n session",
    expected: "My session",
  },
  {
    name: "by the first line of its first message that says something",
    head: { firstMessage: "\n  \t\nFix  the tests\r\nplease" },
    given: undefined,
    expected: "Fix the tests",
  },
  {
    name: "by no more than 80 characters",
    head: { firstMessage: "🚀".repeat(81) },
    given: undefined,
    expected: "🚀".repeat(79) + "…",
  },
  {
    name: "by exactly 80 characters",
    head: { firstMessage: "🚀".repeat(80) },
    given: undefined,
    expected: "🚀".repeat(80),
  },
  {
    name: "by what a sub-agent is called",
    head: { kind: "subagent", agent: "/main/tests" },
    given: undefined,
    expected: "(sub-agent /main/tests)",
  },
  {
    name: "by what started a sub-agent",
    head: { kind: "subagent", source: "subagent:review" },
    given: undefined,
    expected: "(sub-agent review)",
  },
  {
    name: "a sub-agent, if nothing else is known",
    head: { kind: "subagent" },
    given: undefined,
    expected: "(sub-agent)",
  },
  {
    name: "by that it has no message",
    head: {},
    given: undefined,
    expected: "(no message)",
  },
  {
    name: "by that it cannot be read",
    head: { hasHeader: false, problem: "it is empty" },
    given: undefined,
    expected: "(cannot be read)",
  },
] satisfies {
  name: string;
  head: Partial<SessionHead>;
  given: string | undefined;
  expected: string;
}[];

for (const { name, head, given, expected } of CASES) {
  Deno.test(`titleOf() calls a session ${name}`, () => {
    assertEquals(titleOf({ ...HEAD, ...head }, given), expected);
  });
}
