/**
 * Reads the tables of testdata/drift/: the paths that each release wrote. They were made from the
 * output of more releases than testdata/ has captures of.
 */

import type { DriftDialect } from "../lib/drift/drift_finding.ts";

/** A row of a table: a path in a kind of record, with the releases that wrote it. */
export interface DriftRow {
  readonly dialect: DriftDialect;
  /** The kind of record. */
  readonly kind: string;
  /** The path; empty for the kind itself. */
  readonly path: string;
  /** The types, each with the first and the last release that wrote it. */
  readonly types: readonly {
    readonly type: string;
    readonly first: string;
    readonly last: string;
  }[];
  /** The ranges of releases that wrote it, without gaps in between. */
  readonly ranges: readonly (readonly [first: string, last: string])[];
}

/** JSON types, by their names in the tables. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["arr", "array"],
  ["bigint", "integer"],
  ["bool", "boolean"],
  ["float", "number"],
  ["int", "integer"],
  ["null", "null"],
  ["obj", "object"],
  ["str", "string"],
]);

/** The kinds of records without a type, by their names in the tables. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["(legacy config line)", "(config)"],
  ["(legacy prompt line)", "(prompt)"],
  ["flat:meta", "(meta)"],
  ["flat:record_type=state", "(state)"],
]);

/** The kinds that the first release printed on stdout, which are those of session files. */
const BARE_KINDS = new Set(["function_call", "message", "reasoning"]);

/** Parses a table: `stdout.md` or `rollout.md`. */
export function readDriftTable(
  text: string,
  dialect: "exec" | "rollout",
): readonly DriftRow[] {
  const rows: DriftRow[] = [];
  let kind: { name: string; dialect: DriftDialect } | undefined;
  let all: DriftRow["ranges"] = [];
  for (const line of text.split("\n")) {
    const [, name, releases] =
      /^### `(.+?)` — in (.+?)(?: \(lines: \d+\))?$/.exec(line) ?? [];
    if (name !== undefined && releases !== undefined) {
      all = rangesOf(releases, []);
      // The items of one release named their type in another field.
      kind = name.endsWith("/None") ? undefined : {
        name: KINDS.get(name) ?? name.replace(/^flat:/, "")
          .replace(/^msg:/, "msg/"),
        dialect: BARE_KINDS.has(name) ? "rollout" : dialect,
      };
      const [[first = ""] = [], last = ""] = [all[0], all.at(-1)?.[1]];
      const types = [{ type: "object", first, last }];
      if (kind !== undefined) {
        const { name, dialect } = kind;
        rows.push({ dialect, kind: name, path: "", types, ranges: all });
      }
      continue;
    }
    const [, path, types, where] = /^\| `(.+?)` \| (.+?) \| (.+?) \|$/
      .exec(line) ?? [];
    if (kind === undefined || path === undefined) continue;
    const ranges = rangesOf(where ?? "all", all);
    rows.push({
      dialect: kind.dialect,
      kind: kind.name,
      path,
      types: [...(types ?? "").matchAll(/([a-z]+)(?: \(([^)]*)\))?/g)].map(
        ([, type = "", inCell]) => {
          const of = inCell === undefined ? ranges : rangesOf(inCell, ranges);
          return {
            type: TYPES.get(type) ?? type,
            first: of[0]?.[0] ?? "",
            last: of.at(-1)?.[1] ?? "",
          };
        },
      ),
      ranges,
    });
  }
  return rows;
}

function rangesOf(
  text: string,
  all: DriftRow["ranges"],
): DriftRow["ranges"] {
  if (text === "all") return all;
  return text.split(", ").map((range) => {
    const [first = "", last = first] = range.split("…").map((release) =>
      release.replace(/\+.*$/, "")
    );
    return [first, last];
  });
}

/** A string value from a fixed set, and the releases that wrote it. */
export interface DriftWord {
  readonly dialect: "exec" | "rollout";
  readonly path: string;
  readonly word: string;
  /** The first release that wrote it. */
  readonly first: string;
  /** The last release that wrote it. */
  readonly last: string;
}

/** Parses the words of `values.md`. */
export function readDriftWords(text: string): readonly DriftWord[] {
  return [...text.matchAll(/^- `(stdout|rollout) \.(.+?)`: (.*)$/gm)].flatMap(
    ([, where, path = "", words = ""]) =>
      [...words.matchAll(/`([^`]+)` \(([^)]+)\)/g)].map(
        ([, word = "", range = ""]) => {
          const ranges = rangesOf(range, []);
          return {
            dialect: where === "stdout" ? "exec" as const : "rollout" as const,
            path,
            word,
            first: ranges[0]?.[0] ?? "",
            last: ranges.at(-1)?.[1] ?? "",
          };
        },
      ),
  );
}
