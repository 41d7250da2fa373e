/** Tests that no field of a captured line of any dialect is lost, whatever its value. */

import { assert, assertEquals } from "@std/assert";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import { type Fields, isObject, parseJson } from "../../lib/json/fields.ts";
import { linesOf, readCapturedFiles, readCaptures } from "../fixtures.ts";
import { emitted } from "../running.ts";
import { readServerRuns } from "./app_server/sessions.ts";

/** The number that every changed line has, in a spelling that only the text of the line keeps. */
const MARK = "8877665544332211.50";
/** The values that replace others, of every type that can hold the number. */
const VALUES = [MARK, `"${MARK}"`, `[${MARK}]`, `{"newField":${MARK}}`];
/** Stands for the value in a line until its text replaces it. */
const HOLE = "(the changed value)";
/**
 * The fields that are not kept with a value of another type, both of events of `codex mcp-server`:
 * an id that is no string is passed over (C13, C14), and the protocol is always the same.
 */
const UNKEPT: ReadonlySet<string> = new Set([
  "/params/msg/turn_id",
  "/jsonrpc",
]);

/** A line with a changed value. */
interface Changed {
  /** The path of the value, without the indexes of lists. */
  readonly path: string;
  readonly text: string;
}

/** Changes every value of a line to each type, and adds a field to every object. */
function changesOf(record: Fields): Changed[] {
  const changes: Changed[] = [];
  const walk = (holder: Fields, path: string): void => {
    const put = (name: string, values: readonly string[]): void => {
      const value = holder[name];
      const isAdded = !Object.hasOwn(holder, name);
      Reflect.set(holder, name, HOLE);
      const text = JSON.stringify(record);
      for (const each of values) {
        changes.push({
          path: Array.isArray(holder) ? path : `${path}/${name}`,
          text: text.replace(`"${HOLE}"`, each),
        });
      }
      if (isAdded) Reflect.deleteProperty(holder, name);
      else Reflect.set(holder, name, value);
    };
    for (const [name, value] of Object.entries(holder)) {
      put(name, VALUES);
      if (isObject(value)) walk(value, `${path}/${name}`);
    }
    if (!Array.isArray(holder)) put("newField", [MARK]);
  };
  walk(record, "");
  return changes;
}

/** The kind of a line: the fields of it and of its members, and the types and methods in it. */
function kindOf(record: Fields): string {
  const words: unknown[] = [record, ...Object.values(record)].map((value) =>
    isObject(value) ? Object.keys(value) : []
  );
  JSON.stringify(record, (name, value) => {
    if (/^(?:type|item_type|method)$/.test(name)) words.push(value);
    return value;
  });
  return JSON.stringify(words);
}

/**
 * Whether a line may fail for a change: for a value of another type, but not for a field that is
 * added. The changes of a patch of the old dialect are a map, whose members are no fields.
 */
function mayFail(path: string): boolean {
  return !path.endsWith("/newField") || path.startsWith("/msg/changes/");
}

const FAMILIES = [
  { name: "exec streams", files: () => readCaptures() },
  {
    name: "session files",
    files: () => readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/),
  },
  {
    name: "app-servers",
    files: () =>
      readServerRuns().flatMap(({ stdout, stdin }) => [
        { name: undefined, bytes: stdout },
        { name: undefined, bytes: stdin },
      ]),
  },
];

for (const { name: family, files } of FAMILIES) {
  Deno.test(`Normalizer loses no field that is changed in or added to a captured line of ${family}`, () => {
    const seen = new Set<string>();
    const lost: string[] = [];
    for (const { name: fileName, bytes } of files()) {
      const normalizer = new Normalizer({ fileName });
      for (const [place, value] of linesOf(bytes).entries()) {
        const line = { ok: true, line: place + 1, offset: 0 } as const;
        const record = parseJson(value);
        if (isObject(record) && !seen.has(kindOf(record))) {
          seen.add(kindOf(record));
          const resume: unknown = normalizer.save();
          for (const { path, text } of changesOf(record)) {
            const changed = new Normalizer({ fileName, resume });
            const isKept = emitted(changed, [{ ...line, value: text }])
              .every((outcome) =>
                outcome.ok ? outcome.value.includes(MARK) : mayFail(path)
              );
            if (!isKept && !UNKEPT.has(path)) lost.push(text);
          }
        }
        emitted(normalizer, [{ ...line, value }]);
      }
    }
    assert(seen.size > 50, `only ${seen.size} kinds`);
    assertEquals(lost, []);
  });
}
