import { ownerWithin, readHost, type OwnerName } from "../names/names.ts";
import { shortened } from "../rdata/field.ts";
import { refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";
import { dataFields } from "../zone-file/parse.ts";
import type { Field } from "../zone-file/tokens.ts";
import { hasFields, textOf } from "./cloudflare-fields.ts";
import { Entries, fieldsOfValue } from "./entries.ts";
import type { FormatOptions, FormatReading } from "./format.ts";
import { readBlocks, type HclBlock, type HclValue } from "./hcl.ts";

/** A resource with records. */
interface Resource {
  /** The attribute that says in which zone the records are. */
  zone: string;
  /** The attributes with values; the first that is there counts. */
  values: readonly string[];
  /** Attributes and blocks that say how to answer, which Zonewright does not do. */
  routing: readonly string[];
  /** Attributes that say nothing about the records. */
  silent: readonly string[];
}

const resources: Readonly<Record<string, Resource>> = {
  aws_route53_record: {
    zone: "zone_id",
    values: ["records"],
    routing: [
      "alias",
      "set_identifier",
      "health_check_id",
      "multivalue_answer_routing_policy",
      "cidr_routing_policy",
      "failover_routing_policy",
      "geolocation_routing_policy",
      "geoproximity_routing_policy",
      "latency_routing_policy",
      "weighted_routing_policy",
    ],
    silent: ["allow_overwrite"],
  },
  cloudflare_dns_record: { zone: "zone_id", values: ["content", "value", "data"], routing: [], silent: [] },
  cloudflare_record: {
    zone: "zone_id",
    values: ["content", "value", "data"],
    routing: [],
    silent: ["allow_overwrite"],
  },
  google_dns_record_set: {
    zone: "managed_zone",
    values: ["rrdatas"],
    routing: ["routing_policy"],
    silent: ["project"],
  },
  powerdns_record: { zone: "zone", values: ["records"], routing: [], silent: [] },
};

/** The attribute of a resource that has a zone's name. */
const zoneNames: Readonly<Record<string, readonly string[]>> = {
  aws_route53_zone: ["name"],
  cloudflare_zone: ["name", "zone"],
  google_dns_managed_zone: ["dns_name"],
  powerdns_zone: ["name"],
};

const everyBlock = new Set([
  "provider",
  "depends_on",
  "lifecycle",
  "timeouts",
  "type",
  "name",
  "ttl",
  "priority",
  "proxied",
  "comment",
]);

/** The zones that a text declares, by reference and by Google's own name. */
type Zones = ReadonlyMap<string, string>;

/** Reads the records of one zone from Terraform's language. Only literal values are read; a resource with others is refused by its line. */
export function* readTerraform(text: string, options: FormatOptions): Steps<FormatReading> {
  const entries = new Entries(options);
  const items = yield* readBlocks(
    text,
    (type, [resource = ""]) =>
      type === "module" || type === "resource" || (type === "data" && Object.hasOwn(zoneNames, resource)),
  );
  const blocks: HclBlock[] = [];
  for (const item of items) {
    if (item.ok) blocks.push(item.block);
    else entries.fault(item.line, item.message);
  }
  const reading = {
    entries,
    zones: zonesOf(blocks),
    unknown: new Map<string, number>(),
    others: new Set<string>(),
    count: 0,
  };
  for (const block of blocks) {
    yield;
    readBlock(reading, block);
    if (entries.isFull) break;
  }
  const [first, second] = reading.unknown;
  const declared = new Set(reading.zones.values()).size;
  // A text of several zones is read once for each: a record without a zone would be in all of them.
  const unclear = declared > 1 ? first : second;
  if (unclear) {
    const why = declared > 1 ? "the text has several zones" : "several zones are given by references";
    const message = `Which zone this record is in is unclear: ${why}. End the names of the records in their zone's name.`;
    entries.fault(unclear[1], message);
  }
  if (reading.count === 0 && reading.others.size > 0) {
    const [zone = ""] = reading.others;
    entries.fault(1, `The file has no records of ${options.zone}; its records are in ${zone}.`);
  }
  return yield* entries.finish();
}

/**
 * Returns the names of the zones that a text declares or names, in order.
 * @param isAsked whether a block that begins at a line counts; others only say which zones references mean
 */
export function* terraformZones(text: string, isAsked: (line: number) => boolean = () => true): Steps<string[]> {
  const items = yield* readBlocks(text, (type, [resource = ""]) =>
    Object.hasOwn(zoneNames, resource)
      ? type === "resource" || type === "data"
      : type === "resource" && Object.hasOwn(resources, resource),
  );
  const blocks = items.flatMap((item) => (item.ok ? [item.block] : []));
  const zones = zonesOf(blocks);
  // A zone that is only looked up is the text's if its records are.
  const asked = blocks.filter(({ line }) => isAsked(line));
  const own = asked.flatMap(({ type, labels: [kind = ""], attributes }) => {
    const resource = type === "resource" ? resources[kind] : undefined;
    return resource ? [zoneOf({ zones }, attributes.get(resource.zone))] : [];
  });
  const declared = zonesOf(asked.filter(({ type }) => type === "resource")).values();
  return [...new Set([...declared, ...own.filter((zone) => zone !== null)])];
}

function zonesOf(blocks: readonly HclBlock[]): Zones {
  const zones = new Map<string, string>();
  for (const { type, labels, attributes } of blocks) {
    const [resource = "", label = ""] = labels;
    const zone = (zoneNames[resource] ?? []).map((key) => zoneText(attributes.get(key))).find((name) => name !== null);
    if (zone === undefined || zone === null) continue;
    zones.set(`${type === "data" ? "data." : ""}${resource}.${label}`, zone);
    const own = resource === "google_dns_managed_zone" ? stringOf(attributes.get("name")) : null;
    if (own !== null) zones.set(own, zone);
  }
  return zones;
}

function zoneText(value: HclValue | undefined): string | null {
  const host = readHost(stringOf(value) ?? "", "");
  return host.ok && host.value !== "." ? host.value : null;
}

function stringOf(value: HclValue | undefined): string | null {
  return value?.kind === "string" ? value.text : null;
}

interface Reading {
  entries: Entries;
  zones: Zones;
  /** Zones that are given by references elsewhere, with the first line of each. */
  unknown: Map<string, number>;
  /** Zones other than the one that is read. */
  others: Set<string>;
  count: number;
}

function readBlock(reading: Reading, block: HclBlock): void {
  const { entries } = reading;
  const { line, type, labels, attributes, blocks } = block;
  const [kind = ""] = labels;
  if (type === "module") return entries.note(line, "A module is left out; it may have records of its own.");
  const resource = resources[kind];
  if (!resource) {
    if (type === "resource" && !Object.hasOwn(zoneNames, kind))
      entries.note(line, `Resources of type ${shortened(kind)} are left out.`);
    return;
  }
  const where = zoneOf(reading, attributes.get(resource.zone));
  if (where !== null && where !== entries.options.zone) {
    reading.others.add(where);
    return entries.note(line, `Records of other zones, such as ${where}, are left out.`);
  }
  reading.count++;
  const inner = blocks.map((one) => ({ key: one.type, line: one.line }));
  for (const { key, line: at } of [
    ...[...attributes].map(([name, { line: of }]) => ({ key: name, line: of })),
    ...inner,
  ]) {
    const isKnown =
      everyBlock.has(key) || key === resource.zone || resource.values.includes(key) || resource.silent.includes(key);
    if (key === "count" || key === "for_each" || key === "dynamic") {
      return entries.fault(
        at,
        `\`${key}\` makes several records of one block, which is not literal. Write a block for each record.`,
      );
    }
    if (resource.routing.includes(key)) {
      if (entries.options.lenient !== true || key === "alias") {
        return entries.fault(
          at,
          `\`${key}\` says how the vendor answers, which Zonewright does not do. Remove the record from the file, or write its records.`,
        );
      }
      entries.note(at, `\`${key}\` is left out; the record answers every query alike.`);
    } else if (!isKnown) entries.note(at, `\`${shortened(key)}\` is left out.`);
  }
  readRecords(reading, block, kind, where !== null);
}

/** Returns the zone that a record is in; null if that is known only elsewhere. */
function zoneOf({ zones }: { zones: Zones }, value: HclValue | undefined): string | null {
  if (!value) return null;
  const text = "text" in value ? value.text : "";
  const path = text.replace(/\.(?:id|zone_id|name|zone|dns_name)$/, "");
  const declared = value.kind === "reference" ? zones.get(path) : zones.get(text);
  if (declared !== undefined) return declared;
  return value.kind === "string" && text.includes(".") ? zoneText(value) : null;
}

function readRecords(reading: Reading, block: HclBlock, kind: string, isZoneKnown: boolean): void {
  const { entries } = reading;
  const resource = resources[kind];
  if (!resource) return;
  const { line, attributes } = block;
  const literal = (key: string): string | null => {
    const value = attributes.get(key);
    if (value === undefined || (value.kind === "word" && value.text === "null")) return null;
    if (value.kind === "string" || value.kind === "word") return value.text;
    entries.fault(value.line, notLiteral(key, value));
    return null;
  };
  const before = { name: attributes.has("name"), type: attributes.has("type") };
  const [nameText, typeText] = [literal("name"), literal("type")];
  if (!before.name || !before.type) entries.fault(line, `The resource has no \`${before.name ? "type" : "name"}\`.`);
  const recordType = typeText === null ? null : entries.type(attributes.get("type")?.line ?? line, typeText);
  const isCloudflare = kind.startsWith("cloudflare_");
  const written = nameText !== null && kind === "aws_route53_record" ? fromOctal(nameText, () => {}) : nameText;
  const owner =
    written === null ? null : readOwner(reading, block, written, isCloudflare, isZoneKnown ? null : resource.zone);
  const ttl = readTtl(entries, literal("ttl"), attributes.get("ttl")?.line ?? line, isCloudflare);
  const proxied = isCloudflare && attributes.has("proxied") ? literal("proxied") === "true" : null;
  const comment = isCloudflare ? literal("comment") : null;
  const values = valuesOf(entries, block, resource);
  if (owner === null || recordType === null) return;
  for (const value of values) {
    const fields = isCloudflare
      ? cloudflareFields(entries, recordType, value, literal("priority"))
      : listedFields(entries, recordType, value, kind);
    if (fields.ok) entries.add({ line: value.line, owner, ttl, recordType, fields: fields.value, proxied, comment });
    else entries.fault(value.line, fields.message);
  }
}

function notLiteral(key: string, value: HclValue): string {
  const text = value.kind === "reference" || value.kind === "other" ? `${value.text} is` : "this is";
  return `\`${key}\` must be a literal value, and ${text} not. Write the value itself.`;
}

/** @param zoneKey the attribute that should say which zone it is, but does not; null if the zone is known */
function readOwner(
  { entries, unknown }: Reading,
  { attributes, blocks, line }: HclBlock,
  text: string,
  isCloudflare: boolean,
  zoneKey: string | null,
): OwnerName | null {
  const { zone } = entries.options;
  const data = blocks.find(({ type }) => type === "data")?.attributes;
  const labels = [stringOf(data?.get("service")), stringOf(data?.get("proto"))];
  const isService = isCloudflare && labels.every((label) => label !== null) && !text.startsWith("_");
  const name = isService ? [...labels, text].join(".") : text;
  const host = readHost(name.replace(/\.$/, ""), "");
  const isFull = name.endsWith(".") || (host.ok && ownerWithin(host.value, zone) !== null);
  if (zoneKey !== null && !isFull) {
    const place = attributes.get(zoneKey);
    const given = place && "text" in place ? place.text : "";
    if (!unknown.has(given)) unknown.set(given, line);
    entries.note(line, `\`${zoneKey}\` does not say which zone it is; names without one are read as names of ${zone}.`);
  }
  // A full name of the zone is surely meant, whatever its characters.
  return entries.owner(attributes.get("name")?.line ?? line, name || "@", isFull ? "full" : "either");
}

/** Cloudflare's automatic TTL. */
const automatic = "1";

function readTtl(entries: Entries, text: string | null, line: number, isCloudflare: boolean): number | null {
  const { automaticTtl, defaultTtl = 3600 } = entries.options;
  if (isCloudflare && (text === automatic || text === null)) {
    if (automaticTtl === undefined) entries.note(line, `The automatic TTL of Cloudflare is read as ${defaultTtl}.`);
    return automaticTtl ?? defaultTtl;
  }
  if (text === null || (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31)) return text === null ? null : Number(text);
  entries.fault(line, "`ttl` must be a number of seconds.");
  return null;
}

function valuesOf(entries: Entries, { line, attributes, blocks }: HclBlock, { values }: Resource): HclValue[] {
  const key = values.find((one) => attributes.has(one));
  const value = key === undefined ? undefined : attributes.get(key);
  const block = values.includes("data") ? blocks.find(({ type }) => type === "data") : undefined;
  if (value && value.kind !== "list") return [value];
  if (value?.kind === "list" && value.items.length > 0) return value.items;
  if (block) return [{ line: block.line, kind: "object", fields: block.attributes }];
  entries.fault(line, `The resource has no \`${values[0] ?? "records"}\`.`);
  return [];
}

/** Reads a value of a list, which is as in a zone file; names are full with or without the final dot. */
function listedFields(entries: Entries, recordType: string, value: HclValue, kind: string): Result<Field[]> {
  if (value.kind !== "string") return refuse(notLiteral(resources[kind]?.values[0] ?? "records", value));
  const isText = recordType === "TXT" || recordType === "SPF";
  if (kind !== "aws_route53_record") return dataFields(value.text);
  const text = fromOctal(value.text, () =>
    entries.note(value.line, "An escape of three digits that is not octal is read as decimal."),
  );
  // The provider puts the quotes around a text, and people write those between its strings.
  return dataFields(isText && !/^".*"$/s.test(text) ? `"${text}"` : text);
}

/** Route 53 writes escapes in octal. */
function fromOctal(text: string, decimal: () => void): string {
  return text.replaceAll(/\\(\d{3})|\\[^]/g, (escape, digits?: string) => {
    if (digits === undefined) return escape;
    if (/^[0-3][0-7]{2}$/.test(digits)) return `\\${String(Number.parseInt(digits, 8)).padStart(3, "0")}`;
    decimal();
    return escape;
  });
}

function cloudflareFields(
  entries: Entries,
  recordType: string,
  value: HclValue,
  priority: string | null,
): Result<Field[]> {
  if (value.kind === "object") {
    const fields: Record<string, string> = {};
    for (const [key, field] of value.fields) {
      if (field.kind !== "string" && field.kind !== "word") return refuse(notLiteral(`data.${key}`, field));
      if (field.text !== "null" || field.kind === "string") fields[key] = field.text;
    }
    const text =
      recordType === "LOC"
        ? locationText(fields)
        : textOf(recordType, priority === null ? fields : { priority, ...fields });
    return text === null ? refuse(`\`data\` does not have the fields of ${recordType}.`) : dataFields(text);
  }
  if (value.kind !== "string") return refuse(notLiteral("content", value));
  const { text } = value;
  const isQuoted = /^\s*"/.test(text);
  if (recordType === "TXT" && !isQuoted) return fieldsOfValue("TXT", text, null, entries.options.lenient === true);
  const needsPriority = priority !== null && (recordType === "MX" || recordType === "SRV" || recordType === "URI");
  return dataFields(needsPriority && !hasOwnPriority(recordType, text) ? `${priority} ${text}` : text);
}

function hasOwnPriority(recordType: string, text: string): boolean {
  const words = text.trim().split(/\s+/).length;
  return words === { MX: 2, SRV: 4, URI: 3 }[recordType] || (!hasFields(recordType) && words > 1);
}

function locationText(fields: Readonly<Record<string, string>>): string | null {
  const angle = (side: string) =>
    ["degrees", "minutes", "seconds", "direction"].map((part) => fields[`${side}_${part}`]);
  const meters = ["altitude", "size", "precision_horz", "precision_vert"].map((key) => fields[key]);
  const parts = [...angle("lat"), ...angle("long"), ...meters.map((number) => number && `${number}m`)];
  return parts.every((part) => part !== undefined) ? parts.join(" ") : null;
}

/** Returns whether a text begins with a block of Terraform's language. */
export function looksLikeTerraform(head: string): boolean {
  let text = head.trimStart();
  for (;;) {
    const end =
      text.startsWith("#") || text.startsWith("//")
        ? text.indexOf("\n")
        : text.startsWith("/*")
          ? text.indexOf("*/") + 1
          : -1;
    if (end < 1) break;
    text = text.slice(end + 1).trimStart();
  }
  return /^(?:(?:terraform|locals|import|moved|removed)\s*\{|(?:resource|provider|variable|module|data|output)\s+")/.test(
    text,
  );
}
