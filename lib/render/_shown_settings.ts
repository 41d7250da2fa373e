/** The facts of sessions and turns that renderers show. */

import type { SessionPart, TurnStartedPart } from "./parts.ts";
import type { TextRedactor } from "./render_options.ts";

const NAMES = [
  "thread_id",
  "cwd",
  "model",
  "cli_version",
  "parent_thread_id",
  "agent",
] as const;

/** Masks secrets in the facts of a session. */
export function redactedSession(
  session: SessionPart,
  redactor: TextRedactor,
): SessionPart {
  const facts: { [Name in typeof NAMES[number]]?: string } = {};
  for (const name of NAMES) {
    const fact = session[name] ?? null;
    if (fact !== null) facts[name] = redactor.redact(fact);
  }
  return { ...session, ...facts };
}

/** Tracks the model and the folder of a transcript, which are shown where they change. */
export class ShownSettings {
  /** The folder, which paths are shown relative to. */
  cwd: string | null = null;
  #model: string | null = null;

  /** Takes those of a session, which are told in its head. */
  enter({ model, cwd }: SessionPart): void {
    this.#model = model;
    this.cwd = cwd;
  }

  /** Takes those of a turn, and returns what is new, redacted. */
  changes({ model, cwd }: TurnStartedPart, redactor: TextRedactor): string[] {
    const news = [
      model === this.#model ? null : model,
      cwd === this.cwd ? null : cwd,
    ].filter((each) => each !== null);
    this.#model = model ?? this.#model;
    this.cwd = cwd ?? this.cwd;
    return news.map((each) => redactor.redact(each));
  }
}
