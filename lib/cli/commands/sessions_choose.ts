/** `codexpipe sessions choose`. */

import { userHomeFrom } from "../../sessions/codex_homes.ts";
import { readSessionRun } from "../../sessions/session_run.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, Interrupted, UsageError } from "../endings.ts";
import { unlessInterrupted } from "../input.ts";
import { refuseOperands } from "../refusals.ts";
import { TextRuler } from "../text_ruler.ts";
import { sessionPage } from "./_session_page.ts";
import { reportHomes } from "./_sessions.ts";
import {
  type Choice,
  chooserTexts,
  keysOf,
  SessionChooser,
} from "./session_chooser.ts";
import { run as resume } from "./sessions_resume.ts";
import { run as show } from "./sessions_show.ts";

/** The size of a terminal that does not tell. */
const COLUMNS = 80;
const ROWS = 24;
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

/** Empties the screen from here on. */
const ERASE = "\x1b[J";

/** Longer than what any key sends. */
const KEY_BYTES = 1 << 10;

/** Lets a person choose a session, and shows it. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const { isTerminal } = context.process;
  refuseOperands(args, "sessions choose");
  if (!isTerminal.stdin || !isTerminal.stdout) {
    throw new UsageError(
      'sessions choose needs a terminal; "codexpipe sessions list" lists sessions',
    );
  }
  const page = await sessionPage(args, context, undefined);
  const isIncomplete = reportHomes(page, args, context);
  await context.diagnostics.flush();
  if (page.sessions.length === 0) return isIncomplete ? EXIT.io : EXIT.no;
  const chooser = new SessionChooser(page.sessions, {
    ruler: await TextRuler.for(chooserTexts(page.sessions)),
    style: context.style,
    now: context.process.now(),
    userHome: userHomeFrom(context.process.env),
  });
  const choice = await choose(chooser, context);
  if (choice.what === "interrupt") throw new Interrupted();
  if (choice.session === undefined) return EXIT.done;
  const own = args.withOperands([choice.session.file.path]);
  return await (choice.what === "show" ? show : resume)(own, context);
}

/** Shows the list until something is decided, and takes it away. */
async function choose(
  chooser: SessionChooser,
  { process, screen }: CommandContext,
): Promise<Choice> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(KEY_BYTES);
  const write = (text: string): Promise<void> => screen.writeText(text);
  /** Goes to where the list begins. */
  let home = "\r";
  let reading: Promise<number | null> | undefined;
  process.setRaw(true);
  try {
    await write(HIDE_CURSOR);
    for (;;) {
      const lines = chooser.lines(
        process.columns() ?? COLUMNS,
        process.rows() ?? ROWS,
      );
      // A terminal in this mode needs to be told to go to the start of a line.
      await write(home + ERASE + lines.join("\r\n"));
      home = `\r\x1b[${lines.length - 1}A`;
      reading ??= unlessInterrupted(
        process.stdin.read(bytes),
        process.interrupt,
      );
      if (await isTold(chooser, reading)) continue;
      const size = await reading;
      reading = undefined;
      if (size === null) return { what: "leave" };
      const text = decoder.decode(bytes.subarray(0, size), { stream: true });
      for (const key of keysOf(text)) {
        const choice = chooser.press(key);
        if (choice !== undefined) return choice;
      }
    }
  } finally {
    process.setRaw(false);
    await write(home + ERASE + SHOW_CURSOR);
  }
}

/**
 * Tells the list how the session that is selected went, unless a key comes before its file has
 * been read.
 *
 * @returns Whether it was told.
 */
async function isTold(
  chooser: SessionChooser,
  key: Promise<unknown>,
): Promise<boolean> {
  const session = chooser.unknown;
  if (session === undefined) return false;
  const stop = new AbortController();
  const run = readSessionRun(session.file, stop.signal).then((run) => {
    chooser.tell(session, run);
    return true;
  });
  try {
    return await Promise.race([run, key.then(() => false)]);
  } finally {
    stop.abort();
  }
}
