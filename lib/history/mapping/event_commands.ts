/**
 * Commands as the events and items of rollouts tell them.
 *
 * @module
 */

import {
  appendOutput,
  type CommandOutput,
  decoderKey,
} from "./command_output.ts";
import {
  type CommandEnd,
  type CommandStart,
  finishCommand,
  isKnownCommand,
  restartCommand,
  showEndedCommand,
  startCommand,
} from "./commands.ts";
import { pathOf } from "./images.ts";
import {
  callIdOf,
  type Fields,
  numberOf,
  textOf,
  textsOf,
  wholeOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { chunkBytes } from "./output_bytes.ts";
import { Utf8Decoder } from "../../json/utf8_decoder.ts";
import { readParsedCommands } from "./parsed_commands.ts";
import { durationMsOf, msOf, timestampOfMs } from "./times.ts";

/** Reads a command: a list of words, or one text. */
function commandOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : textsOf(value);
}

/** Shows a command that begins: an `exec_command_begin`. */
export function startEventCommand(
  context: MappingContext,
  event: Fields,
): void {
  startCommand(context, {
    callId: callIdOf(event.call_id) ?? null,
    ...describedCommand(event),
    startedAt: timeOf(event.started_at_ms) ?? context.now,
  });
}

/** What an event says of its command. */
function describedCommand(
  event: Fields,
): Pick<CommandStart, "command" | "parsed" | "cwd"> {
  const cwd = textOf(event.cwd);
  return {
    command: commandOf(event.command),
    parsed: readParsedCommands(event.parsed_cmd),
    cwd: cwd === undefined ? null : pathOf(cwd),
  };
}

/** Shows the next piece of output: an `exec_command_output_delta`. */
export function streamOutput(context: MappingContext, event: Fields): void {
  const { decoders } = context.memory;
  const callId = callIdOf(event.call_id);
  const { stream } = event;
  const bytes = chunkBytes(event.chunk);
  if (callId === undefined || bytes === undefined) return;
  if (stream !== "stdout" && stream !== "stderr") return;
  const key = decoderKey(callId, stream);
  const decoder = decoders.get(key) ?? new Utf8Decoder();
  const text = decoder.decode(bytes);
  if (decoder.pending.length > 0) decoders.set(key, decoder);
  else decoders.delete(key);
  appendOutput(context, callId, { [stream]: text });
}

/**
 * Shows how a command ended, and that it began if nothing has said so.
 *
 * @param context Where.
 * @param callId The id of the call; `null` if nothing else is told of it.
 * @param event An `exec_command_end`, or a `CommandExecution` item.
 */
export function endEventCommand(
  context: MappingContext,
  callId: string | null,
  event: Fields,
): void {
  const completedAt = timeOf(event.completed_at_ms) ?? context.now;
  const durationMs = durationMsOf(event.duration) ?? 0;
  const start: CommandStart = {
    callId,
    ...describedCommand(event),
    startedAt: startedAtOf(event, completedAt, durationMs),
  };
  const stdout = textOf(event.stdout) ?? "";
  const stderr = textOf(event.stderr) ?? "";
  const isBlank = stdout.trim() === "" && stderr.trim() === "";
  const end: CommandEnd & CommandOutput = {
    stdout: isBlank ? textOf(event.aggregated_output) ?? stdout : stdout,
    stderr: isBlank ? undefined : stderr,
    exitCode: wholeOf(event.exit_code) ?? null,
    status: event.status,
    completedAt,
    parsed: start.parsed,
  };
  if (callId === null) {
    showEndedCommand(context, start, end);
    return;
  }
  const isKnown = isKnownCommand(context, callId);
  if (isKnown && context.replaces) restartCommand(context, callId, start);
  else if (!isKnown || start.command.length > 0) startCommand(context, start);
  finishCommand(context, callId, end);
}

function startedAtOf(
  event: Fields,
  completedAt: string,
  durationMs: number,
): string {
  return timeOf(event.started_at_ms) ??
    timestampOfMs(msOf(completedAt) - durationMs) ?? completedAt;
}

/** Gives the time of an item; 0 says that nobody knows. */
function timeOf(ms: unknown): string | undefined {
  const number = numberOf(ms) ?? 0;
  return number > 0 ? timestampOfMs(number) : undefined;
}
