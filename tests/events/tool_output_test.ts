import { assertEquals } from "@std/assert";
import { readToolOutput } from "../../lib/events/tool_output.ts";

const CASES = [
  {
    name: "JSON with metadata",
    output: '{"output":"a","metadata":{"exit_code":2,"duration_seconds":0.1}}',
    expected: ["a", 2, false, false],
  },
  {
    name: "JSON without a text output",
    output: '{"output":1}',
    expected: ['{"output":1}', null, false, true],
  },
  {
    name: "an exit code",
    output:
      "Exit code: 0\nWall time: 0.2 seconds\nTotal output lines: 2\nOutput:\na\nb",
    expected: ["a\nb", 0, false, true],
  },
  {
    name: "an exited process",
    output:
      "Chunk ID: 1a\nWall time: 0.05 seconds\nProcess exited with code -1\nOriginal token count: 4\nOutput:\n",
    expected: ["", -1, false, false],
  },
  {
    name: "a running process",
    output:
      "Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nup",
    expected: ["up", null, true, true],
  },
  ...["", " for `bash -lc 'echo a\nb > c'`"].map((command) => ({
    name: `a command that the sandbox stopped${command.split("\n")[0]}`,
    output:
      `exec_command failed${command}: SandboxDenied { message: "no\\n", ` +
      "output: ExecToolCallOutput { exit_code: 2, " +
      'stdout: StreamOutput { text: "", truncated_after_lines: None }, ' +
      'stderr: StreamOutput { text: "no", truncated_after_lines: None }, ' +
      'aggregated_output: StreamOutput { text: "\\u{1b}[1ma: \\"b\\"\\n\\\\n", truncated_after_lines: None }, ' +
      "duration: 0ns, timed_out: false } }",
    expected: ['\u001b[1ma: "b"\n\\n', 2, false, false],
  })),
  {
    name: "a command that could not start",
    output:
      'exec_command failed for `ls`: CreateProcess { message: "No such file" }',
    expected: [
      'exec_command failed for `ls`: CreateProcess { message: "No such file" }',
      null,
      false,
      true,
    ],
  },
  {
    name: "a command before the header",
    output:
      "Command: bash -lc 'a\nb'\nChunk ID: 1\nWall time: 0 seconds\nProcess exited with code 0\nOutput:\nx",
    expected: ["x", 0, false, true],
  },
  {
    name: "JSON after a header",
    output:
      'Wall time: 0.0 seconds\nOutput:\n{"output":"ok","metadata":{"exit_code":0}}',
    expected: ["ok", 0, false, true],
  },
  {
    name: "text that looks like a header",
    output: "Exit code: 1 of 2\nOutput:\n",
    expected: ["Exit code: 1 of 2\nOutput:\n", null, false, true],
  },
  {
    name: "an Output line without a header",
    output: "Output:\na",
    expected: ["Output:\na", null, false, true],
  },
  ...[
    "Exit code: 1",
    "Process exited with code 1",
    "Process running with session ID 7",
    "Wall time: 1 seconds",
    "Total output lines: 1",
    "Chunk ID: 1a",
    "Original token count: 1",
  ].flatMap((line) => [`${line} or so`, `So ${line}`]).map((line) => ({
    name: `a line that is not a header: ${line}`,
    output: `Exit code: 1\n${line}\nOutput:\na`,
    expected: [`Exit code: 1\n${line}\nOutput:\na`, null, false, true],
  })),
  {
    name: "a command and a header inside a text",
    output: "It ran\nCommand: a\nExit code: 1\nOutput:\nb",
    expected: [
      "It ran\nCommand: a\nExit code: 1\nOutput:\nb",
      null,
      false,
      true,
    ],
  },
  {
    name: "a text about an aborted call",
    output: "Was it aborted by user after 2.5s",
    expected: ["Was it aborted by user after 2.5s", null, false, true],
  },
  {
    name: "a header without an end",
    output: "Exit code: 1\nWall time: 1 seconds",
    expected: ["Exit code: 1\nWall time: 1 seconds", null, false, true],
  },
  {
    name: "a list of content",
    output: [{ type: "input_text", text: "a" }, {
      type: "input_text",
      text: "b",
    }],
    expected: ["a\nb", null, false, true],
  },
  {
    name: "an object of old releases",
    output: { content: "no", success: false },
    expected: ["no", null, false, false],
  },
  {
    name: "an object with a text",
    output: { text: "Exit code: 2\nOutput:\na" },
    expected: ["a", 2, false, false],
  },
  {
    name: "an aborted call",
    output: "aborted by user after 2.5s",
    expected: ["aborted by user after 2.5s", null, false, false],
  },
  { name: "undefined", output: undefined, expected: ["", null, false, true] },
] satisfies { name: string; output: unknown; expected: unknown[] }[];

for (const { name, output, expected } of CASES) {
  Deno.test(`readToolOutput() reads: ${name}`, () => {
    const read = readToolOutput(output);
    const isWell = read.success !== false && (read.exitCode ?? 0) === 0;
    assertEquals(
      [read.text, read.exitCode, read.session !== null, isWell],
      expected,
    );
  });
}

Deno.test("readToolOutput() reads the duration of a call", () => {
  const cases = [
    ['{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}', 0.1],
    ["Exit code: 0\nWall time: 0.25 seconds\nOutput:\na", 0.25],
    ["Wall time: 2.5 seconds\naborted by user", 2.5],
    ["aborted by user after 2.5s", null],
    ["Wall time: soon seconds\nOutput:\na", null],
    ["Wall time: 2.5 seconds", null],
    [undefined, null],
  ];
  for (const [output, seconds] of cases) {
    assertEquals(readToolOutput(output).seconds, seconds, `${output}`);
  }
});
