import type { Steps } from "../../platform/slices.ts";
import { shortened } from "../rdata/field.ts";

/** A value of Terraform's language. `other` is what is not literal, as it is written. */
export type HclValue = { line: number } & (
  | { kind: "string"; text: string }
  | { kind: "word"; text: string }
  | { kind: "list"; items: HclValue[] }
  | { kind: "object"; fields: Map<string, HclValue> }
  | { kind: "reference"; text: string }
  | { kind: "other"; text: string }
);

/** A block such as `resource "aws_route53_record" "www" { … }`. */
export interface HclBlock {
  line: number;
  type: string;
  labels: string[];
  attributes: Map<string, HclValue>;
  blocks: HclBlock[];
}

export type HclItem = { ok: true; block: HclBlock } | { ok: false; line: number; message: string };

/** A record set has at most 65,535 octets. A block that is longer is not read in one step. */
const longestBlock = 524_288;
const deepest = 16;
const tokensPerStep = 32;

type Token =
  | { kind: "word" | "mark"; text: string; at: number; line: number }
  | { kind: "string"; text: string; isLiteral: boolean; at: number; line: number }
  | { kind: "newline" | "end"; text: string; at: number; line: number };

class Refusal extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads the blocks of a text that are wanted, in order. Skips others. Stops at the first fault, which it returns as the last item. */
export function* readBlocks(
  text: string,
  isWanted: (type: string, labels: readonly string[]) => boolean,
): Steps<HclItem[]> {
  const items: HclItem[] = [];
  const scanner = new Scanner(text);
  try {
    for (;;) {
      yield;
      const token = scanner.next();
      if (token.kind === "end") return items;
      if (token.kind === "newline") continue;
      if (token.kind !== "word")
        throw new Refusal(token.line, `A block such as \`resource "…" "…" {\` is expected here, not ${named(token)}.`);
      const { labels, isBlock } = header(scanner, token);
      if (!isBlock || !isWanted(token.text, labels)) {
        yield* skipped(scanner, token.line, isBlock);
        continue;
      }
      scanner.limit = token.at + longestBlock;
      items.push({ ok: true, block: { line: token.line, type: token.text, labels, ...body(scanner, token.line, 1) } });
      scanner.limit = Infinity;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    items.push({ ok: false, line: error.line, message: error.message });
    return items;
  }
}

/** Reads the labels of a block up to its `{`, or finds that there is an attribute. */
function header(scanner: Scanner, first: Token): { labels: string[]; isBlock: boolean } {
  const labels: string[] = [];
  for (;;) {
    const token = scanner.next();
    if (token.kind === "string" || token.kind === "word") labels.push(token.text);
    else if (token.text === "{") return { labels, isBlock: true };
    else if (token.text === "=" && labels.length === 0) return { labels, isBlock: false };
    else throw new Refusal(token.line, `${shortened(first.text)} must be followed by = or a block in { }.`);
  }
}

/** Skips the rest of a block, or of an attribute. */
function* skipped(scanner: Scanner, line: number, isBlock: boolean): Steps<void> {
  let depth = isBlock ? 1 : 0;
  for (let count = 0; ; count++) {
    if (count % tokensPerStep === 0) yield;
    const token = scanner.next();
    if (token.kind === "end" && isBlock) throw new Refusal(line, "The block that begins here is never closed.");
    if (token.kind === "mark" && /^[{[(]$/.test(token.text)) depth++;
    if (token.kind === "mark" && /^[}\])]$/.test(token.text)) depth--;
    if (depth <= 0 && (isBlock || token.kind === "newline" || token.kind === "end")) return;
  }
}

function body(scanner: Scanner, line: number, depth: number): Pick<HclBlock, "attributes" | "blocks"> {
  if (depth > deepest) throw new Refusal(line, `Blocks are nested more than ${deepest} deep here.`);
  const attributes = new Map<string, HclValue>();
  const blocks: HclBlock[] = [];
  for (;;) {
    const token = scanner.next();
    if (token.kind === "newline") continue;
    if (token.text === "}" && token.kind === "mark") return { attributes, blocks };
    if (token.kind === "end") throw new Refusal(line, "The block that begins here is never closed.");
    if (token.kind !== "word")
      throw new Refusal(token.line, `The name of an attribute is expected here, not ${named(token)}.`);
    const { labels, isBlock } = header(scanner, token);
    if (isBlock) blocks.push({ line: token.line, type: token.text, labels, ...body(scanner, token.line, depth + 1) });
    else if (attributes.has(token.text))
      throw new Refusal(token.line, `\`${shortened(token.text)}\` is there twice; keep one.`);
    else attributes.set(token.text, value(scanner, depth + 1));
  }
}

/** Reads a value, up to what ends it. */
function value(scanner: Scanner, depth: number): HclValue {
  const first = scanner.next();
  const { line } = first;
  if (depth > deepest) throw new Refusal(line, `Values are nested more than ${deepest} deep here.`);
  const read = literal(scanner, first, depth);
  const after = scanner.peek();
  if (read !== null && (endsValue(after) || after.kind === "end")) return read;
  // Not literal: everything up to the end of the value.
  let open = first.kind === "mark" && /^[{[(]$/.test(first.text) && read === null ? 1 : 0;
  for (;;) {
    const token = scanner.peek();
    if (token.kind === "end" || (open <= 0 && endsValue(token))) break;
    scanner.next();
    if (token.kind === "mark" && /^[{[(]$/.test(token.text)) open++;
    if (token.kind === "mark" && /^[}\])]$/.test(token.text)) open--;
  }
  return { line, kind: "other", text: shortened(scanner.from(first.at).trim().replaceAll(/\s+/g, " ")) };
}

function endsValue({ kind, text }: Token): boolean {
  return kind === "newline" || (kind === "mark" && /^[,}\])]$/.test(text));
}

/** Returns a literal value or a reference; null if it begins with something else. */
function literal(scanner: Scanner, first: Token, depth: number): HclValue | null {
  const { line, text } = first;
  if (first.kind === "string")
    return first.isLiteral ? { line, kind: "string", text } : { line, kind: "other", text: shortened(text) };
  if (first.kind === "word") {
    if (/^-?\d/.test(text) || text === "true" || text === "false" || text === "null")
      return { line, kind: "word", text };
    let path = text;
    while (scanner.peek().text === "." && scanner.peek().kind === "mark") {
      scanner.next();
      path += `.${scanner.next().text}`;
    }
    return { line, kind: "reference", text: path };
  }
  if (first.kind === "mark" && text === "[") return list(scanner, line, depth);
  return first.kind === "mark" && text === "{" ? object(scanner, line, depth) : null;
}

function list(scanner: Scanner, line: number, depth: number): HclValue {
  const items: HclValue[] = [];
  for (;;) {
    const token = scanner.peek();
    if (token.kind === "end") throw new Refusal(line, "The list that begins here is never closed.");
    if (token.kind === "newline" || (token.kind === "mark" && token.text === ",")) scanner.next();
    else if (token.kind === "mark" && token.text === "]") {
      scanner.next();
      return { line, kind: "list", items };
    } else if (endsValue(token)) throw new Refusal(token.line, `A value is expected here, not ${named(token)}.`);
    else items.push(value(scanner, depth + 1));
  }
}

function object(scanner: Scanner, line: number, depth: number): HclValue {
  const fields = new Map<string, HclValue>();
  for (;;) {
    const token = scanner.next();
    if (token.kind === "newline" || (token.kind === "mark" && token.text === ",")) continue;
    if (token.kind === "mark" && token.text === "}") return { line, kind: "object", fields };
    if (token.kind !== "word" && token.kind !== "string")
      throw new Refusal(token.line, `A key is expected here, not ${named(token)}.`);
    const equals = scanner.next();
    if (equals.text !== "=" && equals.text !== ":")
      throw new Refusal(equals.line, `\`${shortened(token.text)}\` must be followed by =.`);
    fields.set(token.text, value(scanner, depth + 1));
  }
}

function named(token: Token): string {
  if (token.kind === "end") return "the end of the text";
  return token.kind === "newline" ? "the end of the line" : `"${shortened(token.text)}"`;
}

/** Splits text into tokens, on demand. */
class Scanner {
  readonly #text: string;
  #at: number;
  #line = 1;
  #peeked: Token | null = null;
  /** The position of a token that is no longer part of the present block. */
  limit = Infinity;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  /** Returns the text from a position up to the token that is next. */
  from(start: number): string {
    return this.#text.slice(start, Math.min(this.#peeked?.at ?? this.#at, start + 400));
  }

  peek(): Token {
    return (this.#peeked ??= this.#read());
  }

  next(): Token {
    const token = this.peek();
    this.#peeked = null;
    if (token.at > this.limit) throw new Refusal(token.line, `A block is longer than ${longestBlock} characters here.`);
    return token;
  }

  #read(): Token {
    const text = this.#text;
    this.#skipBlanks();
    const at = this.#at;
    const line = this.#line;
    const character = text[at];
    if (character === undefined) return { kind: "end", text: "", at, line };
    if (character === "\n") {
      this.#at++;
      this.#line++;
      return { kind: "newline", text: "", at, line };
    }
    if (character === '"') return this.#string(at, line);
    if (character === "<" && /^<<-?[A-Za-z_]/.test(text.slice(at, at + 4))) return this.#heredoc(at, line);
    word.lastIndex = at;
    const [found] = word.exec(text) ?? [];
    this.#at += found?.length ?? 1;
    return found === undefined ? { kind: "mark", text: character, at, line } : { kind: "word", text: found, at, line };
  }

  #skipBlanks(): void {
    const text = this.#text;
    for (;;) {
      const character = text[this.#at];
      if (character === " " || character === "\t" || character === "\r") this.#at++;
      else if (character === "#" || (character === "/" && text[this.#at + 1] === "/")) {
        const end = text.indexOf("\n", this.#at);
        this.#at = end === -1 ? text.length : end;
      } else if (character === "/" && text[this.#at + 1] === "*") {
        const end = text.indexOf("*/", this.#at + 2);
        if (end === -1) throw new Refusal(this.#line, "The comment that begins here is never closed.");
        // Not with indexOf, which would read on to the next line feed for each of many comments on one line.
        this.#line += text.slice(this.#at, end).split("\n").length - 1;
        this.#at = end + 2;
      } else return;
    }
  }

  #string(at: number, line: number): Token {
    const text = this.#text;
    let content = "";
    let isLiteral = true;
    let depth = 0;
    for (let end = at + 1; end < text.length && end - at <= longestBlock; end++) {
      const character = text[end] ?? "";
      const next = text[end + 1] ?? "";
      if (character === "\n" && depth === 0) break;
      if (character === '"' && depth === 0) {
        this.#at = end + 1;
        return { kind: "string", text: isLiteral ? content : text.slice(at + 1, end), isLiteral, at, line };
      }
      if (depth === 0 && (character === "$" || character === "%") && next === character && text[end + 2] === "{") {
        content += `${character}{`;
        end += 2;
      } else if ((character === "$" || character === "%") && next === "{") {
        isLiteral = false;
        depth++;
        end++;
      } else if (depth > 0) {
        if (character === "{") depth++;
        if (character === "}") depth--;
      } else if (character === "\\") {
        const escape = unescaped(text.slice(end, end + 10));
        if (escape === null)
          throw new Refusal(line, `\\${next} is not an escape of Terraform's. Write a backslash as \\\\.`);
        content += escape.content;
        end += escape.length - 1;
      } else content += character;
    }
    throw new Refusal(line, "A quote on this line is never closed; close it on the same line.");
  }

  #heredoc(at: number, line: number): Token {
    const text = this.#text;
    const head = /^<<(-?)([\w-]{1,100})\r?\n/.exec(text.slice(at, at + 200));
    if (!head) throw new Refusal(line, "A here document must have a name, such as <<EOT.");
    const [opening, isIndented, name = ""] = head;
    const lines: string[] = [];
    for (let start = at + opening.length; start < text.length && start - at <= longestBlock;) {
      const feed = text.indexOf("\n", start);
      const end = feed === -1 ? text.length : feed;
      const one = text.slice(start, end).replace(/\r$/, "");
      this.#line++;
      if (one.trim() === name) {
        this.#at = end;
        const content = isIndented === "" ? lines : lines.map((some) => some.trimStart());
        const joined = content.join("\n");
        return { kind: "string", text: joined, isLiteral: !/[$%]\{/.test(joined), at, line };
      }
      lines.push(one);
      start = end + 1;
    }
    throw new Refusal(line, `The here document that begins here has no line ${name} at its end.`);
  }
}

const word = /-?\d+(?:\.\d+)?|[A-Za-z_][\w-]*/y;

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** Reads the escape that text begins with. */
function unescaped(text: string): { content: string; length: number } | null {
  const simple = escapes[text[1] ?? ""];
  if (simple !== undefined) return { content: simple, length: 2 };
  const [escape, short, long] = /^\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8}))/.exec(text) ?? [];
  const code = Number.parseInt(short ?? long ?? "", 16);
  return escape === undefined || code > 0x10_ff_ff
    ? null
    : { content: String.fromCodePoint(code), length: escape.length };
}
