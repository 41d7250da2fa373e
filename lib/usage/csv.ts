/**
 * Reads comma-separated values (RFC 4180).
 */

/**
 * Reads all rows. Fields may stand in quotes, with commas, line feeds and doubled quotes in
 * them; LF and CRLF end a row; empty rows are none.
 *
 * @param text The text.
 * @returns The fields of each row.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  pattern.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) throw new SyntaxError("a quote is not closed");
    const [, quoted, plain = "", end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") {
      // The last field of all may be empty.
      if (pattern.lastIndex === text.length) row.push("");
      else continue;
    }
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}
