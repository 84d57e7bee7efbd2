import { readName, WireError } from "../names/wire-names.ts";
import type { RdataField } from "../values/value-rule.ts";

/**
 * One part of a type's RDATA, in text and wire form. `parse` consumes the master-file fields it needs and returns octets; `print` consumes
 * those octets and returns text, empty for none.
 * Both throw a {@link WireError} whose message ends the sentence "The … data is invalid: ".
 */
export interface RdataPart {
  parse(fields: FieldSource): Buffer;
  print(octets: OctetSource): string;
}

/** Reads RDATA fields of a master file in order. */
export class FieldSource {
  /** Completes relative names. Absolute, without a trailing dot; empty for the root. */
  readonly origin: string;
  readonly #fields: readonly RdataField[];
  #next = 0;

  constructor(fields: readonly RdataField[], origin: string) {
    this.#fields = fields;
    this.origin = origin;
  }

  /** Takes the next field. @param what names the field in the error if it is missing */
  take(what: string): RdataField {
    const field = this.#fields[this.#next];
    if (field === undefined) throw new WireError(`the ${what} is missing`);
    this.#next++;
    return field;
  }

  /** Takes a field that must not be quoted. */
  takeWord(what: string): string {
    const field = this.take(what);
    if (field.quoted) throw new WireError(`the ${what} must not be in quotes`);
    return field.raw;
  }

  peek(): RdataField | undefined {
    return this.#fields[this.#next];
  }

  rest(): readonly RdataField[] {
    const left = this.#fields.slice(this.#next);
    this.#next = this.#fields.length;
    return left;
  }

  /** Joins the remaining fields: a blob may contain whitespace. */
  restJoined(what: string): string {
    const left = this.rest();
    if (left.some(({ quoted }) => quoted)) throw new WireError(`the ${what} must not be in quotes`);
    return left.map(({ raw }) => raw).join("");
  }

  finish(): void {
    const field = this.peek();
    if (field) throw new WireError(`"${shortened(field.raw)}" is an extra field`);
  }
}

/** Reads RDATA octets in order. */
export class OctetSource {
  /** Whether a name had capitals. */
  hasCapitals = false;
  readonly #octets: Buffer;
  readonly #folds: boolean;
  #position = 0;

  /** @param folds whether names are printed in lower case */
  constructor(octets: Buffer, folds = false) {
    this.#octets = octets;
    this.#folds = folds;
  }

  get isEmpty(): boolean {
    return this.#position >= this.#octets.length;
  }

  take(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.#octets.length) throw new WireError("it is cut off");
    const taken = this.#octets.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  number(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  /** Reads an uncompressed name and returns it with its trailing dot. */
  name(): string {
    const { name, written, end } = readName(this.#octets, this.#position);
    this.#position = end;
    this.hasCapitals ||= name !== written;
    const shown = this.#folds ? name : written;
    return shown === "." ? shown : `${shown}.`;
  }

  rest(): Buffer {
    return this.take(this.#octets.length - this.#position);
  }

  finish(): void {
    if (!this.isEmpty) throw new WireError("it has extra octets at its end");
  }
}

/** Truncates a field to 40 characters for a message. */
export function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
