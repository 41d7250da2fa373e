import { assertEquals } from "@std/assert";
import { plainTerminalText, terminalHtml } from "../../lib/render/html_ansi.ts";

const CASES = [
  { name: "plain text", text: "a < b\n", html: "a &lt; b\n" },
  {
    name: "colours and their end",
    text: "\x1b[31mred\x1b[0m \x1b[1;92mbold\x1b[m.",
    html: '<span class="f1">red</span> <span class="b f2">bold</span>.',
  },
  {
    name: "what is switched off alone",
    text: "\x1b[1;4;41mx\x1b[22my\x1b[24;49mz",
    html: '<span class="b u k1">x</span><span class="u k1">y</span>z',
  },
  {
    name: "palettes and true colours as the nearest of eight",
    text: "\x1b[38;5;196ma\x1b[38;2;10;200;30mb\x1b[38;5;12mc\x1b[38:5:244md",
    html:
      '<span class="f1">a</span><span class="f2">b</span><span class="f4">c</span><span class="f7">d</span>',
  },
  {
    name: "backgrounds",
    text: "\x1b[31;48;5;196ma\x1b[39mb\x1b[104mc\x1b[49md\x1b[97me",
    html:
      '<span class="f1 k1">a</span><span class="k1">b</span><span class="k4">c</span>d<span class="f7">e</span>',
  },
  {
    name: "colours of the palette of 256",
    text: [3, 15, 16, 21, 46, 51, 124, 201, 208, 233, 243, 244]
      .map((color) => `\x1b[38;5;${color}m.`).join(""),
    html: [3, 7, 0, 4, 2, 6, 1, 5, 1, 0, 0, 7]
      .map((color) => `<span class="f${color}">.</span>`).join(""),
  },
  {
    name: "other sequences as marks",
    text: "\x1b[31m\x1b[2J\x1b]0;title\x07x",
    html:
      '<span class="f1"><i class="mark">␛</i>[2J<i class="mark">␛</i>]0;title<i class="mark">␇</i>x</span>',
  },
  {
    name: "a sequence that is cut off",
    text: "a\x1b[31",
    html: 'a<i class="mark">␛</i>[31',
  },
  {
    name: "numbers without a meaning",
    text: "\x1b[999;38mx",
    html: '<span class="f7">x</span>',
  },
  {
    name: "tags inside colours",
    text: "\x1b[31m</span>",
    html: '<span class="f1">&lt;/span&gt;</span>',
  },
] satisfies { name: string; text: string; html: string }[];

for (const { name, text, html } of CASES) {
  Deno.test(`terminalHtml() writes: ${name}`, () => {
    assertEquals(terminalHtml(text), html);
  });
}

Deno.test("plainTerminalText() leaves colours out and everything else in", () => {
  assertEquals(plainTerminalText("\x1b[31mred\x1b[0m\x1b[2J"), "red\x1b[2J");
});
