import { assertEquals } from "@std/assert";
import { readUserContent } from "../../../lib/history/mapping/user_content.ts";

/** Makes a text part. */
function text(words: string): Record<string, unknown> {
  return { type: "input_text", text: words };
}

const IMAGE = { type: "input_image", image_url: "https://example.com/x.png" };

Deno.test("readUserContent() leaves labels out only beside media", () => {
  const content = [text("<image>"), IMAGE, text("</image>"), text("</image>")];
  assertEquals(readUserContent(content)?.text, "</image>");
});

Deno.test("readUserContent() reads texts of parts that nobody knows", () => {
  const content = [
    "a",
    { text: "b" },
    { type: "input_markdown", text: "c" },
    { type: "mention", name: "d", path: "app://d" },
    { ...IMAGE, text: "e" },
  ];
  assertEquals(readUserContent(content)?.text, "abc");
  const injected = { text: "<skill>x</skill>" };
  assertEquals(readUserContent([...content, injected]), undefined);
});

Deno.test("readUserContent() knows what the program wrote", () => {
  for (
    const words of [
      "<ENVIRONMENT_CONTEXT>x</environment_context>",
      " <user_action>\nx",
      "# AGENTS.md instructions for /w\n<INSTRUCTIONS>\n</INSTRUCTIONS>\n",
      "Warning: apply_patch was requested via exec_command.",
    ]
  ) assertEquals(readUserContent([text("a"), text(words)]), undefined);
  for (
    const words of [
      "<environment_context>",
      "<skill>",
      "say </skill>",
      "Warning: hot",
    ]
  ) assertEquals(readUserContent([text(words)])?.text, words);
});

/** What the program puts around what it says in the name of the user (C.3). */
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
  Deno.test(`readUserContent() takes for no prompt what stands in ${start}`, () => {
    const read = (words: string) => readUserContent([text(words)])?.text;
    const inside = `${start}\nx\n${end}`;
    assertEquals(read(inside), undefined);
    assertEquals(read(`\n ${inside.toUpperCase()} \n`), undefined);
    for (
      const words of [`${start}\nx`, `x\n${end}`, `a ${inside}`, `${inside}.`]
    ) {
      assertEquals(read(words), words);
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
  Deno.test(`readUserContent() takes for no prompt what begins with ${start}`, () => {
    assertEquals(readUserContent([text(` ${start} x`)]), undefined);
    assertEquals(readUserContent([text(`x ${start}`)])?.text, `x ${start}`);
  });
}

for (
  const type of [
    ...["audio", "image", "input_audio", "input_image", "local_audio"],
    "local_image",
  ]
) {
  Deno.test(`readUserContent() leaves out the label of a part of type ${type}`, () => {
    const labelled = (label: string) =>
      readUserContent([{ type, text: "a" }, text(label), text("b")])?.text;
    for (const label of [" </IMAGE>", "<image name='x'>", "<audio>\n"]) {
      assertEquals(labelled(label), "b");
    }
    for (
      const said of [
        "<image> c",
        "c </image>",
        "</image> c",
        "</images>",
        "<imagery>",
      ]
    ) {
      assertEquals(labelled(said), `${said}b`);
    }
  });
}

Deno.test("readUserContent() never copies the data of an image", () => {
  const url = "data:image/svg+xml;charset=utf-8,%3Csvg%3E";
  const local = { type: "local_image", path: "file:///w/a%20b.png" };
  const message = readUserContent([{ type: "image", image_url: url }, local]);
  assertEquals(message?.images.map(({ payload }) => payload), [
    {
      path: "data:image/svg+xml;charset=utf-8",
      caption: null,
      metadata: { mime_type: "image/svg+xml", byte_len: 5 },
    },
    { path: "/w/a b.png", caption: null, metadata: null },
  ]);
});

Deno.test("readUserContent() counts the bytes of data, and cuts no other URL at a comma (C.3)", () => {
  const image = (image_url: string) =>
    readUserContent([{ type: "input_image", image_url }])?.images[0]?.payload;
  const data = (url: string) => Object(image(url)).metadata.byte_len;
  assertEquals(data("data:image/png;base64,QUI="), 2);
  assertEquals(data("data:image/png;base64,QQ=="), 1);
  assertEquals(data("DATA:image/png;BASE64,QQ=="), 1);
  assertEquals(data("data:image/png;base64,===="), 0);
  assertEquals(data("data:,%"), 0);
  assertEquals(data("DATA:text/plain,a%20%C3%A9"), 4);
  assertEquals(image("https://example.com/a,b.png"), {
    path: "https://example.com/a,b.png",
    caption: null,
    metadata: null,
  });
});
