/**
 * Reads what a person reads of an answer: Codex leaves out the sources in its memory that the model
 * names, and in plan mode the plan, which is an item of its own. The response item has both.
 */

/** Matches the sources; without an end tag, all that follows belongs to them. */
const SOURCES_REGEXP = /<oai-mem-citation>(?:[^]*?<\/oai-mem-citation>|[^]*)/g;
const PLAN_START = "<proposed_plan>";
const PLAN_END = "</proposed_plan>";

/** Divides a text of the model into what a person reads and the plan, empty if there is none. */
export function readAnswerText(
  text: string,
): { readonly said: string; readonly plan: string } {
  const plain = text.replace(SOURCES_REGEXP, "");
  if (!plain.includes(PLAN_START)) return { said: plain, plan: "" };
  const said: string[] = [];
  const plan: string[] = [];
  let isPlan = false;
  for (const line of plain.split("\n")) {
    const tag = line.trim();
    if (tag === PLAN_START) isPlan = true;
    else if (isPlan && tag === PLAN_END) isPlan = false;
    else (isPlan ? plan : said).push(line);
  }
  return { said: said.join("\n"), plan: plan.join("\n") };
}
