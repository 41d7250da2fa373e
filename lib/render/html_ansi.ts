/**
 * What a program wrote to a terminal, as HTML.
 *
 * @module
 */

import { elementText } from "./html_text.ts";

/** Select graphic rendition: the only sequence that is about looks and nothing else. */
const LOOK_REGEXP =
  // deno-lint-ignore no-control-regex
  /\u001b\[([\d;:]{0,64})m/g;

/** The styles that codes switch on and off. */
const SWITCHES: ReadonlyMap<number, readonly [name: string, isOn: boolean][]> =
  new Map([
    [1, [["b", true]]],
    [2, [["d", true]]],
    [3, [["i", true]]],
    [4, [["u", true]]],
    [9, [["s", true]]],
    [22, [["b", false], ["d", false]]],
    [23, [["i", false]]],
    [24, [["u", false]]],
    [29, [["s", false]]],
  ]);

/** How text looks: what is switched on, and the colours, from 0 to 7. */
class Look {
  readonly #on = new Set<string>();
  #front: number | undefined;
  #back: number | undefined;

  /** Takes in the numbers of a sequence. */
  apply(codes: readonly number[]): void {
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i] ?? 0;
      if (code === 0) this.#reset();
      else if (code === 38 || code === 48) {
        const [color, used] = colorOf(codes.slice(i + 1, i + 5));
        if (code === 38) this.#front = color;
        else this.#back = color;
        i += used;
      } else if (code === 39) this.#front = undefined;
      else if (code === 49) this.#back = undefined;
      else if (code >= 30 && code <= 37) this.#front = code - 30;
      else if (code >= 40 && code <= 47) this.#back = code - 40;
      else if (code >= 90 && code <= 97) this.#front = code - 90;
      else if (code >= 100 && code <= 107) this.#back = code - 100;
      else this.#switch(code);
    }
  }

  /** The names of the classes that give text this look. */
  get classes(): string {
    const names = [...this.#on].sort();
    if (this.#front !== undefined) names.push(`f${this.#front}`);
    if (this.#back !== undefined) names.push(`k${this.#back}`);
    return names.join(" ");
  }

  #reset(): void {
    this.#on.clear();
    this.#front = undefined;
    this.#back = undefined;
  }

  #switch(code: number): void {
    for (const [name, isOn] of SWITCHES.get(code) ?? []) {
      if (isOn) this.#on.add(name);
      else this.#on.delete(name);
    }
  }
}

/** Gives the nearest of the eight colours, and how many numbers said so. */
function colorOf(codes: readonly number[]): [color: number, used: number] {
  const [kind, first = 0, green = 0, blue = 0] = codes;
  if (kind === 2) return [nearest(first, green, blue), 4];
  if (kind !== 5) return [7, 0];
  if (first < 16) return [first % 8, 2];
  if (first >= 232) return [first < 244 ? 0 : 7, 2];
  const level = (n: number): number => n * 51;
  const cube = first - 16;
  return [
    nearest(
      level(Math.floor(cube / 36)),
      level(Math.floor(cube / 6) % 6),
      level(cube % 6),
    ),
    2,
  ];
}

/** Gives the colour whose parts are there or not as those given are. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 64) return 0;
  const has = (part: number): number => part > most * 0.6 ? 1 : 0;
  return has(red) + 2 * has(green) + 4 * has(blue);
}

/** Gives output of a program without its colours and emphasis. */
export function plainTerminalText(text: string): string {
  return text.replace(LOOK_REGEXP, "");
}

/**
 * Writes output of a program as HTML: colours and emphasis as spans with the classes of the
 * style sheet, everything else that a terminal would act upon as a visible mark.
 *
 * Spans are always closed. Takes time in proportion to the text.
 */
export function terminalHtml(text: string): string {
  if (!text.includes("\u001b[")) return elementText(text);
  const look = new Look();
  const out: string[] = [];
  let from = 0;
  const put = (end: number): void => {
    if (end === from) return;
    const piece = elementText(text.slice(from, end));
    const { classes } = look;
    out.push(
      classes === "" ? piece : `<span class="${classes}">${piece}</span>`,
    );
  };
  for (const { 0: all, 1: codes = "", index } of text.matchAll(LOOK_REGEXP)) {
    put(index);
    from = index + all.length;
    look.apply(codes.split(/[;:]/).map((code) => Number(code)));
  }
  put(text.length);
  return out.join("");
}
