/**
 * What became of files, over all edits.
 */

import { wordHtml } from "./_summary_html.ts";
import type { EditedFile } from "./edited_files.ts";
import { countText } from "./quantity_text.ts";

/** How many files are told apart. */
const MAX_FILES = 2000;

/** What became of a file since the beginning. */
type Fate = "added" | "added and deleted" | "deleted" | "edited";

/** What a file that something has become of becomes by a further edit. */
const FATES: Record<EditedFile["change"], Record<Fate | "same", Fate>> = {
  add: {
    same: "added",
    added: "added",
    "added and deleted": "added",
    deleted: "edited",
    edited: "edited",
  },
  delete: {
    same: "deleted",
    added: "added and deleted",
    "added and deleted": "added and deleted",
    deleted: "deleted",
    edited: "deleted",
  },
  update: {
    same: "edited",
    added: "added",
    "added and deleted": "added",
    deleted: "edited",
    edited: "edited",
  },
};

/** A file that something has become of. */
interface FileRow {
  fate: Fate;
  movedTo: string;
  added: number | null;
  removed: number | null;
}

/** Adds the edits up, file by file. */
export class ChangedFiles {
  readonly #rows = new Map<string, FileRow>();
  #unkept = 0;

  /** How many edits were of files that are not told apart any more. */
  get unkept(): number {
    return this.#unkept;
  }

  /** Takes in an edit that was made. */
  add({ path, change, movedTo, added, removed }: EditedFile): void {
    const row = this.#rows.get(path);
    if (row !== undefined) {
      row.fate = FATES[change][row.fate];
      row.added = sum(row.added, added);
      row.removed = sum(row.removed, removed);
      if (movedTo !== "") row.movedTo = movedTo;
    } else if (this.#rows.size < MAX_FILES) {
      const fate = FATES[change].same;
      this.#rows.set(path, { fate, movedTo, added, removed });
    } else this.#unkept += 1;
  }

  /** Writes the files as rows of a table. */
  rows(): string[] {
    return [...this.#rows].map(([path, { fate, movedTo, added, removed }]) => {
      const words = movedTo === ""
        ? fate
        : `moved to <code>${wordHtml(movedTo)}</code>`;
      const counts = [added, removed].map((count) =>
        `<td align="right">${count === null ? "" : countText(count)}</td>`
      );
      return `<tr><td><code>${wordHtml(path)}</code></td><td>${words}</td>${
        counts.join("")
      }</tr>\n`;
    });
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
