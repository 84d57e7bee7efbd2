import type { Response } from "express";
import { z } from "zod";
import { inSlices, type Steps } from "../platform/slices.ts";

/** Answers with more items than this are validated and written in slices. */
const manyItems = 500;
const pieceCharacters = 65_536;

/** An answer with many items as JSON text, validated and written in slices. */
export class LargeAnswer {
  /** What REST answers with, in pieces. */
  readonly pieces: readonly string[];
  /** superjson's paths of the moments in it, which tRPC tells besides. */
  readonly moments: readonly string[];

  constructor(pieces: readonly string[], moments: readonly string[]) {
    this.pieces = pieces;
    this.moments = moments;
  }

  /** What libraries write in its place; `sendLarge` sends the text itself. */
  toJSON(): string {
    return "a large answer";
  }
}

/** Lets an output schema pass a `LargeAnswer`, which it has validated already. */
export function passingLarge<S extends z.ZodType>(schema: S): S {
  const parse = schema.parse.bind(schema);
  const pass = (...[value, params]: Parameters<typeof parse>) =>
    value instanceof LargeAnswer ? value : parse(value, params);
  return Object.defineProperty(schema, "parse", { value: pass });
}

/** The answer itself where it has few items; else it is validated and written here, without holding the event loop. */
export async function answerOf<S extends z.ZodType>(schema: S, answer: z.input<S>): Promise<z.input<S>> {
  if (!hasManyItems(answer, manyItems)) return answer;
  const text = new JsonText();
  await inSlices(text.write(schema, answer, ""));
  // tRPC's types know nothing of it; its adapters meet it in `rest.ts` and `app.ts`.
  return new LargeAnswer(text.pieces(), text.moments) as z.input<S>;
}

/** Sends a large answer, as fast as it is read, and ends the response. */
export async function sendLarge(res: Response, { pieces }: LargeAnswer, before = "", after = ""): Promise<void> {
  for (const piece of [before, ...pieces, after]) {
    if (res.destroyed) return;
    if (!res.write(piece)) await drained(res);
  }
  res.end();
}

/** Sends what tRPC would have written, in place of what it writes. */
export function sendLargeOverTrpc(res: Response, large: () => LargeAnswer | undefined): void {
  const [write, end] = [res.write.bind(res), res.end.bind(res)];
  const replaced = {
    write: (...args: Parameters<typeof write>) => (large() ? true : write(...args)),
    end: (...args: Parameters<typeof end>) => {
      Object.assign(res, { write, end });
      const answer = large();
      if (!answer) return end(...args);
      const notes = answer.moments.map((path) => `${JSON.stringify(path)}:["Date"]`).join(",");
      const meta = notes === "" ? "" : `,"meta":{"values":{${notes}},"v":1}`;
      void sendLarge(res, answer, '{"result":{"data":{"json":', `${meta}}}}`);
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

/** JSON text that is written bit by bit. */
class JsonText {
  readonly moments: string[] = [];
  readonly #pieces: string[] = [];
  #piece = "";

  pieces(): string[] {
    return this.#piece === "" ? this.#pieces : [...this.#pieces, this.#piece];
  }

  /** Validates a value and writes what its schema lets through, a step for each item of a list. */
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
      this.#noteMoments(parsed, path);
      this.#add(JSON.stringify(parsed));
    }
  }

  *#writeObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: string): Steps<void> {
    // Small ones by one call: what an item of a list usually is.
    if (!hasManyItems(value, 20)) {
      const parsed: unknown = schema.parse(value);
      this.#noteMoments(parsed, path);
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

  #noteMoments(value: unknown, path: string): void {
    if (value instanceof Date) this.moments.push(path.slice(0, -1));
    else if (typeof value === "object" && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (typeof child === "object") this.#noteMoments(child, `${path}${escaped(key)}.`);
      }
    }
  }
}

/** A key as superjson's paths have it. */
function escaped(key: string): string {
  return key.replaceAll(/[\\.]/g, String.raw`\$&`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
