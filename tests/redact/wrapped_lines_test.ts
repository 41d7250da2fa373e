import { assert, assertEquals } from "@std/assert";
import { Redactor } from "../../lib/redact/redactor.ts";
import { exampleOf, TOKEN_FAMILIES, wrapped } from "./families.ts";

const WIDTH = 60;

Deno.test("Redactor finds tokens that a line end divides, wherever it does", () => {
  let count = 0;
  let found = 0;
  for (const { shapes } of TOKEN_FAMILIES) {
    for (const shape of shapes) {
      for (let seed = 0; seed < 8; seed++) {
        const { secret } = exampleOf(shape, seed);
        const at = 1 + seed * 5 % (Math.min(secret.length, 40) - 1);
        const before = "the key is ".padEnd(WIDTH - at - 1, ".") + " ";
        const masked = new Redactor().redact(
          wrapped(`${before}${secret}\nok`, WIDTH),
        );
        count += 1;
        if (/^the key is \.+ \[redacted:\w+\]\nok$/.test(masked)) found += 1;
      }
    }
  }
  // A word of a language may begin the next line, and a line end may look like one of two words.
  assert(found > count * 0.97, `${found} of ${count}`);
});

for (
  const [name, text] of [
    [
      "settings of a file",
      `${"x".repeat(30)} API_TOKEN=\nFOO_2=${"b3".repeat(9)}`,
    ],
    [
      "a line of prose",
      `${"the words of a line ".repeat(3)}ask-for\n2fa and others`,
    ],
    ["paths", `${"src/a1/".repeat(7)}x_1.ts\n${"src/a1/".repeat(7)}y_2.ts`],
    [
      "hashes",
      `${"0123456789abcdef".repeat(4)}\n${"89abcdef01234567".repeat(4)}`,
    ],
  ] as const
) {
  Deno.test(`Redactor joins no lines of: ${name}`, () => {
    assertEquals(new Redactor().redact(text), text);
  });
}

Deno.test("Redactor leaves the line behind a token that ends where its line does", () => {
  const { secret } = exampleOf("ghp_{a36}", 1);
  for (const next of ["Done", "FOO_2=b3b3", "next 2", ""]) {
    assertEquals(
      new Redactor().redact(`${".".repeat(30)} ${secret}\n${next}`),
      `${".".repeat(30)} [redacted:github_token]\n${next}`,
    );
  }
});
