import { assertEquals } from "@std/assert";
import { dividedLike } from "../../lib/redact/pieces.ts";
import fc from "../property_seed.ts";

const MASK = "[redacted:token]";

for (
  const { name, pieces, masked, expected } of [
    {
      name: "no secret",
      pieces: ["ab", "", "c"],
      masked: "abc",
      expected: ["ab", "", "c"],
    },
    {
      name: "a secret in three pieces",
      pieces: ["x se", "cr", "et y"],
      masked: `x ${MASK} y`,
      expected: [`x ${MASK}`, "", " y"],
    },
    {
      name: "a secret that is a piece",
      pieces: ["x ", "secret", " y"],
      masked: `x ${MASK} y`,
      expected: ["x ", MASK, " y"],
    },
    {
      name: "two secrets",
      pieces: ["a sec", "ret b sec", "ret"],
      masked: `a ${MASK} b ${MASK}`,
      expected: [`a ${MASK}`, ` b ${MASK}`, ""],
    },
    {
      name: "a secret behind a masked one",
      pieces: [`${MASK} s`, "ecret z"],
      masked: `${MASK} ${MASK} z`,
      expected: [`${MASK} ${MASK}`, " z"],
    },
    {
      name: "two secrets side by side",
      pieces: ["sec", "ret1s", "ecret2 x"],
      masked: `${MASK}${MASK} x`,
      expected: [`${MASK}${MASK}`, "", " x"],
    },
    {
      name: "a text with other changes",
      pieces: ["\u001b[1msec", "ret\u001b[0m x"],
      masked: `${MASK} x`,
      expected: [MASK, " x"],
    },
  ]
) {
  Deno.test(`dividedLike() divides ${name}`, () => {
    assertEquals(dividedLike(pieces, masked), expected);
  });
}

Deno.test("dividedLike() leaves out separators, and keeps the number of pieces", () => {
  assertEquals(
    dividedLike(["a se", "cret", "re", "t b", "c"], `a ${MASK} b\nc`, "\n"),
    [`a ${MASK}`, "", "", " b", "c"],
  );
});

Deno.test("dividedLike() returns pieces that join to the masked text", () => {
  const part = fc.constantFrom("secret", "x", " ", "\n", "se", "ab cd", MASK);
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(40)), (parts, cuts) => {
      const text = parts.join("");
      const masked = text.replaceAll("secret", MASK);
      const borders = [
        0,
        ...cuts.map((cut) => Math.min(cut, text.length)),
        text.length,
      ]
        .sort((a, b) => a - b);
      const pieces = borders.slice(1).map((border, i) =>
        text.slice(borders[i], border)
      );
      assertEquals(dividedLike(pieces, masked).join(""), masked);
    }),
    { seed: 3 },
  );
});
