import { WireError } from "../names/wire-names.ts";
import { canonicalType, typeName, typeNumber } from "../zone-file/type-names.ts";
import { shortened, type RdataPart } from "./field.ts";
import { octetsOf } from "./numbers.ts";

/** A record type, such as the type covered by a signature (RFC 4034 §3.2). */
export const coveredType: RdataPart = {
  parse: (fields) => octetsOf(numberOf(fields.takeWord("covered type")), 2),
  print: (octets) => typeName(octets.number(2)),
};

/** A type bit map (RFC 4034 §4.1.2), printed in order of type number. */
export function typeSet(mayBeEmpty: boolean): RdataPart {
  return {
    parse(fields) {
      const numbers = [...new Set(fields.rest().map(({ raw }) => numberOf(raw)))].toSorted((one, other) => one - other);
      if (numbers.length === 0 && !mayBeEmpty) throw new WireError("it lists no type");
      const windows = [...Map.groupBy(numbers, (number) => number >> 8)];
      return Buffer.concat(windows.flatMap(([window, within]) => windowOf(window, within)));
    },
    print(octets) {
      const names: string[] = [];
      let before = -1;
      while (!octets.isEmpty) {
        const window = octets.number(1);
        const bits = octets.take(octets.number(1));
        if (window <= before || bits.length === 0 || bits.length > 32 || bits.at(-1) === 0) {
          throw new WireError("its type bit map is malformed");
        }
        before = window;
        names.push(...bitsOf(bits).map((bit) => typeName(window * 256 + bit)));
      }
      if (names.length === 0 && !mayBeEmpty) throw new WireError("it lists no type");
      return names.join(" ");
    },
  };
}

/** The type bit map of NXT (RFC 2535 §5.2), which covers only types below 128. */
export const oldTypeSet: RdataPart = {
  parse(fields) {
    const numbers = fields.rest().map(({ raw }) => numberOf(raw));
    if (numbers.length === 0) throw new WireError("it lists no type");
    if (numbers.some((number) => number > 127)) throw new WireError("it lists a type above 127");
    return bitsFor(numbers);
  },
  print(octets) {
    const bits = octets.rest();
    if (bits.length === 0 || bits.length > 16 || bits.at(-1) === 0)
      throw new WireError("its type bit map is malformed");
    return bitsOf(bits).map(typeName).join(" ");
  },
};

function windowOf(window: number, numbers: readonly number[]): Buffer[] {
  const bits = bitsFor(numbers.map((number) => number & 255));
  return [Buffer.of(window, bits.length), bits];
}

/** Avoids spreading, because a line may list more types than a call takes arguments. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

export function bitsFor(numbers: readonly number[]): Buffer {
  const bits = Buffer.alloc((largest(numbers) >> 3) + 1);
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] ?? 0) | (0x80 >> (number & 7));
  return bits;
}

export function bitsOf(bits: Buffer): number[] {
  return Array.from({ length: bits.length * 8 }, (_, bit) => bit).filter(
    (bit) => ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0,
  );
}

function numberOf(raw: string): number {
  // No record has type 0, but a SIG that signs a message covers it (RFC 2931 §3).
  if (/^type0$/i.test(raw)) return 0;
  const type = canonicalType(raw);
  const number = type === null ? null : typeNumber(type);
  if (number === null) throw new WireError(`"${shortened(raw)}" is not a known record type`);
  return number;
}
