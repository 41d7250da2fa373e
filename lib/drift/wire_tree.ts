/**
 * The format of the records of each dialect, as a tree: the kinds of records, the paths in them,
 * and at each path the types and words seen there, with the first and the last release that wrote
 * them.
 *
 * Drift is measured against such a tree, and new parts are marked in the tree itself: each path is
 * looked up once, and a new part is stored once, no matter how often it appears.
 */

import { fieldsOf, listOf, textOf } from "../json/fields.ts";
import { savedCount } from "../json/saved.ts";
import { releaseNumber, releaseText } from "../dialects/releases.ts";
import {
  DATA_NAMES,
  isName,
  isWord,
  isWordPlace,
  MAP_NAMES,
  RECORD_NAMES,
} from "./_user_data.ts";

/**
 * The types of values; the index of a type is its index in {@linkcode WireNode.marks}. First the
 * kinds in the order of their numbers on a tape, then integers.
 */
export const WIRE_TYPES = [
  "object",
  "array",
  "string",
  "number",
  "boolean",
  "null",
  "integer",
] as const;

/** The indexes of some types; those of `number` are numbers that are not integers. */
export const ARRAY = 1;
export const STRING = 2;
export const NUMBER = 3;
export const INTEGER = 6;

/** The letter of each type in a saved tree, by index. */
const LETTERS: readonly string[] = [..."oasnb0i"];
/** Saved among the types of a node whose member names may be user data. */
const CLOSED = "m";

/** Stands for names and words that may be user data. */
export const ANY_NAME = "*";
const ELEMENT = "[]";

/** The largest number of members of one node: further names are taken for user data. */
const MAX_MEMBERS = 250;
const MAX_WORDS = 200;
const MAX_KINDS = 2000;
/**
 * The largest number of paths and words that are added to a tree: a hostile stream has no end of
 * them. All known releases have some 10,000.
 */
const MAX_ADDED = 50_000;
/** A part is reported when it returns after so many known releases without it. */
const RELEASES_WITHOUT = 5;

/** Records that a type or a word was seen at a path. */
export class Mark {
  readonly node: WireNode;
  readonly type: number;
  readonly word: string | undefined;
  /** Whether it comes from the baseline, and not from a stream that was read. */
  readonly isKnown: boolean;
  /** The first release known to write it; 0 if no release is known. */
  first = 0;
  /**
   * The last release known to write it. `Infinity` if it is known without a release, -1 if it is
   * not known at all.
   */
  last: number;

  constructor(
    node: WireNode,
    type: number,
    word: string | undefined,
    isKnown: boolean,
  ) {
    this.node = node;
    this.type = type;
    this.word = word;
    this.isKnown = isKnown;
    this.last = isKnown ? Infinity : -1;
  }

  /** Extends the range of releases by one; 0 stands for an unknown release. */
  widen(release: number): void {
    if (this.last === -1) this.last = Infinity;
    if (release === 0) return;
    if (this.first === 0 || release < this.first) this.first = release;
    if (this.last === Infinity || release > this.last) this.last = release;
  }
}

/** A path in the records of one kind. */
export class WireNode {
  /** The node that holds it; absent for a kind of record. */
  readonly parent: WireNode | undefined;
  /** The name in the parent, or the name of the kind. */
  readonly name: string;
  /** The marks of the types seen, by index of the type. */
  readonly marks: (Mark | undefined)[] = [];
  /** The marks of the words seen; present only where the value is one of a few words. */
  readonly words: Map<string, Mark> | undefined;
  /** Whether the value is user data, whose parts are not read. */
  readonly isData: boolean;
  /** Whether new member names may be shown; otherwise they may be user data. */
  isOpen: boolean;
  readonly members = new Map<string, WireNode>();

  constructor(parent: WireNode | undefined, name: string, isOpen: boolean) {
    this.parent = parent;
    this.name = name;
    this.isData = DATA_NAMES.has(name);
    this.isOpen = isOpen && !MAP_NAMES.has(name);
    const field = name === ELEMENT ? parent?.name ?? "" : name;
    if (isWordPlace(this.kind.name, field)) this.words = new Map();
  }

  get kind(): WireNode {
    return this.parent?.kind ?? this;
  }

  /** Finds or adds a member, if there is room; a name that may be user data becomes `*`. */
  member(name: string, tree: WireTree): WireNode | undefined {
    return this.members.get(name) ?? this.#other(name, tree);
  }

  element(tree: WireTree): WireNode | undefined {
    return this.members.get(ELEMENT) ?? this.#add(ELEMENT, tree);
  }

  #other(name: string, tree: WireTree): WireNode | undefined {
    const isOwn = !MAP_NAMES.has(this.name) &&
      this.members.size < MAX_MEMBERS &&
      (tree.knowsName(name) || (this.isOpen && isName(name)));
    if (isOwn) return this.#add(name, tree);
    return this.members.get(ANY_NAME) ?? this.#add(ANY_NAME, tree);
  }

  #add(name: string, tree: WireTree): WireNode | undefined {
    if (!tree.takesOneMore()) return undefined;
    const isOpen = tree.isTrusted ||
      (this.parent === undefined && RECORD_NAMES.has(name)) ||
      (this.isOpen && RECORD_NAMES.has(this.name) && RECORD_NAMES.has(name));
    return this.add(name, isOpen);
  }

  add(name: string, isOpen: boolean): WireNode {
    const node = new WireNode(this, name, isOpen);
    this.members.set(name, node);
    return node;
  }

  mark(type: number): Mark {
    return this.marks[type] ??= new Mark(this, type, undefined, false);
  }

  /** Finds or adds the mark of a word; a word that may be user data becomes `*`. */
  wordMark(word: string, tree: WireTree): Mark | undefined {
    const { words } = this;
    if (words === undefined) return undefined;
    const found = words.get(word);
    if (found !== undefined) return found;
    const isShown = isWord(word) && words.size < MAX_WORDS &&
      tree.takesOneMore();
    const shown = isShown ? word : ANY_NAME;
    const mark = words.get(shown) ?? new Mark(this, STRING, shown, false);
    words.set(shown, mark);
    return mark;
  }

  /** The path from the record, such as `payload.info.window`. */
  get path(): string {
    const { parent, name } = this;
    if (parent === undefined) return "";
    if (name === ELEMENT) return `${parent.path}[]`;
    return parent.parent === undefined ? name : `${parent.path}.${name}`;
  }

  get steps(): readonly string[] {
    return this.parent === undefined ? [] : [...this.parent.steps, this.name];
  }
}

export class WireKind extends WireNode {
  /** The number of sessions that had records of this kind. */
  sessions = 0;

  constructor(name: string) {
    super(undefined, name, true);
  }
}

export class WireDialect {
  readonly #kinds = new Map<string, WireKind>();
  /** Kinds of a saved tree that have not been built yet: a run uses few of its hundreds. */
  readonly #saved = new Map<string, () => WireKind>();
  /** The releases that the tree was recorded from. */
  readonly releases: Set<number> = new Set();
  sessions = 0;

  get kinds(): ReadonlyMap<string, WireKind> {
    for (const name of this.#saved.keys()) this.kind(name);
    return this.#kinds;
  }

  /** The number of kinds, including those not built yet. */
  get kindCount(): number {
    return this.#kinds.size + this.#saved.size;
  }

  kind(name: string): WireKind | undefined {
    const saved = this.#saved.get(name);
    if (saved === undefined) return this.#kinds.get(name);
    this.#saved.delete(name);
    return this.add(saved());
  }

  add(kind: WireKind): WireKind {
    this.#kinds.set(kind.name, kind);
    return kind;
  }

  /** Adds a kind of record that is built on first use. */
  addSaved(name: string, make: () => WireKind): void {
    this.#saved.set(name, make);
  }

  /** Adds a release; 0 stands for an unknown one and is skipped. */
  addRelease(release: number): void {
    if (release !== 0) this.releases.add(release);
  }

  /**
   * Returns the first release that counts for another: what was last written before it has returned.
   * 0 if the release is unknown or one of the first.
   */
  limitOf(release: number): number {
    if (release === 0) return 0;
    const before = [...this.releases].filter((known) => known <= release);
    return before.sort((a, b) => b - a)[RELEASES_WITHOUT - 1] ?? 0;
  }
}

/** The version of the saved form. */
const FORM = 1;
const NAME = "codexpipe";
const CONTENT = "wire";

/** The format of the records of all dialects. */
export class WireTree {
  readonly dialects = new Map<string, WireDialect>();
  readonly #names: () => ReadonlySet<string>;
  #added = 0;
  /** Whether the input holds no user data, so that all names may be shown. */
  readonly isTrusted: boolean;

  /** `names` returns the names that are known to be Codex's; a trusted tree takes all for such. */
  constructor(isTrusted: boolean, names: () => ReadonlySet<string>) {
    this.isTrusted = isTrusted;
    this.#names = names;
  }

  /** Returns whether one more path or word may be added, and counts it. */
  takesOneMore(): boolean {
    this.#added += 1;
    return this.#added <= MAX_ADDED;
  }

  dialect(name: string): WireDialect {
    const dialect = this.dialects.get(name) ?? new WireDialect();
    this.dialects.set(name, dialect);
    return dialect;
  }

  /** Finds or adds a kind of record; words that may be user data become `*`. */
  kind(dialect: WireDialect, name: string): WireKind {
    const found = dialect.kind(name);
    if (found !== undefined) return found;
    const isShown = dialect.kindCount < MAX_KINDS && name.length <= 120;
    const parts = isShown ? name.split("/") : [""];
    // Records without a type are `(no type)`, `(meta)` and others.
    const at = parts.findIndex((part) =>
      !isWord(part.replace(/^\((?:no )?(.+)\)$/, "$1"))
    );
    // What follows may belong to it: a path, for example.
    const shown = at < 0 ? name : [...parts.slice(0, at), ANY_NAME].join("/");
    return dialect.kind(shown) ?? dialect.add(new WireKind(shown));
  }

  knowsName(name: string): boolean {
    return this.isTrusted ? isName(name) : this.#names().has(name);
  }

  /**
   * Loads a saved tree into this one, which is empty.
   *
   * @throws {SyntaxError} If it is not a saved tree, or one of another version.
   */
  load(saved: unknown): void {
    const { [NAME]: content, version, dialects } = fieldsOf(saved);
    if (content !== CONTENT) {
      throw new SyntaxError("the text is not a baseline of codexpipe drift");
    }
    if (version !== FORM) {
      throw new SyntaxError(
        "the baseline was written by another version of codexpipe",
      );
    }
    for (const [name, fields] of entriesOf(dialects)) {
      const { releases, sessions, kinds } = fieldsOf(fields);
      const dialect = this.dialect(name);
      for (const text of listOf(releases)) {
        dialect.addRelease(releaseNumber(String(text)));
      }
      dialect.sessions = savedCount(sessions);
      for (const [kind, node] of entriesOf(kinds)) {
        dialect.addSaved(kind, () => {
          const known = new WireKind(kind);
          known.sessions = savedCount(fieldsOf(node)["#"]);
          this.#load(node, known, 0, Infinity, 0);
          return known;
        });
      }
    }
  }

  #load(
    saved: unknown,
    node: WireNode,
    first: number,
    last: number,
    depth: number,
  ): void {
    const text = typeof saved === "string" ? saved : fieldsOf(saved)[""];
    let earliest = 0;
    let latest = 0;
    for (const part of textOf(text)?.split(" ") ?? []) {
      const [code = "", range] = part.split("@");
      const [from, to = from] = range?.split("-") ?? [];
      const begin = from === undefined ? first : releaseNumber(from);
      const end = from === undefined ? last : releaseNumber(to) || Infinity;
      const word = code.startsWith("=") ? code.slice(1) : undefined;
      const type = word === undefined ? LETTERS.indexOf(code) : STRING;
      const mark = new Mark(node, type, word, true);
      mark.first = begin;
      mark.last = end;
      if (word !== undefined) node.words?.set(word, mark);
      else if (code === CLOSED) node.isOpen = false;
      else if (type !== -1) {
        node.marks[type] = mark;
        if (earliest === 0 || begin < earliest) earliest = begin;
        if (end > latest) latest = end;
      }
    }
    if (typeof saved === "string" || depth > MAX_DEPTH) return;
    for (const [name, part] of entriesOf(saved)) {
      if (name === "" || name === "#") continue;
      const member = node.add(name, true);
      this.#load(part, member, earliest, latest || Infinity, depth + 1);
    }
  }

  /**
   * Returns the tree as JSON for `load`.
   *
   * @param hasAll Whether it includes what was found but not recorded.
   */
  save(hasAll: boolean): string {
    const dialects = sorted(this.dialects).map(([name, dialect]) => {
      const releases = [...dialect.releases].sort((a, b) => a - b);
      const kinds = sorted(dialect.kinds).flatMap(([kind, node]) => {
        const text = savedNode(node, hasAll, "", node.sessions);
        return text === undefined ? [] : `${JSON.stringify(kind)}:${text}`;
      });
      return `${JSON.stringify(name)}:{"sessions":${dialect.sessions},` +
        `"releases":${JSON.stringify(releases.map(releaseText))},"kinds":{\n${
          kinds.join(",\n")
        }}}`;
    });
    return `{"${NAME}":"${CONTENT}","version":${FORM},"dialects":{\n${
      dialects.join(",\n")
    }}}\n`;
  }
}

const MAX_DEPTH = 64;

/** Returns the names of all members in saved trees, without building these. */
export function namesIn(trees: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (node: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const [name, part] of entriesOf(node)) {
      if (name === "" || name === "#") continue;
      if (name !== ELEMENT && name !== ANY_NAME) names.add(name);
      add(part, depth + 1);
    }
  };
  for (const { dialects } of trees.map(fieldsOf)) {
    for (const { kinds } of Object.values(fieldsOf(dialects)).map(fieldsOf)) {
      for (const kind of Object.values(fieldsOf(kinds))) add(kind, 0);
    }
  }
  return names;
}

/** Returns a node as JSON; nothing if no release is recorded to have written it. */
function savedNode(
  node: WireNode,
  hasAll: boolean,
  around: string,
  sessions = 0,
): string | undefined {
  const isSaved = ({ last }: Mark): boolean => hasAll || last !== -1;
  const marks = node.marks.filter((mark) => mark !== undefined).filter(isSaved);
  if (marks.length === 0) return undefined;
  const first = Math.min(...marks.map((mark) => mark.first));
  const last = Math.max(...marks.map((mark) => mark.last));
  const own = rangeText(first, last);
  const parts = [
    ...marks.map((mark) =>
      (LETTERS[mark.type] ?? "") + savedRange(mark, around)
    ),
    ...(!node.isOpen && node.members.size > 0 ? [CLOSED] : []),
    ...sorted(node.words ?? new Map<string, Mark>()).flatMap(([word, mark]) =>
      isSaved(mark) ? `=${word}${savedRange(mark, around)}` : []
    ),
  ].join(" ");
  const members = sorted(node.members).flatMap(([name, member]) => {
    const text = savedNode(member, hasAll, own);
    return text === undefined ? [] : `${JSON.stringify(name)}:${text}`;
  });
  if (members.length === 0 && sessions === 0) return JSON.stringify(parts);
  const count = sessions === 0 ? [] : [`"#":${sessions}`];
  return `{${[`"":${JSON.stringify(parts)}`, ...count, ...members].join(",")}}`;
}

function savedRange({ first, last }: Mark, around: string): string {
  const text = rangeText(first, last);
  return text === around ? "" : `@${text}`;
}

function rangeText(first: number, last: number): string {
  if (first === 0) return "";
  const from = releaseText(first);
  return first === last ? from : `${from}-${releaseText(last)}`;
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => a < b ? -1 : 1);
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(fieldsOf(value));
}
