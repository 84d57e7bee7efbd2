import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { WireError } from "../names/wire-names.ts";
import { splitStrings } from "../values/character-strings.ts";
import type { RdataField } from "../values/value-rule.ts";
import type { RdataPart } from "./field.ts";

/** One character-string (RFC 1035 §3.3), printed in quotes. `fault` returns what is wrong with its octets, or null. */
export function string(what: string, fault: (text: string) => string | null = () => null): RdataPart {
  return {
    parse(fields) {
      const octets = characterString(fields.take(what));
      const reason = fault(octets.toString("latin1", 1));
      if (reason !== null) throw new WireError(reason);
      return octets;
    },
    print(octets) {
      const content = octets.take(octets.number(1));
      const reason = fault(content.toString("latin1"));
      if (reason !== null) throw new WireError(reason);
      return quoted(content);
    },
  };
}

/** An optional character-string at the end of the data (the sub-address of ISDN, RFC 1183 §3.2). */
export function optionalString(what: string): RdataPart {
  const one = string(what);
  return {
    parse: (fields) => (fields.peek() ? one.parse(fields) : Buffer.alloc(0)),
    print: (octets) => (octets.isEmpty ? "" : one.print(octets)),
  };
}

/** One or more character-strings up to the end. */
export const strings: RdataPart = {
  parse(fields) {
    const all = fields.rest();
    if (all.length === 0) throw new WireError("the text is missing");
    return Buffer.concat(all.map(characterString));
  },
  print(octets) {
    const all = splitStrings(octets.rest());
    if (all === null || all.length === 0) throw new WireError("its text is cut off");
    return all.map(quoted).join(" ");
  },
};

/** One text up to the end of the data, without a length octet (RFC 7553 §4.4), printed in quotes. */
export function text(what: string): RdataPart {
  return {
    parse: (fields) => octetsOf(fields.take(what)),
    print: (octets) => quoted(octets.rest()),
  };
}

/** A character-string of letters and digits, written without quotes (RFC 8659 §4.1). */
export const tag: RdataPart = {
  parse(fields) {
    return characterString({ raw: checkedTag(fields.takeWord("tag")), quoted: false });
  },
  print(octets) {
    return checkedTag(octets.take(octets.number(1)).toString("latin1"));
  },
};

function checkedTag(tagText: string): string {
  if (/^[a-z\d]{1,255}$/i.test(tagText)) return tagText.toLowerCase();
  throw new WireError("the tag must contain only letters and digits");
}

/** Returns what is wrong with a NAPTR substitution expression (RFC 3402 §3.2), `!regular expression!replacement!flags`, or null. */
export function substitutionFault(expression: string): string | null {
  if (expression === "") return null;
  const delimiter = expression.charAt(0);
  const fault = "the regular expression must have the form !expression!replacement! or be empty";
  if (/[\d\\i\0]/.test(delimiter)) return fault;
  const parts = splitAtDelimiter(expression.slice(1), delimiter);
  const [pattern, replacement, flags] = parts;
  if (parts.length !== 3 || pattern === undefined || replacement === undefined) return fault;
  if (flags !== "" && flags !== "i") return "the regular expression has a flag other than i";
  const groups = (pattern.replaceAll(/\\[^]|\[\^?\]?[^\]]*(?:\]|$)/g, "").match(/\(/g) ?? []).length;
  const highest = Math.max(0, ...[...replacement.matchAll(/\\(\d)/g)].map(([, digit]) => Number(digit)));
  return highest > groups ? `the regular expression has no group ${highest}` : null;
}

/** Splits at unescaped delimiters. */
function splitAtDelimiter(expression: string, delimiter: string): string[] {
  const parts = [""];
  for (let position = 0; position < expression.length; position++) {
    const character = expression.charAt(position);
    if (character === delimiter) {
      parts.push("");
      continue;
    }
    const taken = character === "\\" ? expression.slice(position, position + 2) : character;
    parts[parts.length - 1] += taken;
    position += taken.length - 1;
  }
  return parts;
}

/** A PSDN address has at least four digits (RFC 1183 §3.1). */
export function psdnFault(address: string): string | null {
  return /^\d{4,}$/.test(address) ? null : "the PSDN address must be four digits or more";
}

function characterString(field: RdataField): Buffer {
  const octets = octetsOf(field);
  if (octets.length > 255) throw new WireError("a text is longer than 255 octets");
  return Buffer.concat([Buffer.of(octets.length), octets]);
}

function octetsOf({ raw }: RdataField): Buffer {
  const octets = unescapeOctets(raw);
  if (octets === null) throw new WireError("it has an invalid escape; decimal escapes go from \\000 to \\255");
  return octets;
}

function quoted(octets: Uint8Array): string {
  return `"${escapeOctets(octets, '"\\')}"`;
}
