import { absoluteName } from "../names/names.ts";
import { escapeOctets } from "../names/escapes.ts";
import { printRdata } from "../record-types.ts";
import { nameOf, recordKey, ttlKey, valueOf } from "../record.ts";
import type { Steps } from "../../platform/slices.ts";
import { isPlaceholder } from "../zone-file/contents.ts";
import { rdataFields } from "../zone-file/record-data.ts";
import { isProviderType } from "../zone-file/type-names.ts";
import { inOrder } from "../zone-file/write.ts";
import { fieldsOf } from "./cloudflare-fields.ts";
import { inPieces, remark, stringsOf, type FormatContent, type WrittenRecord } from "./format.ts";

/** How a provider's resource is written. */
interface Writer {
  resource: string;
  /** Variables that only the provider knows the values of. */
  variables: readonly string[];
  /** Whether a record set is one resource. */
  isGrouped: boolean;
  /** The lines of the resource, without its type and name. */
  body: (set: readonly WrittenRecord[], zone: string) => string[];
  /** The id to import it by; null if it takes the vendor's own, which is not known. */
  id: (name: string, recordType: string, zone: string, ownId: string | undefined) => string | null;
}

/** By the kind of the provider. */
const writers: Readonly<Record<string, Writer>> = {
  cloudflare: {
    resource: "cloudflare_dns_record",
    variables: ["zone_id"],
    isGrouped: false,
    body: ([record], zone) => (record ? cloudflareBody(record, zone) : []),
    id: (_name, _type, _zone, ownId) => (ownId === undefined ? null : `"\${var.zone_id}/${inQuotes(ownId)}"`),
  },
  route53: {
    resource: "aws_route53_record",
    variables: ["zone_id"],
    isGrouped: true,
    body: (set, zone) => ["zone_id = var.zone_id", ...setBody(set, zone, "records", route53Data)],
    id: (name, recordType) => `"\${var.zone_id}_${inQuotes(toOctal(name))}_${recordType}"`,
  },
  gcloud: {
    resource: "google_dns_record_set",
    variables: ["project", "managed_zone"],
    isGrouped: true,
    body: (set, zone) => [
      "project = var.project",
      "managed_zone = var.managed_zone",
      ...setBody(set, zone, "rrdatas", printRdata, "."),
    ],
    id: (name, recordType) =>
      `"projects/\${var.project}/managedZones/\${var.managed_zone}/rrsets/${inQuotes(name)}./${recordType}"`,
  },
  powerdns: {
    resource: "powerdns_record",
    variables: [],
    isGrouped: true,
    body: (set, zone) => [`zone = ${quoted(`${zone}.`)}`, ...setBody(set, zone, "records", printRdata, ".")],
    id: (name, recordType, zone) => quoted(JSON.stringify({ zone: `${zone}.`, id: `${name}.:::${recordType}` })),
  },
};

/** Writes a zone for Terraform, with the resources of its provider, and `import` blocks where the id is known. */
export function* writeTerraform({ zone, records, provider = "", ids = new Map() }: FormatContent): Steps<string[]> {
  const writer = (Object.hasOwn(writers, provider) ? writers[provider] : null) ?? writers.powerdns;
  if (!writer) return [];
  const sets = new Map<string, WrittenRecord[]>();
  const remarks: string[] = [];
  for (const record of yield* inOrder(records)) {
    yield;
    if (isPlaceholder(record)) continue;
    if ((record.status ?? "active") !== "active" || isProviderType(record.recordType)) {
      remarks.push(remark(record));
      continue;
    }
    const key = writer.isGrouped ? `${ttlKey(record)} ${record.ttl}` : `${sets.size}`;
    const set = sets.get(key);
    if (set) set.push(record);
    else sets.set(key, [record]);
  }
  const isOwn = writers[provider] === writer;
  return yield* inPieces(lines({ zone, ids }, writer, [...sets.values()], remarks, isOwn));
}

function* lines(
  { zone, ids }: Required<Pick<FormatContent, "zone" | "ids">>,
  writer: Writer,
  sets: readonly (readonly WrittenRecord[])[],
  remarks: readonly string[],
  isOwn: boolean,
): Generator<string, void> {
  yield `# Zone ${zone}, written by Zonewright.`;
  if (!isOwn) yield "# The zone's provider has no resource that is known here, so these are PowerDNS's.";
  for (const one of remarks) yield `# ${one}`;
  for (const variable of writer.variables) yield* ["", `variable "${variable}" {`, "  type = string", "}"];
  const labels = new Map<string, number>();
  for (const set of sets) {
    const [first] = set;
    if (!first) continue;
    const label = labelOf(first, labels);
    yield* [
      "",
      `resource "${writer.resource}" "${label}" {`,
      ...aligned(writer.body(set, zone)).map((line) => `  ${line}`),
      "}",
    ];
    const id = writer.id(absoluteName(nameOf(first), zone), first.recordType, zone, ids.get(recordKey(first)));
    if (id !== null) yield* ["", "import {", `  to = ${writer.resource}.${label}`, `  id = ${id}`, "}"];
    else yield* ["", `# To import it: terraform import ${writer.resource}.${label} <zone id>/<record id>`];
  }
}

/** Aligns the equals signs of lines that stand together, as `terraform fmt` does. */
function aligned(body: readonly string[]): string[] {
  const width = Math.max(0, ...body.map((line) => /^(\w+) = [^{[]/.exec(line)?.[1]?.length ?? 0));
  return body.map((line) => line.replace(/^(\w+) = (?=[^{[])/, (_, key: string) => `${key.padEnd(width)} = `));
}

function labelOf({ name, recordType }: WrittenRecord, labels: Map<string, number>): string {
  const plain = `${name === "@" ? "apex" : name.replaceAll("*", "star")}_${recordType}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "_");
  const label = /^[a-z_]/.test(plain) ? plain : `_${plain}`;
  const count = (labels.get(label) ?? 0) + 1;
  labels.set(label, count);
  // A label that ends in a number is one that another name can have, too.
  return count === 1 ? label : `${label}__${count}`;
}

function setBody(
  set: readonly WrittenRecord[],
  zone: string,
  key: string,
  data: (record: WrittenRecord) => string,
  dot = "",
): string[] {
  const [first] = set;
  if (!first) return [];
  const name = absoluteName(nameOf(first), zone);
  return [
    `name = ${quoted((dot === "" ? toOctal(name) : name) + dot)}`,
    `type = ${quoted(first.recordType)}`,
    `ttl = ${first.ttl}`,
    ...(set.length === 1
      ? [`${key} = [${quoted(data(first))}]`]
      : [`${key} = [`, ...set.map((record) => `  ${quoted(data(record))},`), "]"]),
  ];
}

/** Route 53's provider puts the quotes around a text itself, and its escapes are octal. */
function route53Data(record: WrittenRecord): string {
  const strings = record.recordType === "TXT" || record.recordType === "SPF" ? stringsOf(record) : null;
  if (strings === null) return toOctal(printRdata(record));
  const text = strings.map((octets) => toOctal(escapeOctets(octets, '"\\'))).join('" "');
  // With an empty string at an end, it would look like a text that has its quotes.
  return text.startsWith('"') || text.endsWith(' "') ? `"${text}"` : text;
}

function toOctal(text: string): string {
  return text.replaceAll(/\\(\d{3})|\\[^]/g, (escape, digits?: string) =>
    digits === undefined ? escape : `\\${Number(digits).toString(8).padStart(3, "0")}`,
  );
}

function cloudflareBody(record: WrittenRecord, zone: string): string[] {
  const { recordType, ttl, proxied, comment } = record;
  const content = contentOf(record);
  return [
    "zone_id = var.zone_id",
    `name = ${quoted(absoluteName(nameOf(record), zone))}`,
    `type = ${quoted(recordType)}`,
    `ttl = ${ttl}`,
    ...content,
    ...(proxied ? ["proxied = true"] : []),
    ...(comment ? [`comment = ${quoted(comment)}`] : []),
  ];
}

function contentOf(record: WrittenRecord): string[] {
  const { recordType } = record;
  const fields = fieldsOf(recordType, valueOf(record));
  if (fields) {
    const entries = Object.entries(fields).map(
      ([key, value]) => `  ${key} = ${typeof value === "number" ? value : quoted(value)}`,
    );
    return ["data = {", ...entries, "}"];
  }
  const printed = printRdata(record);
  const raws = rdataFields(recordType, printed)?.map(({ raw }) => raw);
  if (recordType === "MX" && raws?.length === 2) return [`priority = ${raws[0]}`, `content = ${quoted(raws[1] ?? "")}`];
  return [`content = ${quoted(printed)}`];
}

function quoted(text: string): string {
  return `"${inQuotes(text)}"`;
}

function inQuotes(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll(/[$%](?=\{)/g, "$&$&");
  return escaped
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\t", String.raw`\t`);
}
