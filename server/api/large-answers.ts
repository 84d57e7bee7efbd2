import type { Response } from "express";
import { z } from "zod";
import { inSlices, takeTurns, type Steps } from "../platform/slices.ts";

/** Responses with more items than this are validated and serialized in slices. */
const manyItems = 500;
const pieceCharacters = 65_536;

/** A large response as JSON text, validated and serialized in slices. */
export class LargeAnswer {
  /** The JSON text, in pieces. */
  readonly pieces: Iterable<string>;
  /** superjson paths of its dates, which tRPC responses list separately. */
  readonly datePaths: readonly string[];
  /** The pieces of its only field, for routes that send that as plain text. */
  readonly text: readonly string[] | null;

  constructor(pieces: Iterable<string>, datePaths: readonly string[], text: readonly string[] | null = null) {
    this.pieces = pieces;
    this.datePaths = datePaths;
    this.text = text;
  }

  /** Placeholder that libraries serialize; `sendLarge` sends the text itself. */
  toJSON(): string {
    return "a large answer";
  }
}

/** Lets an output schema accept a `LargeAnswer`, which is already validated. */
export function passingLarge<S extends z.ZodType>(schema: S): S {
  const parse = schema.parse.bind(schema);
  const pass = (...[value, params]: Parameters<typeof parse>) =>
    value instanceof LargeAnswer ? value : parse(value, params);
  return Object.defineProperty(schema, "parse", { value: pass });
}

/** Returns a small response unchanged. Validates and serializes a large one in slices, without blocking the event loop. */
export async function answerOf<S extends z.ZodType>(schema: S, answer: z.input<S>): Promise<z.input<S>> {
  if (!hasManyItems(answer, manyItems)) return answer;
  const text = new JsonText();
  await inSlices(text.write(schema, answer, ""));
  // Unknown to tRPC's types; handled in `rest.ts` and `app.ts`.
  return new LargeAnswer(text.pieces(), text.datePaths) as z.input<S>;
}

/** Returns an answer that is a text, and perhaps short other fields. A long one comes in pieces, which are never joined. */
export function textAnswerOf<Field extends string, Others extends object = object>(
  field: Field,
  text: readonly string[],
  others?: Others,
): Record<Field, string> & Others {
  if (text.length <= 1) return { [field]: text.join(""), ...others } as Record<Field, string> & Others;
  const json = function* () {
    yield `{"${field}":"`;
    for (const piece of text) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
    for (const [name, value] of Object.entries(others ?? {})) yield `,"${name}":${JSON.stringify(value)}`;
    yield "}";
  };
  return new LargeAnswer(json(), [], text) as object as Record<Field, string> & Others;
}

/** Sends pieces of a large response, respecting backpressure and other calls, and ends it. */
export async function sendLarge(res: Response, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (res.destroyed) return;
    if (!res.write(piece)) await drained(res);
    // A fast reader takes everything at once.
    await takeTurns();
  }
  res.end();
}

/** Replaces tRPC's output with the large response in tRPC's format. */
export function sendLargeOverTrpc(res: Response, large: () => LargeAnswer | undefined): void {
  const [write, end] = [res.write.bind(res), res.end.bind(res)];
  const replaced = {
    write: (...args: Parameters<typeof write>) => (large() ? true : write(...args)),
    end: (...args: Parameters<typeof end>) => {
      Object.assign(res, { write, end });
      const answer = large();
      if (!answer) return end(...args);
      const notes = answer.datePaths.map((path) => `${JSON.stringify(path)}:["Date"]`).join(",");
      const meta = notes === "" ? "" : `,"meta":{"values":{${notes}},"v":1}`;
      const whole = function* () {
        yield '{"result":{"data":{"json":';
        yield* answer.pieces;
        yield `${meta}}}}`;
      };
      void sendLarge(res, whole());
      return res;
    },
  };
  Object.assign(res, replaced);
}

async function drained(res: Response): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.once("drain", done);
    res.once("close", done);
  });
}

function hasManyItems(value: unknown, most: number): boolean {
  let left = most;
  const count = (some: unknown, levels: number): void => {
    if (typeof some !== "object" || some === null || levels === 0 || left < 0) return;
    if (Array.isArray(some)) left -= some.length;
    for (const child of Object.values(some)) {
      if (left < 0) return;
      count(child, levels - 1);
    }
  };
  count(value, 4);
  return left < 0;
}

/** Builds JSON text incrementally. */
class JsonText {
  readonly datePaths: string[] = [];
  readonly #pieces: string[] = [];
  #piece = "";

  pieces(): string[] {
    return this.#piece === "" ? this.#pieces : [...this.#pieces, this.#piece];
  }

  /** Validates a value and serializes the schema's output, in one step per list item. */
  *write(schema: z.core.$ZodType, value: unknown, path: string): Steps<void> {
    if (schema instanceof z.ZodNullable && value !== null) yield* this.write(schema.unwrap(), value, path);
    else if (schema instanceof z.ZodObject && isObject(value)) yield* this.#writeObject(schema, value, path);
    else if (schema instanceof z.ZodArray && Array.isArray(value)) {
      this.#add("[");
      for (const [index, item] of value.entries()) {
        if (index > 0) this.#add(",");
        yield* this.write(schema.element, item, `${path}${index}.`);
        yield;
      }
      this.#add("]");
    } else {
      const parsed: unknown = z.parse(schema, value);
      this.#addDatePaths(parsed, path);
      this.#add(JSON.stringify(parsed));
    }
  }

  *#writeObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: string): Steps<void> {
    // Fast path for small objects, such as most list items.
    if (!hasManyItems(value, 20)) {
      const parsed: unknown = schema.parse(value);
      this.#addDatePaths(parsed, path);
      this.#add(JSON.stringify(parsed));
      return;
    }
    let separator = "{";
    for (const [key, field] of Object.entries(schema.shape)) {
      if (value[key] === undefined && z.parse(field, undefined) === undefined) continue;
      this.#add(`${separator}${JSON.stringify(key)}:`);
      separator = ",";
      yield* this.write(field, value[key], `${path}${key}.`);
    }
    this.#add(separator === "{" ? "{}" : "}");
  }

  #add(text: string): void {
    this.#piece += text;
    if (this.#piece.length < pieceCharacters) return;
    this.#pieces.push(this.#piece);
    this.#piece = "";
  }

  #addDatePaths(value: unknown, path: string): void {
    if (value instanceof Date) this.datePaths.push(path.slice(0, -1));
    else if (typeof value === "object" && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (typeof child === "object") this.#addDatePaths(child, `${path}${escaped(key)}.`);
      }
    }
  }
}

/** Escapes a key for superjson's paths. */
function escaped(key: string): string {
  return key.replaceAll(/[\\.]/g, String.raw`\$&`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
