/** Draws the timeline of a turn as inline SVG. */

import { joinedByTwo } from "../groups.ts";
import { elementText } from "./html_text.ts";
import type { RequestUsage } from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** The lanes of a timeline, from top to bottom. */
const LANES = [
  { name: "messages", word: "message" },
  { name: "reasoning", word: "thought" },
  { name: "commands", word: "command" },
  { name: "edits", word: "edit" },
  { name: "tools", word: "tool call" },
] as const satisfies readonly { name: string; word: string }[];

export type Lane = (typeof LANES)[number]["name"];

/** An entry on the timeline. */
export interface TimelineMark {
  readonly lane: Lane;
  readonly look: string;
  /** The id of the HTML element that shows the entry. */
  readonly target: string;
  /** A short label of the entry, not escaped. */
  readonly label: string;
  /** The start and end of the entry, in milliseconds since 1970; `null` if unknown. */
  readonly startMs: number | null;
  readonly endMs: number | null;
}

interface Span extends TimelineMark {
  /** The indices of its first and last mark among all marks, from 0. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** The maximum number of marks in a lane; if there are more, neighbours are joined. */
const MAX_MARKS = 240;
/** The height of a lane in pixels. The style sheet has the same height for the names of lanes. */
const LANE_HEIGHT = 18;
const TOKENS_HEIGHT = 30;

/** Returns a time in milliseconds since 1970; `null` if it is unknown. */
export function msOf(at: string | null): number | null {
  const ms = at === null ? NaN : Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/** Writes a share from 0 to 1 as a percentage with two decimals. */
function percent(share: number): string {
  return `${Number((Math.min(1, Math.max(0, share)) * 100).toFixed(2))}%`;
}

/** Collects the marks of a turn, and draws them. Memory is bounded, as neighbours are joined. */
export class Timeline {
  readonly #lanes = new Map<Lane, Span[]>();
  #count = 0;
  /** The bounds of the scale; without any times, the start is greater than the end. */
  #startMs = Infinity;
  #endMs = -Infinity;

  add(mark: TimelineMark): void {
    const at = this.#count;
    this.#count += 1;
    this.stretch(mark.startMs);
    this.stretch(mark.endMs);
    let spans = this.#lanes.get(mark.lane) ?? [];
    if (spans.length >= MAX_MARKS) {
      spans = joinedByTwo(spans, (a, b) => ({
        ...a,
        look: b.look === "l-bad" ? b.look : a.look,
        last: b.last,
        endMs: b.endMs ?? b.startMs ?? a.endMs,
        count: a.count + b.count,
      }));
    }
    spans.push({ ...mark, first: at, last: at, count: 1 });
    this.#lanes.set(mark.lane, spans);
  }

  /** Extends the scale to a time: the start or end of the turn, or of an entry. */
  stretch(ms: number | null): void {
    if (ms === null) return;
    this.#startMs = Math.min(this.#startMs, ms);
    this.#endMs = Math.max(this.#endMs, ms);
  }

  /**
   * Draws the timeline as a `<figure>`, titled such as `turn 3`; an empty text for fewer than three
   * marks. The requests are those of the turn, if they are known.
   */
  draw(name: string, requests: readonly RequestUsage[] = []): string {
    if (this.#count < 3) return "";
    const lanes = LANES.filter((lane) => this.#lanes.has(lane.name));
    const isTimed = this.#isTimed;
    const hasTokens = requests.length > 0;
    const height = lanes.length * LANE_HEIGHT + (hasTokens ? TOKENS_HEIGHT : 0);
    const marks = lanes.map((lane, i) =>
      this.#drawLane(lane, i * LANE_HEIGHT + LANE_HEIGHT / 2)
    );
    if (hasTokens) marks.push(this.#drawRequests(requests, height));
    const names: string[] = lanes.map((lane) => lane.name);
    if (hasTokens) names.push("tokens");
    const length = isTimed
      ? durationText(this.#endMs - this.#startMs)
      : countedText(this.#count, "entry", "entries");
    const summary = lanes.map(({ name: lane, word }) =>
      countedText(
        (this.#lanes.get(lane) ?? []).reduce((n, { count }) => n + count, 0),
        word,
      )
    ).join(", ");
    const scale = isTimed
      ? `The scale is time: ${length}.`
      : "The scale is order: the log has no times.";
    return `<figure class="line">
<div aria-hidden="true">${
      names.map((lane) => `<div>${lane}</div>`).join("")
    }</div>
<svg height="${height}" role="group"><title>Timeline of ${name}</title><desc>${summary}. ${scale}</desc>
${marks.join("\n")}
</svg>
<div class="ends"><span>${
      isTimed ? "0s" : "in order, without times"
    }</span><span>${length}</span></div>
</figure>
`;
  }

  get #isTimed(): boolean {
    return this.#endMs > this.#startMs;
  }

  #place(at: number, ms: number | null): number {
    if (!this.#isTimed) return (at + 0.5) / this.#count;
    return ms === null
      ? at / this.#count
      : (ms - this.#startMs) / (this.#endMs - this.#startMs);
  }

  #drawLane({ name, word }: (typeof LANES)[number], y: number): string {
    const rail =
      `<line class="rail" x1="0%" x2="100%" y1="${y}" y2="${y}"></line>`;
    const marks = (this.#lanes.get(name) ?? []).map((span) => {
      const { first, last, startMs, endMs, count, look, target } = span;
      const x1 = this.#place(first, startMs ?? endMs);
      const x2 = this.#place(last, endMs ?? startMs);
      const label = count > 1
        ? `${countedText(count, word)}, from “${span.label}”`
        : this.#isTimed && startMs !== null && endMs !== null && endMs > startMs
        ? `${span.label} (${durationText(endMs - startMs)})`
        : span.label;
      return `<a href="#${target}" tabindex="-1"><line class="${look}" x1="${
        percent(x1)
      }" x2="${
        percent(x2 > x1 ? x2 : x1 + 0.0001)
      }" y1="${y}" y2="${y}"><title>${
        elementText(label).replaceAll(/<[^>]*>/g, "")
      }</title></line></a>`;
    });
    return rail + marks.join("");
  }

  #drawRequests(requests: readonly RequestUsage[], bottom: number): string {
    const sizeOf = ({ input_tokens, output_tokens }: RequestUsage): number =>
      input_tokens + output_tokens;
    const most = requests.reduce(
      (most, request) => Math.max(most, sizeOf(request)),
      1,
    );
    const room = TOKENS_HEIGHT - 6;
    return requests.map((request, i) => {
      const { at, input_tokens: input, output_tokens: output } = request;
      const ms = msOf(at);
      const x = percent(
        this.#isTimed && ms !== null
          ? this.#place(0, ms)
          : (i + 0.5) / requests.length,
      );
      const whole = Math.max(2, Math.round(sizeOf(request) / most * room));
      const part = Math.max(1, Math.round(output / most * room));
      const bar = (look: string, height: number): string =>
        `<rect class="${look}" x="${x}" y="${
          bottom - whole
        }" width="5" height="${height}" transform="translate(-2.5)"></rect>`;
      return `<g><title>${countedText(input, "token")} in, ${
        countText(output)
      } out</title>${bar("l-in", whole)}${
        bar("l-out", Math.min(part, whole))
      }</g>`;
    }).join("");
  }
}
