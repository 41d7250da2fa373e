/** Validation of lines with the schemas of `codexpipe schema`; reports each path once. */

import type { VerdictReason } from "../../check/verdict.ts";
import type { FailureView } from "../../lines/failures.ts";
import {
  JsonlDecoder,
  type JsonlDecoderOptions,
} from "../../pipeline/event_pipeline.ts";
import { countedText } from "../../render/quantity_text.ts";

/** The number of paths that are reported; further ones are ignored. */
const MAX_FAILURES = 1000;

interface PathFailure {
  readonly message: string;
  readonly line: number;
  count: number;
}

export class SchemaFailures {
  readonly #decoder: JsonlDecoder;
  readonly #failures = new Map<string, PathFailure>();

  constructor(options: JsonlDecoderOptions) {
    this.#decoder = new JsonlDecoder({
      ...options,
      onError: "drop",
      onFailure: (failed) => this.#add(failed),
    });
  }

  feed(block: Uint8Array): void {
    this.#decoder.feed(block, () => {});
  }

  flush(): void {
    this.#decoder.flush(() => {});
  }

  get reasons(): readonly VerdictReason[] {
    return [...this.#failures.values()].map(({ message, line, count }) => {
      const more = count - 1;
      const also = more === 0
        ? ""
        : `, and so ${more === 1 ? "is" : "are"} ${
          countedText(more, "more line")
        }`;
      return {
        kind: "schema",
        message: `line ${line}: ${message}${also}`,
        line,
      };
    });
  }

  #add({ error, line }: FailureView): void {
    // Other failures, such as lines that are not JSON, are reported by the verdict itself.
    if (error.kind !== "typed") return;
    // "Cannot decode event_msg agent_message: payload.message is ..."
    const record = /^Cannot decode (.*?): /.exec(error.message)?.[1] ?? "";
    const issues = error.issues ?? [{
      path: error.field ?? "",
      message: error.message.slice(error.message.indexOf(": ") + 2)
        .replace(/^\S+/, placeOf),
    }];
    for (const { path, message } of issues) {
      const place = placeOf(path);
      const key = `${record}\n${place}`;
      const failure = this.#failures.get(key);
      if (failure !== undefined) failure.count += 1;
      else if (this.#failures.size < MAX_FAILURES) {
        const state = error.issues === undefined
          ? message
          : `${place === "" ? "it" : place} is ${message}`;
        this.#failures.set(key, {
          message: `${record}: ${state}`,
          line,
          count: 1,
        });
      }
    }
  }
}

/** Replaces list indexes in a path by `[]`, so that all elements count as one path. */
function placeOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "[]");
}
