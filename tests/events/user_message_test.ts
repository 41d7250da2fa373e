import { assertEquals } from "@std/assert";
import {
  handedImages,
  isInjectedMessage,
  readUserContent,
  readUserEvent,
  type UserMessage,
} from "../../lib/events/user_message.ts";

/** Reads the parts of a message; undefined for injected context. */
function read(content: readonly unknown[]): UserMessage | undefined {
  return isInjectedMessage(content) ? undefined : readUserContent(content);
}

/** Makes a text part. */
function text(words: string): Record<string, unknown> {
  return { type: "input_text", text: words };
}

const IMAGE = { type: "input_image", image_url: "https://example.com/x.png" };

Deno.test("readUserContent() drops labels only beside media", () => {
  const content = [text("<image>"), IMAGE, text("</image>"), text("</image>")];
  assertEquals(read(content)?.text, "</image>");
});

Deno.test("readUserContent() reads texts of unknown parts", () => {
  const content = [
    "a",
    { text: "b" },
    { type: "input_markdown", text: "c" },
    { type: "mention", name: "d", path: "app://d" },
    { ...IMAGE, text: "e" },
  ];
  assertEquals(read(content)?.text, "abc");
  const injected = { text: "<skill>x</skill>" };
  assertEquals(read([...content, injected]), undefined);
});

Deno.test("isInjectedMessage() matches injected context in any case and in any part", () => {
  for (
    const words of [
      "<ENVIRONMENT_CONTEXT>x</environment_context>",
      " <user_action>\nx",
      "# AGENTS.md instructions for /w\n<INSTRUCTIONS>\n</INSTRUCTIONS>\n",
      "Warning: apply_patch was requested via exec_command.",
      "<external_open_page>x</external_open_page>",
    ]
  ) assertEquals(read([text("a"), text(words)]), undefined);
  for (
    const words of [
      "<environment_context>",
      "<skill>",
      "say </skill>",
      "<external_a>x</external_b>",
      "Warning: hot",
    ]
  ) assertEquals(read([text(words)])?.text, words);
});

Deno.test("readUserContent() reads the text in place of an unreadable image as its path", () => {
  for (
    const words of [
      "Codex could not read the local image at `/a b.md`: unsupported MIME type `text/markdown`",
      "Codex cannot attach image at `/a b.md`: unsupported image `text/markdown`.",
      "Image located at `/a b.md` is invalid: bad\nheader",
    ]
  ) {
    assertEquals(read([text(words), IMAGE, text("go")]), {
      text: "go",
      images: [{ path: "/a b.md" }, { url: IMAGE.image_url }],
      whole: `${words}go`,
    });
    const said = `Why? ${words}`;
    assertEquals(read([text(said)]), { text: said, images: [] });
  }
});

Deno.test("readUserContent() reads the text in place of an image that was not processed as its path (0.142)", () => {
  const content = [
    text("go"),
    text('<image name=[Image #1] path="/a b.md">'),
    text("image content omitted because it could not be processed"),
    text("</image>"),
    IMAGE,
  ];
  assertEquals(read(content), {
    text: "go",
    images: [{ path: "/a b.md" }, { url: IMAGE.image_url }],
  });
  assertEquals(read(content.slice(2))?.images, [{}, { url: IMAGE.image_url }]);
  const output = content.slice(2);
  assertEquals(handedImages({ output }), ["", IMAGE.image_url]);
  const sound = text("audio content omitted because it could not be processed");
  assertEquals(read([text("go"), sound]), { text: "go", images: [] });
  for (
    const part of [
      text("Why is image content omitted because of this?"),
      text("image content omitted because of what?\nPlease look"),
      { type: "text", text: "image content omitted because of what?" },
    ]
  ) assertEquals(read([part])?.text, part.text);
});

Deno.test("readUserContent() leaves out the text in place of audio that was not attached", () => {
  for (
    const words of [
      "Codex cannot attach audio at `/a b.md`: unsupported audio format; use wav, mp3, m4a, webm, or ogg.",
      "Codex could not read the local audio at `/a.wav`: No such file",
    ]
  ) {
    assertEquals(read([text(words), text("go")]), { text: "go", images: [] });
    const said = `Why? ${words}`;
    assertEquals(read([text(said)])?.text, said);
  }
});

/** The markers around injected context in user messages (C.3). */
const MARKERS = [
  ...[
    ...["user_instructions", "environment_context", "turn_aborted"],
    ...["user_shell_command", "subagent_notification", "goal_context"],
    ...["recommended_plugins", "skill"],
  ].map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ["# AGENTS.md instructions for /w", "</INSTRUCTIONS>"],
  ["<codex_internal_context source='x'>", "</codex_internal_context>"],
  ["<hook_prompt id='x'>", "</hook_prompt>"],
] as const;

for (const [start, end] of MARKERS) {
  Deno.test(`isInjectedMessage() matches text in ${start}`, () => {
    const textIn = (words: string) => read([text(words)])?.text;
    const inside = `${start}\nx\n${end}`;
    assertEquals(textIn(inside), undefined);
    assertEquals(textIn(`\n ${inside.toUpperCase()} \n`), undefined);
    for (
      const words of [`${start}\nx`, `x\n${end}`, `a ${inside}`, `${inside}.`]
    ) {
      assertEquals(textIn(words), words);
    }
  });
}

for (
  const start of [
    ...["<user_action>", "== System Status =="],
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via ",
    "Warning: Your account was flagged",
  ]
) {
  Deno.test(`isInjectedMessage() matches text that begins with ${start}`, () => {
    assertEquals(read([text(` ${start} x`)]), undefined);
    assertEquals(read([text(`x ${start}`)])?.text, `x ${start}`);
  });
}

for (
  const type of [
    ...["audio", "image", "input_audio", "input_image", "local_audio"],
    "local_image",
  ]
) {
  Deno.test(`readUserContent() drops the label of a part of type ${type}`, () => {
    const labelled = (label: string) =>
      read([{ type, text: "a" }, text(label), text("b")])?.text;
    for (const label of [" </IMAGE>", "<image name='x'>", "<audio>\n"]) {
      assertEquals(labelled(label), "b");
    }
    for (
      const words of [
        "<image> c",
        "c </image>",
        "</image> c",
        "</images>",
        "<imagery>",
      ]
    ) {
      assertEquals(labelled(words), `${words}b`);
    }
  });
}

Deno.test("readUserContent() returns [Audio] for a message of sound alone", () => {
  const sound = { type: "input_audio", audio_url: "data:," };
  assertEquals(read([sound])?.text, "[Audio]");
  assertEquals(read([sound, text("a")])?.text, "a");
  assertEquals(read([sound, IMAGE])?.text, "");
});

Deno.test("readUserEvent() returns [Audio] for a message of sound alone", () => {
  const said = (event: Record<string, unknown>) =>
    readUserEvent({ message: "", ...event }).text;
  assertEquals(said({ audio: ["data:,"] }), "[Audio]");
  assertEquals(said({ audio: [], local_audio: ["/w/a.wav"] }), "[Audio]");
  assertEquals(said({ audio: ["data:,"], message: "a" }), "a");
  assertEquals(said({ audio: ["data:,"], images: ["data:,"] }), "");
  assertEquals(said({ audio: [], local_audio: null }), "");
});
