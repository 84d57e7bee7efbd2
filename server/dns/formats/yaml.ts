import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type ParsedNode,
  type YAMLMap,
} from "yaml";
import { shortened } from "../rdata/field.ts";

/** A value of a YAML text. Scalars are as written: `010` and `yes` stay what they are. */
export type YamlNode = { line: number } & (
  | { kind: "scalar"; text: string; isPlain: boolean }
  | { kind: "map"; entries: YamlEntry[] }
  | { kind: "list"; items: YamlNode[] }
);

/** An entry of a mapping. */
export interface YamlEntry {
  key: string;
  /** Whether the key has no quotes. */
  isPlain: boolean;
  line: number;
  value: YamlNode;
}

type YamlItem = { ok: true; entry: YamlEntry } | { ok: false; line: number; message: string };

/** More than any zone needs, and little enough for recursion. */
const deepest = 16;
/** What aliases and merge keys may add to a text, as nodes. */
const mostAliased = 100_000;
const lexemesPerStep = 32;

/**
 * Yields the entries of a text whose content is one mapping, each when it is asked for, and errors in place of what cannot be read. What yields
 * undefined is only a step. Aliases cost what they stand for, up to a limit.
 */
export function* yamlEntries(text: string): Generator<YamlItem | undefined, void> {
  const lines = [0];
  const parser = new Parser((offset) => lines.push(offset));
  const lineAt = (offset: number) => lineOf(lines, offset);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    // Indicators of flow collections may nest without end, and the parser would take quadratic time for them.
    if (parser.stack.length > 4 * deepest) {
      yield fault(lineAt(parser.offset), tooDeep);
      return;
    }
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (++count % lexemesPerStep === 0) yield;
  }
  for (const token of parser.end()) tokens.push(token);
  const documents = tokens.filter((token) => token.type === "document");
  for (const token of tokens) {
    if (token.type === "error") yield fault(lineAt(token.offset), firstLine(token.message));
    if (token.type === "directive")
      yield fault(lineAt(token.offset), "A % directive is not supported; remove this line.");
  }
  const second = documents[1];
  if (second)
    yield fault(lineAt(second.offset), "A second YAML document begins here. Put each zone into a file of its own.");
  const value = documents[0]?.value;
  if (value === undefined || isEmptyScalar(value)) return;
  const reading = new Nodes(lineAt);
  if (value.type === "block-map") {
    yield* blockEntries(reading, value, lineAt, text.length);
  } else if (value.type !== "flow-collection") {
    yield fault(lineAt(value.offset), "The text must be a mapping of names to records, such as `www:`.");
  } else if ((value.end.at(-1)?.offset ?? text.length) - value.offset > longestFlow) {
    yield fault(lineAt(value.offset), "Write names as lines such as `www:`, not as one long { … }.");
  } else yield* reading.entries(value);
}

function* blockEntries(
  reading: Nodes,
  value: CST.BlockMap,
  lineAt: (offset: number) => number,
  length: number,
): Generator<YamlItem | undefined, void> {
  for (const [index, item] of value.items.entries()) {
    yield;
    const offset = offsetOf(item) ?? value.offset;
    const next = value.items[index + 1];
    const end = (next && offsetOf(next)) ?? length;
    // What one entry has is read in one step.
    if (end - offset > longestEntry)
      yield fault(lineAt(offset), `What begins here is longer than ${longestEntry} characters.`);
    else yield* reading.entries({ ...value, offset, items: [item] });
  }
}

function offsetOf({ key, start }: CST.BlockMap["items"][number]): number | undefined {
  return key?.offset ?? start[0]?.offset;
}

const longestEntry = 524_288;
const longestFlow = 65_536;

const tooDeep = `Values are nested more than ${deepest} deep here.`;

function fault(line: number, message: string): YamlItem {
  return { ok: false, line, message };
}

function isEmptyScalar(token: CST.Token): boolean {
  return token.type === "scalar" && token.source === "";
}

/** Returns the first line of a message of the parser, without what it quotes. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n", 1);
  const [text = ""] = line.split(/ at line \d+/, 1);
  return `${text.replace(/[.:]$/, "")}.`;
}

/** Returns the line of an offset, counted from 1. @param starts where the lines begin so far; the parser may list the first one twice */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return starts[1] === 0 ? low - 1 : low;
}

/** Turns nodes of the parser into ours, and aliases into what they stand for. */
class Nodes {
  readonly #lineAt: (offset: number) => number;
  readonly #anchors = new Map<string, YamlNode>();
  /** The number of nodes below an anchor. */
  readonly #sizes = new Map<string, number>();
  #count = 0;
  #aliased = 0;

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  /** Yields the entries of a mapping that is the whole of a document. */
  *entries(value: CST.BlockMap | CST.FlowCollection): Generator<YamlItem | undefined, void> {
    const document: CST.Document = { type: "document", offset: value.offset, start: [], value };
    const composer = new Composer<ParsedNode, false>({
      schema: "failsafe",
      merge: false,
      strict: true,
      uniqueKeys: false,
      logLevel: "silent",
    });
    for (const composed of composer.compose([document], false)) {
      for (const error of composed.errors) yield fault(this.#lineAt(error.pos[0]), firstLine(error.message));
      for (const warning of composed.warnings) yield fault(this.#lineAt(warning.pos[0]), firstLine(warning.message));
      if (composed.errors.length > 0 || composed.warnings.length > 0 || !isMap(composed.contents)) continue;
      try {
        for (const entry of this.#entriesOf(composed.contents, 1)) yield { ok: true, entry };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        yield fault(error.line, error.message);
      }
    }
  }

  #node(node: unknown, line: number, depth: number): YamlNode {
    this.#count++;
    if (depth > deepest) throw new Refusal(line, tooDeep);
    if (node === null || node === undefined) return { line, kind: "scalar", text: "", isPlain: true };
    if (isAlias(node)) return this.#alias(node.source, this.#lineAt(node.range?.[0] ?? 0));
    const before = this.#count;
    const meant = this.#value(node, line, depth);
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) {
      this.#anchors.set(anchor, meant);
      this.#sizes.set(anchor, this.#count - before + 1);
    }
    return meant;
  }

  #value(node: unknown, line: number, depth: number): YamlNode {
    if (isScalar(node)) {
      const at = this.#lineAt(node.range?.[0] ?? 0);
      // A tag says that it is a text, as quotes do.
      const isPlain = (node.type === "PLAIN" || node.type === undefined) && node.tag !== "tag:yaml.org,2002:str";
      const text = typeof node.value === "string" ? node.value : "";
      const isBlock = node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED";
      return { line: at, kind: "scalar", text: isBlock ? text.replace(/(?<!\n)\n+$/, "") : text, isPlain };
    }
    if (isSeq<ParsedNode>(node)) {
      const at = this.#lineAt(node.range?.[0] ?? 0);
      return { line: at, kind: "list", items: node.items.map((item) => withoutNull(this.#node(item, at, depth + 1))) };
    }
    if (!isMap<ParsedNode, ParsedNode | null>(node)) throw new Refusal(line, "This value cannot be read.");
    return { line: this.#lineAt(node.range?.[0] ?? 0), kind: "map", entries: this.#entriesOf(node, depth) };
  }

  #entriesOf(map: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): YamlEntry[] {
    const own: YamlEntry[] = [];
    const merged: YamlEntry[] = [];
    const keys = new Set<string>();
    for (const { key, value } of map.items) {
      const line = this.#lineAt(key.range[0]);
      const name = this.#node(key, line, depth + 1);
      if (name.kind !== "scalar") throw new Refusal(line, "A key must be a text, not a list or a mapping.");
      if (keys.has(name.text)) throw new Refusal(line, `The key ${shortened(name.text)} is there twice; keep one.`);
      keys.add(name.text);
      const meant = withoutNull(this.#node(value, line, depth + 1));
      if (name.text !== "<<" || !name.isPlain) own.push({ key: name.text, isPlain: name.isPlain, line, value: meant });
      else for (const one of meant.kind === "list" ? meant.items : [meant]) merged.push(...mergeable(one, line));
    }
    if (merged.length === 0) return own;
    // The first of several merged values counts.
    return [...own, ...merged.filter(({ key }) => !keys.has(key) && keys.add(key))];
  }

  #alias(name: string, line: number): YamlNode {
    const node = this.#anchors.get(name);
    if (!node) throw new Refusal(line, `No anchor &${name} stands before this alias.`);
    const size = this.#sizes.get(name) ?? 1;
    this.#count += size;
    this.#aliased += size;
    if (this.#aliased > mostAliased) throw new Refusal(line, `Aliases stand for more than ${mostAliased} values here.`);
    return { ...node, line };
  }
}

function mergeable(node: YamlNode, line: number): YamlEntry[] {
  if (node.kind !== "map") throw new Refusal(line, "<< takes an alias of a mapping.");
  return node.entries;
}

class Refusal extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads what YAML writes for nothing, such as the value of a parameter that has none, as an empty text. */
function withoutNull(node: YamlNode): YamlNode {
  const isNull = node.kind === "scalar" && node.isPlain && /^(?:~|null|Null|NULL)$/.test(node.text);
  return isNull ? { ...node, text: "" } : node;
}
