/** `codexpipe sessions resume`. */

import { shellWord } from "../../dialects/exec/command_line.ts";
import { codexHomesFrom } from "../../sessions/codex_homes.ts";
import type { Session } from "../../sessions/session.ts";
import { homeInPath } from "../../sessions/session_places.ts";
import { startedAt } from "../../sessions/session_start.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { FORMATS } from "../flags.ts";
import { Gathered } from "../output.ts";
import { ageText } from "../times.ts";
import { linesIn, normalizing } from "./_normalization.ts";
import { answerWhole, missingRecord, wholeSession } from "./_session_input.ts";
import { minuteOf } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const { args, process, stdout, screen, diagnostics } = context;
  if (args.has("command") && args.has("format")) {
    throw new UsageError("--command and --format exclude each other");
  }
  const form = args.choice("format", FORMATS.report) ??
    (process.isTerminal.stdout ? "text" : "json");
  const whole = await wholeSession(context, "sessions resume");
  if (typeof whole === "number") return whole;
  const { session } = whole;
  const { file, head } = session;
  const problem = head.problem ?? lackIn(head);
  if (problem !== undefined) {
    diagnostics.say(`${file.path}: cannot be resumed: ${problem}`);
    return EXIT.no;
  }
  const codex = codexCommand(session, context);
  const command = `${codex} resume ${head.id}`;
  for (const line of remarks(session, codex)) diagnostics.remark(line);
  await diagnostics.flush();
  if (args.has("command")) {
    await stdout.writeText(`${command}\n`);
    return EXIT.done;
  }
  if (form === "text") {
    await screen.writeText(resumeText(session, command, context));
    return EXIT.done;
  }
  const start = { type: "resumed", conversation_id: head.id };
  const missing = missingRecord(whole.lineage);
  const end = { rollout_path: file.path, missing, command };
  const list = new Gathered();
  let before = "\n";
  const status = await answerWhole(whole, context, {
    make: normalizing,
    take(lines): void {
      for (const line of linesIn(lines)) {
        list.addText(before);
        list.add(line.subarray(0, -1));
        before = ",\n";
      }
    },
    write: () => list.writeTo(stdout),
    onOpen: () =>
      stdout.writeText(`${JSON.stringify(start).slice(0, -1)},"history":[`),
  });
  await stdout.writeText(`\n],${JSON.stringify(end).slice(1)}\n`);
  return status;
};

function resumeText(
  { file, head, title }: Session,
  command: string,
  { process, style }: CommandContext,
): string {
  const time = startedAt(file, head.started);
  const facts = [
    process.isTerminal.stdout
      ? ageText(time, process.now())
      : `${minuteOf(time)} UTC`,
    head.cwd ?? "",
    head.gitBranch ?? "",
  ];
  const lines = [
    style.bold(escapeControls(command)),
    `  ${escapeControls(title)}`,
    style.dim(`  ${escapeControls(facts.filter(Boolean).join(" · "))}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The reason that Codex cannot resume a session, if there is one. */
function lackIn({ hasHeader, id }: Session["head"]): string | undefined {
  if (!hasHeader) return "it has no session header";
  return id === "" ? "neither its header nor its name has an id" : undefined;
}

/** The command that starts Codex with the home of a session, for a shell. */
function codexCommand({ file }: Session, { process }: CommandContext): string {
  const [usual] = codexHomesFrom({ env: process.env });
  const home = homeInPath(file.path);
  const prefix = home === undefined || home === usual
    ? ""
    : `CODEX_HOME=${shellWord(home)} `;
  return `${prefix}codex`;
}

function* remarks({ file, head }: Session, codex: string): Generator<string> {
  if (homeInPath(file.path) === undefined) {
    yield `${file.path}: Codex finds it only in the folder sessions of a Codex home`;
  } else if (file.isArchived) {
    yield `the session is archived: first run "${codex} unarchive ${head.id}"`;
  }
}
