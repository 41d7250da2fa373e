import { assertEquals } from "@std/assert";
import {
  homeInPath,
  otherPlacesOf,
} from "../../lib/sessions/session_places.ts";

const NAME = "rollout-2026-11-20T15-40-01-01a1f99d.jsonl";

const CASES = [
  {
    name: "an active session",
    path: `/h/sessions/2026/11/20/${NAME}`,
    home: "/h",
    others: [
      `/h/sessions/2026/11/20/${NAME}.zst`,
      `/h/archived_sessions/${NAME}`,
      `/h/archived_sessions/${NAME}.zst`,
    ],
  },
  {
    name: "a session of a home that is the root of a drive",
    path: `C:\\sessions\\2026\\11\\20\\${NAME}`,
    home: "C:\\",
    others: [
      `C:\\sessions\\2026\\11\\20\\${NAME}.zst`,
      `C:\\archived_sessions\\${NAME}`,
      `C:\\archived_sessions\\${NAME}.zst`,
    ],
  },
  {
    name: "a packed session in a flat folder of the home that it is in",
    path: `sessions/${NAME}.zst`,
    home: ".",
    others: [
      `sessions/${NAME}`,
      `archived_sessions/${NAME}`,
      `archived_sessions/${NAME}.zst`,
    ],
  },
  {
    name: "an archived session, on Windows",
    path: `C:\\h\\archived_sessions\\${NAME}`,
    home: "C:\\h",
    others: [
      `C:\\h\\archived_sessions\\${NAME}.zst`,
      `C:\\h\\sessions\\2026\\11\\20\\${NAME}`,
      `C:\\h\\sessions\\2026\\11\\20\\${NAME}.zst`,
      `C:\\h\\sessions\\${NAME}`,
      `C:\\h\\sessions\\${NAME}.zst`,
    ],
  },
  {
    name: "a session in a home with a line break in its name",
    path: `/h\n1/archived_sessions/${NAME}.zst`,
    home: "/h\n1",
    others: [
      `/h\n1/archived_sessions/${NAME}`,
      `/h\n1/sessions/2026/11/20/${NAME}`,
      `/h\n1/sessions/2026/11/20/${NAME}.zst`,
      `/h\n1/sessions/${NAME}`,
      `/h\n1/sessions/${NAME}.zst`,
    ],
  },
  {
    name: "a file that is not a session's",
    path: "logs/run.jsonl",
    home: undefined,
    others: ["logs/run.jsonl.zst", "logs/run.jsonl.gz"],
  },
  {
    name: "a packed file that is not a session's",
    path: "run.jsonl.gz",
    home: undefined,
    others: ["run.jsonl", "run.jsonl.zst"],
  },
  {
    name: "a session file in a folder whose name only ends with -sessions",
    path: `my-sessions/${NAME}`,
    home: undefined,
    others: [`my-sessions/${NAME}.zst`, `my-sessions/${NAME}.gz`],
  },
] satisfies {
  name: string;
  path: string;
  home: string | undefined;
  others: string[];
}[];

for (const { name, path, home, others } of CASES) {
  Deno.test(`otherPlacesOf() and homeInPath() return the places of ${name}`, () => {
    assertEquals(otherPlacesOf(path), others);
    assertEquals(homeInPath(path), home);
  });
}
