/**
 * What the page does for those who let it: nothing of it is needed to read.
 */

/**
 * The script of the page, all of it: find as you type, fold and unfold everything, copy.
 *
 * Searching goes through the entries in slices, so that typing is never held up. What is found
 * is marked with the highlight API where there is one; no text is ever put into the page as HTML.
 */
export const PAGE_SCRIPT = `
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const box = $("find"), count = $("count"), form = box.closest(".find");
const canMark = typeof Highlight === "function" && CSS.highlights !== undefined;
let hits = [], at = -1, run = 0, opened = [];

// The same as in the style sheet, without asking for the style of what is not laid out.
const SHOWN = { "show-talk": ".user,.say,.error,.note", "show-work": ".exec,.edit,.tool,.plan,.error", "show-bad": ".failed,.error" };
const entries = () => document.querySelectorAll("main .e");
const fold = (open) => {
  for (const e of document.querySelectorAll("main details")) e.open = open;
};
const reveal = (element) => {
  for (let e = element; e; e = e.parentElement) {
    if (e.localName === "details" && !e.open) { e.open = true; opened.push(e); }
  }
};
const unmark = () => {
  if (canMark) CSS.highlights.delete("found");
  for (const e of document.querySelectorAll(".now")) e.classList.remove("now");
};
const rangesIn = (element, query) => {
  const ranges = [], walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 500; node = walker.nextNode()) {
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue;
    for (let i = text.indexOf(query); i >= 0 && ranges.length < 500; i = text.indexOf(query, i + query.length)) {
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + query.length);
      ranges.push(range);
    }
  }
  return ranges;
};
const show = (index) => {
  unmark();
  for (const e of opened) e.open = false;
  opened = [];
  if (hits.length === 0) return;
  at = (index + hits.length) % hits.length;
  const hit = hits[at];
  reveal(hit);
  hit.classList.add("now");
  const ranges = rangesIn(hit, box.value.trim().toLowerCase());
  if (canMark && ranges.length > 0) CSS.highlights.set("found", new Highlight(...ranges));
  const first = ranges[0] && ranges[0].startContainer.parentElement;
  (first ?? hit).scrollIntoView({ block: "center", behavior: "instant" });
  count.textContent = (at + 1) + " of " + hits.length;
};
const find = () => {
  const only = SHOWN[document.querySelector(".show:checked")?.id];
  const mine = ++run, query = box.value.trim().toLowerCase();
  hits = [];
  at = -1;
  if (query === "") { show(0); count.textContent = ""; return; }
  const all = entries();
  let i = 0;
  const slice = () => {
    if (mine !== run) return;
    for (const end = performance.now() + 12; i < all.length && performance.now() < end; i++) {
      const e = all[i];
      if ((!only || e.matches(only)) && e.textContent.toLowerCase().includes(query)) hits.push(e);
    }
    if (at < 0 && hits.length > 0) show(0);
    else if (hits.length > 0) count.textContent = (at + 1) + " of " + hits.length;
    if (i < all.length) requestAnimationFrame(slice);
    else if (hits.length === 0) { show(0); count.textContent = "nothing found"; }
  };
  slice();
};
form.hidden = false;
for (const e of document.querySelectorAll(".acts")) e.hidden = false;
box.addEventListener("input", find);
box.addEventListener("keydown", (e) => {
  if (e.key === "Enter") { e.preventDefault(); show(at + (e.shiftKey ? -1 : 1)); }
  else if (e.key === "Escape") {
    box.value = "";
    opened = [];
    find();
    box.blur();
  }
});
document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio])")) return;
  e.preventDefault();
  box.focus();
  box.select();
});
for (const e of document.querySelectorAll("[name=show]")) e.addEventListener("change", find);
$("unfold").addEventListener("click", () => fold(true));
$("fold").addEventListener("click", () => fold(false));

const copy = document.createElement("button");
copy.type = "button";
copy.className = "copy";
copy.textContent = "Copy";
let source = null;
const offer = (e) => {
  const pre = e.target.closest && e.target.closest("main pre");
  if (!pre || pre === source || !navigator.clipboard) return;
  source = pre;
  copy.textContent = "Copy";
  pre.before(copy);
};
document.addEventListener("pointerover", offer);
document.addEventListener("focusin", offer);
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(source.textContent);
    copy.textContent = "Copied";
  } catch {
    copy.textContent = "Cannot copy";
  }
});

const follow = () => {
  const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
  if (target) { reveal(target); opened = []; target.scrollIntoView(); }
};
addEventListener("hashchange", follow);
follow();
})();
`;
