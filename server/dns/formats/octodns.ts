import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { shown, type OwnerName } from "../names/names.ts";
import { shortened } from "../rdata/field.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";
import { defaultSplit } from "../values/character-strings.ts";
import { dataFields } from "../zone-file/parse.ts";
import { parseTtl } from "../record.ts";
import type { Field } from "../zone-file/tokens.ts";
import { asciiName, Entries, field } from "./entries.ts";
import type { FormatOptions, FormatReading } from "./format.ts";
import { hostTypes, octodnsShapes, octodnsTypes, textTypes, type Part } from "./octodns-types.ts";
import { yamlEntries, type YamlEntry, type YamlNode } from "./yaml.ts";

type MapNode = Extract<YamlNode, { kind: "map" }>;

/** Reads a zone of octoDNS's YAML provider. */
export function* readOctodns(text: string, options: FormatOptions): Steps<FormatReading> {
  const entries = new Entries(options);
  const names = new Set<string>();
  for (const item of yamlEntries(text)) {
    yield;
    if (!item) continue;
    if (!item.ok) entries.fault(item.line, item.message);
    else if (names.has(item.entry.key)) {
      const message = `The name ${shown(item.entry.key)} is there twice, and octoDNS takes only the last. Put its records into one list.`;
      entries.fault(item.entry.line, message);
    } else {
      names.add(item.entry.key);
      yield* readName(entries, item.entry);
    }
    if (entries.isFull) break;
  }
  return yield* entries.finish();
}

function* readName(entries: Entries, { key, isPlain, line, value }: YamlEntry): Steps<void> {
  if (isPlain) noteTypedKey(entries, line, key);
  if (key === "@") entries.note(line, "The name \"@\" is read as the apex, which octoDNS writes as ''.");
  const { zone } = entries.options;
  if (key === zone || key.endsWith(`.${zone}`)) {
    const message = `${shown(key)} is relative to the zone, so it means ${shown(`${key}.${zone}.`)}. Leave out ${shown(zone)} if you mean the name within it.`;
    entries.note(line, message);
  }
  const owner = entries.owner(line, key === "" ? "@" : key, "relative");
  if (owner === null) return;
  for (const node of value.kind === "list" ? value.items : [value]) {
    yield;
    if (node.kind === "map") yield* readRecord(entries, owner, node);
    else entries.fault(node.line, "A record must be a mapping with `type` and `value` or `values`.");
    if (entries.isFull) return;
  }
}

/** Warns of keys that YAML 1.1, which octoDNS reads, takes for something else than text. */
function noteTypedKey(entries: Entries, line: number, key: string): void {
  const isTyped = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i.test(key);
  const isNumber = /^(?:0[0-7_]+|0[xb][\da-f_]+|[\d_]+\.[\d_]*|\d*_[\d_]*|\d+(?::[0-5]?\d)+)$/i.test(key);
  if (!isTyped && !isNumber) return;
  entries.note(
    line,
    `${shown(key)} is read as a name; without quotes it is ${isTyped ? "no text" : "a number"} to octoDNS.`,
  );
}

function* readRecord(entries: Entries, owner: OwnerName, { line, entries: fields }: MapNode): Steps<void> {
  const given = new Map(fields.map((one) => [one.key, one]));
  const typeText = scalarOf(given.get("type")?.value);
  if (typeText === null) entries.fault(line, "The record has no `type`.");
  const recordType = typeText === null ? null : entries.type(given.get("type")?.line ?? line, typeText);
  if (typeText === null || recordType === null) return;
  if (typeText !== recordType) entries.note(line, `The type ${shown(typeText)} is read as ${recordType}.`);
  else if (!octodnsTypes.has(recordType)) {
    entries.note(line, `octoDNS has no type ${recordType}; the value is read as in a zone file.`);
  }
  const settings = readSettings(entries, given.get("octodns"));
  if (settings.isIgnored) {
    entries.note(line, "A record with `octodns: ignored: true` is left out: octoDNS does not manage it.");
    return;
  }
  for (const { key, line: at } of fields) {
    if (key === "geo" || key === "dynamic") refuseRouting(entries, at, key);
    else if (!knownKeys.has(key)) entries.note(at, `The key ${shortened(key)} is left out.`);
  }
  const ttlEntry = given.get("ttl");
  const hasTtl = ttlEntry !== undefined && !isNothing(ttlEntry.value);
  const ttl = settings.isAutomatic ? automaticTtl(entries, line) : hasTtl ? readTtl(entries, ttlEntry) : null;
  const values = valuesOf(entries, line, given);
  for (const node of values) {
    yield;
    const data = readValue(entries, recordType, node);
    if (!data.ok) entries.fault(node.line, data.message);
    else {
      const { proxied, comment } = settings;
      entries.add({ line: node.line, owner, ttl, recordType, fields: data.value, proxied, comment });
    }
    if (entries.isFull) return;
  }
}

const knownKeys = new Set(["type", "ttl", "value", "values", "octodns"]);

function refuseRouting(entries: Entries, line: number, key: "geo" | "dynamic"): void {
  const what = key === "geo" ? "answers by place (`geo`)" : "answers by rules and pools (`dynamic`)";
  if (entries.options.lenient === true)
    entries.note(line, `The ${what} are left out; the record answers every query alike.`);
  else
    entries.fault(
      line,
      `The record ${what}, which Zonewright does not have. Remove \`${key}\`; its \`value\` remains.`,
    );
}

function valuesOf(entries: Entries, line: number, given: ReadonlyMap<string, YamlEntry>): YamlNode[] {
  const [one, many] = [given.get("value"), given.get("values")];
  const stated = many ?? one;
  if (one && many) entries.fault(many.line, "The record has both `value` and `values`; keep one of them.");
  else if (!stated) entries.fault(line, "The record has neither `value` nor `values`.");
  else if (stated.value.kind !== "list") return [stated.value];
  else if (stated.value.items.length === 0)
    entries.fault(stated.line, "The list of values is empty; remove the record if it is to go.");
  else {
    if (stated === one) entries.note(one.line, "A list in `value` is read as `values`.");
    return stated.value.items;
  }
  return [];
}

interface Settings {
  isIgnored: boolean;
  isAutomatic: boolean;
  proxied: boolean | null;
  comment: string | null;
}

/** Reads what octoDNS's own key says about a record. */
function readSettings(entries: Entries, given: YamlEntry | undefined): Settings {
  const settings: Settings = { isIgnored: false, isAutomatic: false, proxied: null, comment: null };
  if (given?.value.kind !== "map") return settings;
  const leave = (line: number, key: string) =>
    entries.note(line, `octoDNS's setting ${shown(shortened(key))} is left out.`);
  for (const { key, line, value } of given.value.entries) {
    if (key === "ignored") settings.isIgnored = isTrue(value);
    else if (key === "cloudflare" && value.kind === "map") {
      for (const inner of value.entries) {
        if (inner.key === "proxied") settings.proxied = isTrue(inner.value);
        else if (inner.key === "auto-ttl") settings.isAutomatic = isTrue(inner.value);
        else if (inner.key === "comment") settings.comment = scalarOf(inner.value);
        else leave(inner.line, `cloudflare.${inner.key}`);
      }
    } else if (key !== "lenient") leave(line, key);
  }
  return settings;
}

function isTrue(node: YamlNode): boolean {
  return node.kind === "scalar" && /^(?:true|yes|on|y)$/i.test(node.text);
}

function automaticTtl(entries: Entries, line: number): number {
  const { automaticTtl: automatic, defaultTtl = 3600 } = entries.options;
  if (automatic === undefined) entries.note(line, `The automatic TTL of Cloudflare is read as ${defaultTtl}.`);
  return automatic ?? defaultTtl;
}

function readTtl(entries: Entries, { line, value }: YamlEntry): number | null {
  const text = scalarOf(value) ?? "";
  const ttl = entries.or(line, parseTtl(text));
  if (ttl !== null && !/^\d+$/.test(text))
    entries.note(line, `The TTL ${text} is read as ${ttl}; octoDNS takes only seconds.`);
  return ttl;
}

function isNothing(node: YamlNode): boolean {
  return node.kind === "scalar" && node.isPlain && node.text === "";
}

function scalarOf(node: YamlNode | undefined): string | null {
  return node?.kind === "scalar" && node.text !== "" ? node.text : null;
}

/** Returns a value as fields of RDATA. */
function readValue(entries: Entries, recordType: string, node: YamlNode): Result<Field[]> {
  const shape = octodnsShapes.get(recordType);
  if (node.kind === "map") {
    if (shape) return readParts(entries, recordType, shape, node);
    return refuse(`A value of ${recordType} must be text, not a mapping.`);
  }
  if (node.kind === "list") return refuse("A value must not be a list of its own.");
  const { line, text } = node;
  if (textTypes.has(recordType)) return isNothing(node) ? missing : readText(entries, line, text);
  if (text === "") return missing;
  if (hostTypes.has(recordType)) return single(readHostField(entries, line, text));
  return dataFields(text);
}

const missing = refuse("The value is missing.");

function single(one: Result<Field>): Result<Field[]> {
  return one.ok ? ok([one.value]) : one;
}

function readHostField(entries: Entries, line: number, text: string): Result<Field> {
  const name = asciiName(text);
  if (!name.ok) return name;
  if (name.value.endsWith(".")) return ok(field(name.value, line));
  entries.note(line, `${shown(text)} has no final dot and is read as the full name.`);
  return ok(field(`${name.value}.`, line));
}

function readParts(entries: Entries, recordType: string, shape: readonly Part[], given: MapNode): Result<Field[]> {
  const parts = new Map(given.entries.map((one) => [one.key, one]));
  const renamed = recordType === "DS" && (parts.has("public_key") || parts.has("flags"));
  if (renamed) entries.note(given.line, "The former keys of DS are read by their former meaning.");
  const used = new Set<string>();
  const fields: Field[] = [];
  for (const part of shape) {
    const keys = renamed && part.former !== undefined ? [part.former] : [part.key, ...(part.aliases ?? [])];
    const key = keys.find((one) => parts.has(one));
    const node = key === undefined ? undefined : parts.get(key)?.value;
    if (key !== undefined) used.add(key);
    if (part.form === "parameters") {
      const read = node === undefined ? ok([]) : readParameters(node);
      if (!read.ok) return read;
      fields.push(...read.value);
      continue;
    }
    const text = node?.kind === "scalar" ? node.text : (part.absent ?? null);
    if (text === null || (text === "" && part.form !== "text")) {
      return refuse(`A value of ${recordType} must have \`${part.key}\`; its keys are ${namesOf(shape)}.`);
    }
    const read = readPart(entries, part, text, node?.line ?? given.line);
    if (!read.ok) return read;
    fields.push(read.value);
  }
  const other = given.entries.find(({ key }) => !used.has(key));
  return other === undefined
    ? ok(fields)
    : refuse(`A value of ${recordType} has no \`${shortened(other.key)}\`; its keys are ${namesOf(shape)}.`);
}

function namesOf(shape: readonly Part[]): string {
  return shape.map(({ key }) => `\`${key}\``).join(", ");
}

function readPart(entries: Entries, { form, key, unit = "" }: Part, text: string, line: number): Result<Field> {
  if (form === "name") return readHostField(entries, line, text);
  if (form === "text") return ok(field(quotable(text.replaceAll(String.raw`\;`, ";")), line, true));
  if (/[\s"();]/.test(text)) return refuse(`\`${key}\` must be one word or number, not ${shown(text)}.`);
  return ok(field(`${text}${unit}`, line));
}

/** Returns text with its escapes as it stands in quotes. */
function quotable(text: string): string {
  return text.replaceAll(/\\(?:\d{3}|[^])|[^ !#-[\]-~]/gu, (part) =>
    part.length > 1 && part.startsWith("\\") ? part : escapeOctets(Buffer.from(part), '"\\'),
  );
}

function readParameters(node: YamlNode): Result<Field[]> {
  if (node.kind === "scalar" && node.text === "") return ok([]);
  if (node.kind !== "map") return refuse("`svcparams` must be a mapping, such as `alpn: [h2, h3]`.");
  const fields: Field[] = [];
  for (const { key, line, value } of node.entries) {
    if (!/^[a-z0-9-]+$/i.test(key)) return refuse(`${shown(key)} is not a service parameter.`);
    if (value.kind === "map") return refuse(`The service parameter ${key} must be text or a list.`);
    const items = value.kind === "list" ? value.items : [value];
    const texts = items.map((item) => (item.kind === "scalar" ? item.text : null));
    if (!texts.every((text) => text !== null))
      return refuse(`The service parameter ${key} must be text or a list of texts.`);
    const text = texts.join(",");
    const isBare = /^(?:[!#-'*-:<-[\]-~]|\\[!-~])*$/.test(text);
    fields.push(field(text === "" ? key : isBare ? `${key}=${text}` : `${key}="${quotable(text)}"`, line));
  }
  return ok(fields);
}

/**
 * Reads a text. octoDNS's texts have `\;` for a semicolon, and otherwise the escapes of zone files. In quotes, they are the strings of the
 * record.
 */
function readText(entries: Entries, line: number, text: string): Result<Field[]> {
  if (text.startsWith('"')) {
    const strings = dataFields(text);
    if (!strings.ok) return strings;
    if (!strings.value.every(({ quoted }) => quoted))
      return refuse("A text that begins with a quote must have all of it in quotes.");
    return strings;
  }
  if (/(?:^|[^\\]);/.test(text)) entries.note(line, String.raw`A ; that is not written as \; is read as it stands.`);
  if (/(?:^|[^\\])(?:\\\\)*\\[^\d\\";]/.test(text))
    entries.note(line, "A backslash in a text is read as an escape, as in a zone file.");
  const octets = unescapeOctets(text);
  if (octets === null)
    return refuse(String.raw`The text has a wrong escape; write a backslash as \\ and an octet as \ddd.`);
  return ok(defaultSplit(octets).map((part) => field(escapeOctets(part, '"\\'), line, true)));
}
