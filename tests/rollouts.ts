/**
 * Session files for tests: captured, hand-made and random ones.
 *
 * @module
 */

import type { NormalizerOptions } from "../lib/dialects/normalizer.ts";
import type { Failure, Outcome } from "../lib/outcome.ts";
import type { JsonlOptions } from "../lib/pipeline/line_answers.ts";
import { JsonlNormalizer } from "../lib/pipeline/pipeline.ts";
import { JSON_KEY, JSON_TEXT } from "./generators.ts";
import fc from "./property_seed.ts";
import { concat, decode, encode, normalizeLines, outputOf } from "./running.ts";

export { type CapturedFile, readCapturedFiles } from "./fixtures.ts";

/** The default time of lines. */
export const TIME = "2026-11-20T15:49:48.041Z";

/** Returns a wrapped line, as Codex has written it since 0.34. */
export function wrapped(type: string, payload = "{}", time = TIME): string {
  return `{"timestamp":"${time}","type":"${type}","payload":${payload}}`;
}

/** Normalizes rollout lines that are strings. */
export function rolloutLines(
  lines: Iterable<string>,
  options: NormalizerOptions = {},
): Outcome<string>[] {
  return normalizeLines(lines, { from: "rollout", ...options });
}

/** Normalizes rollout lines; returns the texts of records, and the kinds of failures. */
export function rolloutAnswers(
  lines: Iterable<string>,
  options: NormalizerOptions = {},
): string[] {
  return rolloutLines(lines, options).map((outcome) =>
    outcome.ok ? outcome.value : outcome.error.kind
  );
}

/** The result of normalizing bytes. */
export interface ByteRun {
  /** The output. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** The failures, in order. */
  readonly failures: readonly Failure[];
  /** The number of lines that became records. */
  readonly records: number;
}

/** Normalizes rollout bytes in chunks, by default with failures in band. */
export function rolloutBytes(
  chunks: Iterable<Uint8Array>,
  options: JsonlOptions = {},
): ByteRun {
  const failures: Failure[] = [];
  const normalizer = new JsonlNormalizer({
    from: "rollout",
    onError: "inline",
    ...options,
    onFailure: (failed) => void failures.push(failed.toFailure()),
  });
  const output = outputOf(normalizer, chunks);
  return { output, failures, records: normalizer.records };
}

/** Normalizes a text, with failures in band, and returns the output. */
export function rolloutText(
  text: string,
  options: JsonlOptions = {},
): string {
  return decode(rolloutBytes([encode(text)], options).output);
}

/** An RFC 3339 time, or a text that is not one. */
const TIME_TEXT = fc.constantFrom(
  TIME,
  "2026-11-20T15:49:49.000Z",
  "2026-11-20T15:49:50Z",
  "2026-11-20T21:19:51.5+05:30",
  "2026-11-20T15:49:52.123456789Z",
  "",
  "yesterday",
);

/** A value of `timestamp` that is not a text. */
const NO_TIME = fc.constantFrom("null", "1795190988", "[]", "{}", "true");

/** The members of an object, on one line. */
const MEMBERS = fc.array(fc.tuple(JSON_KEY, JSON_TEXT), { maxLength: 4 }).map(
  (members) =>
    members.map(([key, value]) => `${key}:${value.replaceAll("\n", " ")}`),
);

const OBJECT = MEMBERS.map((members) => `{${members.join(",")}}`);

const META = fc.tuple(
  fc.subarray([
    '"id":"5973b6c0-94b8-487b-a530-2aeb6098ae0e"',
    '"timestamp":"2026-11-20T15:49:47Z"',
    '"cwd":"/w"',
    '"cliVersion" : "0.1.0"',
    '"cli_version":"0.40.0"',
    '"git":{"commit":"abc","branch":"main"}',
    '"git": { "remote" : "r" , "repository_url":"q","dirty":false}',
    '"__proto__":1',
  ]),
  MEMBERS,
).map(([known, others]) => `{${[...known, ...others].join(",")}}`);

const TYPE = fc.constantFrom(
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
  "event",
  "message",
  "brand_new",
);

/** A wrapped line that begins as Codex writes it. */
const WRAPPED_LINE = fc.oneof(
  fc.tuple(TYPE, OBJECT, TIME_TEXT).map(([type, payload, time]) =>
    wrapped(type, payload, time)
  ),
  fc.tuple(META, TIME_TEXT).map(([meta, time]) =>
    wrapped("session_meta", meta, time)
  ),
);

/** A line of any shape, written by a release or not. */
const WHOLE_LINE = fc.oneof(
  { weight: 4, arbitrary: WRAPPED_LINE },
  fc.tuple(TYPE, OBJECT).map(([type, payload]) =>
    `{"type":"${type}","payload":${payload}}`
  ),
  fc.tuple(TYPE, OBJECT, NO_TIME).map(([type, payload, time]) =>
    `{"type":"${type}","timestamp":${time},"ordinal":1.0,"payload" : ${payload} }`
  ),
  META.map((meta) => `{"type":"session_meta","payload":${meta}}`),
  fc.tuple(TIME_TEXT, META).map(([time, meta]) =>
    meta.replace(
      "{",
      `{"id":"x","timestamp":"${time}"${meta === "{}" ? "" : ","}`,
    )
  ),
  fc.constantFrom(
    '{"record_type":"state"}',
    '{"record_type":"state","previous_response_id":null}',
    '{"type":"message","role":"user","content":[]}',
    '{"type":"function_call","call_id":"c","timestamp":"2026-11-20T15:49:53Z"}',
    '{"type":"brand_new_item","a":1}',
    '{"type":"event_msg","payload":[]}',
    '{"type":"session_meta"}',
    '{"a":1}',
    "[1]",
    '"text"',
    "",
    "  \t",
    "\u3000",
    "no JSON",
    "{",
    '{"type":"line.failed","line":3,"offset":40,"error":{"kind":"json","message":"no"},"raw":"{"}',
  ),
);

/** Options for {@linkcode rolloutFiles}. */
export interface RolloutFilesOptions {
  /** Whether a torn line may end inside of a character. */
  readonly tearsCharacters: boolean;
}

/** The bytes of any session file, torn and glued lines included. */
export function rolloutFiles(
  { tearsCharacters }: RolloutFilesOptions,
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const torn = fc.tuple(WHOLE_LINE, fc.nat(1_000)).map(([line, cut]) =>
    tearsCharacters
      ? encode(line).subarray(0, cut)
      : encode(line.slice(0, cut).toWellFormed().replace(/\ufffd$/, ""))
  );
  const line = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(WHOLE_LINE, fc.constantFrom("\n", "\n", "\r\n"))
        .map(([text, end]) => encode(text + end)),
    },
    fc.oneof(
      torn,
      fc.tuple(torn, WRAPPED_LINE).map(([head, tail]) =>
        concat([head, encode(tail)])
      ),
      fc.tuple(torn, torn, WRAPPED_LINE).map(([one, two, tail]) =>
        concat([one, two, encode(tail)])
      ),
    ).map((bytes) => concat([bytes, encode("\n")])),
  );
  return fc.tuple(
    fc.constantFrom("", "", "\ufeff"),
    fc.array(line, { maxLength: 10 }),
    fc.boolean(),
  ).map(([start, lines, isEnded]) => {
    const bytes = concat([encode(start), ...lines]);
    return isEnded || lines.length === 0 ? bytes : bytes.subarray(0, -1);
  });
}
