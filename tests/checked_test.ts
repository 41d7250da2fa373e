import {
  assertEquals,
  AssertionError,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { VerdictBuilder } from "../lib/check/check.ts";
import { FileChanges, follow } from "../lib/files/files.ts";
import { jsonSchemaOf } from "../lib/json_schema.ts";
import { JsonlRedactor, Redactor } from "../lib/redact/redact.ts";
import {
  GithubRenderer,
  HtmlRenderer,
  MarkdownRenderer,
  TextRenderer,
  TranscriptBuilder,
} from "../lib/render/render.ts";
import {
  findSessionFiles,
  listSessions,
  searchSessions,
  sessionIndexPath,
} from "../lib/sessions/sessions.ts";
import { UsageMeter } from "../lib/usage/usage.ts";
import {
  decodeEvents,
  Decoder,
  encodeOutcome,
  HistoryReducer,
  HistoryState,
  JsonlDecoder,
  JsonlDecoderStream,
  JsonlNormalizer,
  LineNumberer,
  LineSplitter,
  Normalizer,
  type Stage,
} from "../mod.ts";
import { encode } from "./running.ts";
import { withFolder } from "./sessions/homes.ts";

/** The type of arguments in code that is not type-checked. */
// deno-lint-ignore no-explicit-any -- It stands for calls without types.
type Untyped = any;

const NO_BYTES: readonly { readonly chunk: Untyped; readonly words: string }[] =
  [
    { chunk: '{"n":10}\n', words: "a string" },
    { chunk: new Uint16Array(4), words: "a value of the class Uint16Array" },
    { chunk: new ArrayBuffer(4), words: "a value of the class ArrayBuffer" },
    { chunk: [10], words: "a list" },
    { chunk: { 0: 10, length: 1 }, words: "an object" },
    { chunk: null, words: "null" },
    { chunk: undefined, words: "undefined" },
  ];

for (const { chunk, words } of NO_BYTES) {
  const message = `Cannot read a chunk: it is ${words}, expected a Uint8Array`;

  Deno.test(`stages over bytes refuse a chunk that is ${words}`, async () => {
    const stages = [
      new LineSplitter(),
      new JsonlNormalizer(),
      new JsonlDecoder(),
      new JsonlRedactor(),
      new VerdictBuilder(),
    ];
    for (const stage of stages) {
      assertThrows(() => stage.feed(chunk, () => {}), TypeError, message);
    }
    const whole = encode('{"type":"error","message":"no"}');
    const read = async (): Promise<void> => {
      const chunks = ReadableStream.from([whole, chunk, whole]);
      for await (const _ of chunks.pipeThrough(new JsonlDecoderStream())) {
        throw new AssertionError("a line that has not ended was given");
      }
    };
    await assertRejects(read, TypeError, message);
  });
}

Deno.test("stages over outcomes refuse values that are no outcomes", () => {
  const stages = (): readonly Stage<Untyped, unknown>[] => [
    new Normalizer(),
    new Decoder(),
    new HistoryReducer(),
    new TranscriptBuilder(),
    { feed: (outcome, emit) => emit(encodeOutcome(outcome)) },
  ];
  for (
    const [value, words] of [
      ['{"type":"error"}', "a string"],
      [encode("{}"), "a value of the class Uint8Array"],
      [{ type: "error", message: "no" }, "an object"],
      [null, "null"],
    ]
  ) {
    for (const stage of stages()) {
      assertThrows(
        () => stage.feed(value, () => {}),
        TypeError,
        `Cannot read an outcome: it is ${words}, expected an object with ok, such as LineSplitter emits`,
      );
    }
  }
});

Deno.test("stages over texts refuse other values", () => {
  for (
    const read of [
      (text: Untyped) => new LineNumberer().feed(text, () => {}),
      (text: Untyped) => new Redactor().redact(text),
    ]
  ) {
    for (const [text, words] of [[1, "a number"], [undefined, "undefined"]]) {
      assertThrows(
        () => read(text),
        TypeError,
        `Cannot read a text: it is ${words}, expected a string`,
      );
    }
  }
});

for (const option of ["only", "except"]) {
  Deno.test(`the option ${option} refuses types that are not texts`, () => {
    for (const [type, words] of [[1, "a number"], [undefined, "undefined"]]) {
      const options: Untyped = { [option]: ["error", type] };
      for (const make of [JsonlDecoder, JsonlNormalizer]) {
        assertThrows(
          () => new make(options),
          TypeError,
          `Cannot use ${option}: one is ${words}, expected strings`,
        );
      }
    }
  });
}

Deno.test("decodeEvents() refuses a source that cannot be read", () => {
  for (const source of ["{}", null, undefined, ["{}"], new Uint8Array(1)]) {
    assertThrows(
      () => decodeEvents(source as Untyped),
      TypeError,
      "expected a stream or an async iterable of bytes",
    );
  }
});

Deno.test("stages refuse unknown words of an option, and list the known ones", () => {
  const words: readonly [string, Untyped][] = [
    ["from", JsonlNormalizer],
    ["from", JsonlDecoder],
    ["from", Normalizer],
    ["from", Decoder],
    ["from", VerdictBuilder],
    ["onError", JsonlNormalizer],
    ["onError", JsonlDecoder],
    ["engine", JsonlNormalizer],
    ["engine", JsonlDecoder],
    ["runCounters", UsageMeter],
  ];
  for (const [name, Stage] of words) {
    assertThrows(
      () => new Stage({ [name]: "throw" }),
      RangeError,
      `Cannot use ${name}: it is "throw", expected `,
    );
  }
  assertThrows(
    () => new JsonlDecoder({ from: "history" as Untyped }),
    RangeError,
    'Cannot use from: it is "history", expected auto, exec, app-server or rollout',
  );
});

Deno.test("options that are counts refuse numbers that are not whole, and NaN", () => {
  const counts: readonly [string, (count: number) => unknown][] = [
    ["maxFailures", (maxFailures) => new VerdictBuilder({ maxFailures })],
    ["pollMs", (pollMs) => new FileChanges({ pollMs })],
    [
      "limits.deltaBytes",
      (deltaBytes) => new HistoryState({ limits: { deltaBytes } }),
    ],
    ...[TextRenderer, MarkdownRenderer, HtmlRenderer, GithubRenderer].map(
      (Renderer): [string, (count: number) => unknown] => [
        "maxOutputLines",
        (maxOutputLines) => new Renderer({ maxOutputLines }),
      ],
    ),
  ];
  for (const [name, make] of counts) {
    for (const count of [NaN, -1, 0.5]) {
      assertThrows(
        () => make(count),
        RangeError,
        `Cannot use ${name}: it is ${count}, expected a whole number from `,
      );
    }
    for (const count of [1, Infinity]) make(count);
    const text: Untyped = "3";
    assertThrows(() => make(text), RangeError, `${name}: it is a string, `);
  }
});

Deno.test("a search refuses a limit that is no whole number", async () => {
  await withFolder(async (folder) => {
    for (const limit of [NaN, -1]) {
      const search = {
        query: "x",
        codexHomes: [`${folder}/no-home`],
        path: `${folder}/index.sqlite`,
        limit,
      };
      await assertRejects(
        () => searchSessions(search),
        RangeError,
        `Cannot use limit: it is ${limit}, expected a whole number from 0`,
      );
    }
  });
});

Deno.test("a time that is NaN is refused", async () => {
  const time = Date.parse("last week");
  const codexHomes = ["no/such/home"];
  for (const name of ["since", "until"]) {
    const message =
      `Cannot use ${name}: it is NaN, expected milliseconds since 1970`;
    const times = { [name]: time };
    assertThrows(() => new UsageMeter(times), RangeError, message);
    await assertRejects(
      () => listSessions({ codexHomes, ...times }),
      RangeError,
      message,
    );
  }
  await withFolder(async (folder) => {
    const path = `${folder}/index.sqlite`;
    await assertRejects(
      () => searchSessions({ query: "x", codexHomes, path, since: time }),
      RangeError,
      "Cannot use since: it is NaN",
    );
  });
});

Deno.test("a text is refused where a list is expected", async () => {
  const text: Untyped = "abc";
  const words = (name: string): string =>
    `Cannot use ${name}: it is a string, expected a list`;
  for (const Stage of [JsonlNormalizer, JsonlDecoder]) {
    assertThrows(() => new Stage({ only: text }), TypeError, words("only"));
  }
  assertThrows(
    () => new Redactor({ patterns: text }),
    TypeError,
    words("patterns"),
  );
  const env = (): string => "/home/me";
  assertThrows(
    () => sessionIndexPath({ codexHomes: text, env }),
    TypeError,
    words("codexHomes"),
  );
  for (const find of [findSessionFiles, listSessions]) {
    await assertRejects(
      async () => await find({ codexHomes: text }),
      TypeError,
      words("codexHomes"),
    );
  }
  await assertRejects(
    () => follow(text, { atEnd: () => true }).next(),
    TypeError,
    words("paths"),
  );
});

Deno.test("a pattern that is text is refused", () => {
  const patterns: Untyped = ["ACME"];
  assertThrows(
    () => new Redactor({ patterns }),
    TypeError,
    "Cannot use patterns: one is a string, expected regular expressions",
  );
});

Deno.test("a schema of an unknown name is refused", () => {
  const name: Untyped = "Event";
  assertThrows(
    () => jsonSchemaOf(name),
    RangeError,
    'Cannot use name: it is "Event", expected ThreadEvent,',
  );
});

Deno.test("renderers refuse unknown words of options", () => {
  const none: Untyped = "none at all";
  for (
    const Renderer of [
      TextRenderer,
      MarkdownRenderer,
      HtmlRenderer,
      GithubRenderer,
    ]
  ) {
    assertThrows(
      () => new Renderer({ tools: none }),
      RangeError,
      'Cannot use tools: it is "none at all", expected none, names or full',
    );
  }
  for (const Renderer of [TextRenderer, MarkdownRenderer, HtmlRenderer]) {
    assertThrows(
      () => new Renderer({ reasoning: none }),
      RangeError,
      "Cannot use reasoning",
    );
  }
});

Deno.test("a limit of a history that is undefined is the default", () => {
  const limits: Untyped = { streamBytes: undefined, deltaBytes: 2 };
  const [size, expected] = [limits, { deltaBytes: 2 }].map((limits) => {
    const state = new HistoryState({ limits });
    state.apply({
      type: "item.completed",
      item_id: "item_0",
      item_type: "command_execution",
      status: "completed",
      content: { command: "ls", stdout: "x".repeat(40 << 20), exit_code: 0 },
    });
    return JSON.stringify(state.snapshot()).length;
  });
  assertEquals(size, expected);
});
