import { escapeOctets } from "../names/escapes.ts";
import { printRdata } from "../record-types.ts";
import { nameOf, ttlKey } from "../record.ts";
import { mapped, sorted, type Steps } from "../../platform/slices.ts";
import { defaultSplit } from "../values/character-strings.ts";
import { isPlaceholder } from "../zone-file/contents.ts";
import { dataFields } from "../zone-file/parse.ts";
import { joinParameters, type Field } from "../zone-file/tokens.ts";
import { inOrder } from "../zone-file/write.ts";
import { octodnsShapes, octodnsTypes, textTypes, type Part } from "./octodns-types.ts";
import { cloudflareAutomatic } from "./dialects.ts";
import { inPieces, remark, stringsOf, type FormatContent, type WrittenRecord } from "./format.ts";

/** Writes a zone for octoDNS's YAML provider, keys in the order that octoDNS wants. Types that it does not have become comments. */
export function* writeOctodns({ zone, records }: FormatContent): Steps<string[]> {
  const names = new Map<string, Map<string, WrittenRecord[]>>();
  const remarks: string[] = [];
  for (const record of yield* inOrder(records)) {
    yield;
    if (isPlaceholder(record)) continue;
    if (!isWritten(record)) {
      remarks.push(remark(record));
      continue;
    }
    const sets = names.get(record.name) ?? new Map<string, WrittenRecord[]>();
    const key = `${ttlKey(record)} ${record.ttl}`;
    const set = sets.get(key);
    if (set) set.push(record);
    else sets.set(key, [record]);
    names.set(record.name, sets);
  }
  const keyed = yield* mapped(names, ([name, sets]) => ({ key: orderKey(name), sets: [...sets.values()] }));
  const ordered = yield* sorted(keyed, (one, other) => compare(one.key, other.key));
  return yield* inPieces(lines(zone, ordered, remarks));
}

function* lines(
  zone: string,
  names: readonly { sets: readonly (readonly WrittenRecord[])[] }[],
  remarks: readonly string[],
): Generator<string, void> {
  yield `# Zone ${zone}, written by Zonewright.`;
  if (remarks.length > 0) yield "# octoDNS has no record for these:";
  for (const one of remarks) yield `# ${one}`;
  yield "---";
  if (names.length === 0) yield "{}";
  for (const { sets } of names) {
    const [first] = sets[0] ?? [];
    if (!first) continue;
    const name = nameOf(first);
    yield `${name === "@" ? "''" : scalar(name)}:`;
    for (const set of sets) {
      const inner = setLines(set);
      if (sets.length === 1) for (const line of inner) yield `  ${line}`;
      else for (const [index, line] of inner.entries()) yield `${index === 0 ? "- " : "  "}${line}`;
    }
  }
}

function isWritten(record: WrittenRecord): boolean {
  return (record.status ?? "active") === "active" && octodnsTypes.has(record.recordType) && valueOf(record) !== null;
}

function setLines(set: readonly WrittenRecord[]): string[] {
  const [first] = set;
  if (!first) return [];
  const { recordType, ttl, proxied } = first;
  const automatic = ttl === cloudflareAutomatic ? ["    auto-ttl: true"] : [];
  const head = [
    ...(proxied ? ["octodns:", "  cloudflare:", ...automatic, "    proxied: true"] : []),
    `ttl: ${ttl}`,
    `type: ${recordType}`,
  ];
  const values = set.flatMap((record) => valueOf(record) ?? []);
  const [only] = values;
  if (only === undefined || values.length > 1) return [...head, "values:", ...values.flatMap(asItem)];
  return typeof only === "string"
    ? [...head, `value: ${only}`]
    : [...head, "value:", ...only.map((line) => `  ${line}`)];
}

function asItem(value: Value): string[] {
  const lines = typeof value === "string" ? [value] : value;
  return lines.map((line, index) => `${index === 0 ? "- " : "  "}${line}`);
}

/** A scalar, or the lines of a mapping. */
type Value = string | string[];

/** Returns the value of a record; null if octoDNS's form cannot hold it. */
function valueOf(record: WrittenRecord): [Value] | null {
  const { recordType } = record;
  if (textTypes.has(recordType)) {
    const text = textOf(record);
    return text === null ? null : [scalar(text)];
  }
  const read = dataFields(printRdata(record));
  if (!read.ok) return null;
  const fields = joinParameters(recordType, read.value);
  const shape = fields[0]?.raw === String.raw`\#` ? undefined : octodnsShapes.get(recordType);
  const lines = shape && mappingLines(shape, fields);
  // Data that the type's mapping cannot hold is written as in a zone file, which only Zonewright reads.
  return [lines ?? scalar(fields.map(({ raw, quoted }) => (quoted ? `"${raw}"` : raw)).join(" "))];
}

/** Returns the lines of a mapping, its keys in alphabetical order, which octoDNS wants. */
function mappingLines(shape: readonly Part[], fields: readonly Field[]): string[] | null {
  const parts: { key: string; lines: string[] }[] = [];
  for (const [index, part] of shape.entries()) {
    if (part.form === "parameters") {
      const lines = parameterLines(fields.slice(index));
      if (lines.length > 0) parts.push({ key: part.key, lines: [`${part.key}:`, ...lines.map((line) => `  ${line}`)] });
      continue;
    }
    const raw = fields[index]?.raw;
    if (raw === undefined) return null;
    parts.push({ key: part.key, lines: [`${part.key}: ${partText(part, raw)}`] });
  }
  const hasRest = shape.at(-1)?.form === "parameters";
  if (!hasRest && fields.length !== shape.length) return null;
  return parts.toSorted((one, other) => compare(one.key, other.key)).flatMap(({ lines }) => lines);
}

function partText({ form, unit = "" }: Part, raw: string): string {
  if (form === "text") return scalar(withoutQuoteEscapes(raw));
  if (form === "number" && /^-?\d+(?:\.\d+)?$/.test(raw.slice(0, raw.length - unit.length))) {
    return raw.slice(0, raw.length - unit.length);
  }
  return scalar(raw);
}

/** The parameters that octoDNS takes as lists. */
const listParameters = new Set(["alpn", "ipv4hint", "ipv6hint", "mandatory"]);

function parameterLines(fields: readonly Field[]): string[] {
  return fields
    .map(({ raw }) => {
      const [, key = "", quoted, bare] = /^([^=]+)(?:="(.*)"|=(.*))?$/s.exec(raw) ?? [];
      const text = quoted ?? bare;
      if (text === undefined) return { key, line: `${key}:` };
      const isList = listParameters.has(key) && !text.includes("\\");
      return { key, line: `${key}: ${isList ? `[${text.split(",").map(scalar).join(", ")}]` : scalar(text)}` };
    })
    .toSorted((one, other) => compare(one.key, other.key))
    .map(({ line }) => line);
}

/** Returns a text as octoDNS has it; null if it is not text at all. */
function textOf(record: WrittenRecord): string | null {
  const parts = stringsOf(record);
  if (parts === null) return null;
  const raws = parts.map((part) => escapeOctets(part, '"\\;'));
  const octets = Buffer.concat(parts);
  const byDefault = defaultSplit(octets);
  const isDefault =
    byDefault.length === parts.length && byDefault.every(({ length }, index) => length === parts[index]?.length);
  if (!isDefault) return raws.map((raw) => `"${raw}"`).join(" ");
  const text = raws.join("");
  const plain = withoutQuoteEscapes(text);
  return plain.startsWith('"') || plain.includes('" "') ? text : plain;
}

function withoutQuoteEscapes(raw: string): string {
  return raw.replaceAll(/\\(?:\d{3}|[^])/g, (escape) => (escape === String.raw`\"` ? '"' : escape));
}

/** Returns the key by which octoDNS orders names: as text, with numbers by their value. */
function orderKey(name: string): string {
  return name === "@" ? "" : name.replaceAll(/\d+/g, (digits) => digits.padStart(32, "0"));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** What YAML 1.1 takes for something else than text. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Returns text, all of it printable ASCII, as a scalar on one line. */
function scalar(text: string): string {
  const isPlain = (/^[A-Za-z_][\w.-]*$/.test(text) && !notText.test(text)) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}
