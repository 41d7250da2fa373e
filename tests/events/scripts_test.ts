import { assertEquals } from "@std/assert";
import { readScriptOutput, scriptedCall } from "../../lib/events/scripts.ts";

const CASES = [
  { name: "one call", script: 'await tools.f({"a":[1,"}"]});', call: "f" },
  {
    name: "a text",
    script: 'tools.apply_patch("a)\\"b")',
    call: "apply_patch",
  },
  { name: "no argument", script: "tools.f()", call: undefined },
  { name: "two arguments", script: "tools.f({}, 1)", call: undefined },
  { name: "no JSON", script: "tools.f({a: 1})", call: undefined },
  { name: "two calls", script: "tools.f({});tools.g({})", call: undefined },
  { name: "a call in a text", script: "text('tools.f({})')", call: undefined },
  {
    name: "a call in a comment",
    script: "// tools.g({})\ntools.f({})",
    call: "f",
  },
  { name: "another object", script: "my.tools.f({})", call: undefined },
  { name: "an open text", script: 'tools.f("', call: undefined },
] as const;

for (const { name, script, call } of CASES) {
  Deno.test(`scriptedCall() reads ${name}`, () => {
    assertEquals(scriptedCall(script)?.name, call);
  });
}

Deno.test("readScriptOutput() tells how a script went", () => {
  const head = "Wall time 1.5 seconds\nOutput:\n";
  assertEquals(readScriptOutput([{ text: `Script completed\n${head}` }, "x"]), {
    isFailed: false,
    texts: ["x"],
    seconds: 1.5,
  });
  assertEquals(readScriptOutput(`Script failed\n${head}Script error:\nno`), {
    isFailed: true,
    texts: ["no"],
    seconds: 1.5,
  });
  assertEquals(readScriptOutput(`Script running\n${head}`)?.isFailed, null);
  assertEquals(readScriptOutput("x"), undefined);
});
