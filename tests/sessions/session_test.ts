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
  historyBase: undefined,
  agent: undefined,
  historyMode: undefined,
  hasHeader: true,
  problem: undefined,
};

const CASES = [
  {
    name: "its name, on one line",
    head: { firstMessage: "Hello" },
    sessionName: "My\n session",
    expected: "My session",
  },
  {
    name: "the first line of its first message that is not blank",
    head: { firstMessage: "\n  \t\nFix  the tests\r\nplease" },
    sessionName: undefined,
    expected: "Fix the tests",
  },
  {
    name: "at most 80 characters",
    head: { firstMessage: "🚀".repeat(81) },
    sessionName: undefined,
    expected: "🚀".repeat(79) + "…",
  },
  {
    name: "exactly 80 characters",
    head: { firstMessage: "🚀".repeat(80) },
    sessionName: undefined,
    expected: "🚀".repeat(80),
  },
  {
    name: "the name of a sub-agent",
    head: { kind: "subagent", agent: "/main/tests" },
    sessionName: undefined,
    expected: "(sub-agent /main/tests)",
  },
  {
    name: "the source of a sub-agent",
    head: { kind: "subagent", source: "subagent:review" },
    sessionName: undefined,
    expected: "(sub-agent review)",
  },
  {
    name: "a placeholder for a sub-agent without a name",
    head: { kind: "subagent" },
    sessionName: undefined,
    expected: "(sub-agent)",
  },
  {
    name: "a placeholder for a session without a message",
    head: {},
    sessionName: undefined,
    expected: "(no message)",
  },
  {
    name: "a placeholder for a session that cannot be read",
    head: { hasHeader: false, problem: "it is empty" },
    sessionName: undefined,
    expected: "(cannot be read)",
  },
] satisfies {
  name: string;
  head: Partial<SessionHead>;
  sessionName: string | undefined;
  expected: string;
}[];

for (const { name, head, sessionName, expected } of CASES) {
  Deno.test(`titleOf() returns ${name}`, () => {
    assertEquals(titleOf({ ...HEAD, ...head }, sessionName), expected);
  });
}
