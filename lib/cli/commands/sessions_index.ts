/** `codexpipe sessions index`. */

import { countedText, countText } from "../../render/quantity_text.ts";
import type { SessionFile } from "../../sessions/session_files.ts";
import {
  type IndexingReport,
  indexSessions,
  readSession,
  type SessionPiece,
} from "../../sessions/session_indexer.ts";
import type { Arguments } from "../arguments.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { resultsOf } from "../jobs.ts";
import { bytesText, formatOf } from "./_formats.ts";
import { indexPlaces, withProgress } from "./_session_index.ts";
import { problemRecords, reportHomes } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const { args, process, stdout } = context;
  const readAhead = (
    files: readonly SessionFile[],
  ): AsyncGenerator<SessionPiece> =>
    resultsOf({
      inputs: files.map((file) => ({ name: file.path, size: file.size, file })),
      work: ({ file }) => readSession(file),
      weigh: ({ weight }) => weight,
    }, context);
  if (process.starter !== undefined) await readAhead([]).next();
  const places = await indexPlaces(context);
  const report = await withProgress(
    context,
    places.path,
    (watch) =>
      indexSessions({
        ...places,
        rebuild: args.has("rebuild"),
        shouldStop: () => process.interrupt.aborted,
        readAhead: (files) =>
          untilInterrupted(readAhead(files), process.interrupt),
        ...watch,
      }),
  );
  const text = formatOf(args, FORMATS.report) === "json"
    ? `${JSON.stringify(reportRecord(report, places.path, args))}\n`
    : reportText(report, places.path);
  await stdout.writeText(text);
  const isIncomplete = reportHomes({ ...report, total: report.files }, context);
  return isIncomplete ? EXIT.io : EXIT.done;
};

/** Ends the sequence without an error if the user interrupts, so that pieces so far are kept. */
async function* untilInterrupted<T>(
  pieces: AsyncIterable<T>,
  interrupt: AbortSignal,
): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    if (error !== interrupt.reason) throw error;
  }
}

/** The report as a record. Fields may be added over time. */
function reportRecord(
  report: IndexingReport,
  path: string,
  args: Arguments,
): Readonly<Record<string, unknown>> {
  return {
    path,
    sessions: report.sessions,
    files: report.files,
    added: report.added,
    grown: report.grown,
    changed: report.changed,
    moved: report.moved,
    removed: report.removed,
    bytes_read: report.bytesRead,
    problems: problemRecords(report, args),
  };
}

function reportText(report: IndexingReport, path: string): string {
  const { added, grown, changed, moved, removed } = report;
  const changes = Object.entries({ added, grown, changed, moved, removed })
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${countText(count)} ${kind}`);
  const summary = changes.length === 0
    ? "nothing has changed"
    : `${changes.join(", ")}, ${bytesText(report.bytesRead)} read`;
  const { sessions, files } = report;
  // A session has several files only if it continues in further ones.
  const where = files === sessions ? "" : ` in ${countText(files)} files`;
  return `${countedText(sessions, "session")}${where}: ${summary}\n${path}\n`;
}
