import { absoluteName, parseOwnerName, type OwnerName } from "../../../dns/names/names.ts";
import { ruleFor } from "../../../dns/record-types.ts";
import { spellingOf, type Spelling } from "../../../dns/record.ts";
import { badField, AppError, type Issue } from "../../../platform/errors.ts";
import { ok, refuse, type Result } from "../../../platform/result.ts";
import {
  essentialOf,
  groupOf,
  groupsOf,
  txtConflictsOf,
  typeOf,
  type Essential,
  type Template,
  type TemplateRecord,
  type TxtConflicts,
  unsupportedReason,
  expandText,
  isInGroups,
  variablesOf,
} from "../form/template.ts";
import { invalidTerm, isSpf } from "../../../dns/spf.ts";

/** What a caller chooses when applying a template. */
export interface Application {
  /** The name of the zone, without its view. */
  zone: string;
  /** Canonical and relative to the zone; `@` for the apex. */
  host: string;
  variables: Readonly<Record<string, string>>;
  /** Null: all groups. */
  groups: readonly string[] | null;
  /** The type that stands for a CNAME at the apex; null if the provider has none. */
  apexAlias: "CNAME" | "ALIAS" | null;
}

interface Wanted extends Pick<Spelling, "writtenName"> {
  /** The index in the template's `records`. */
  index: number;
  group: string | null;
  essential: Essential;
  /** Relative to the zone. */
  name: string;
  /** Undefined: the RRset's. */
  ttl: number | undefined;
}

/** A record that a template asks for, canonical. */
export interface WantedRecord extends Wanted, Spelling {
  recordType: string;
  value: string;
  txtConflicts: TxtConflicts;
  warnings: readonly string[];
}

/** SPF rules that a template asks for. */
export interface WantedSpf extends Wanted {
  rules: string;
}

export interface Expanded {
  records: WantedRecord[];
  spf: WantedSpf[];
  warnings: string[];
}

/** The value of a field, with the name of the field for refusals. */
type Read = (...fields: (keyof TemplateRecord)[]) => Result<string>;

/**
 * Returns the records that a template asks for at a host. Pure and linear in the expanded text.
 * @throws AppError BAD_REQUEST with an issue for each fault, under the path of the variable or of the template's record
 */
export function expandTemplate(template: Template, application: Application): Expanded {
  const { zone, host, groups } = application;
  refuseUnknownGroups(template, groups);
  if (template.hostRequired === true && host === "@")
    throw badField(["host"], "This template needs a `host`, such as `www`: it cannot be applied at the apex.");
  const values = valuesFor(template, application);
  const found: Expanded = { records: [], spf: [], warnings: [] };
  const issues: Issue[] = [];
  for (const [index, record] of template.records.entries()) {
    if (!isInGroups(record, groups)) continue;
    const reason = unsupportedReason(record);
    const type = typeOf(record);
    const refuseHere = (path: Issue["path"], message: string) =>
      issues.push({ path: ["records", index, ...path], message });
    if (reason !== null) {
      refuseHere(["type"], reason);
      continue;
    }
    const read: Read = (...fields) => {
      const field = fields.find((name) => (record[name] ?? "") !== "") ?? fields[0] ?? "data";
      const text = expandText(String(record[field] ?? ""), values);
      return text.ok ? text : refuse(`\`${field}\` ${text.message}.`);
    };
    const name = ownerOf(record, read, { zone, host });
    if (!name.ok) {
      refuseHere([type === "SRV" ? "name" : "host"], name.message);
      continue;
    }
    const ttl = ttlOf(read, record);
    if (!ttl.ok) found.warnings.push(`${name.value.name} ${type}: ${ttl.message}`);
    // Stored by an earlier version: the database could not remember it.
    if (!isStorable(groupOf(record))) {
      refuseHere(["groupId"], "Remove control characters.");
      continue;
    }
    const wanted: Wanted = {
      index,
      group: groupOf(record),
      essential: essentialOf(record),
      ...name.value,
      ttl: ttl.ok ? ttl.value : undefined,
    };
    if (type === "SPFM") {
      const rules = read("spfRules", "data");
      const invalid = rules.ok ? invalidTerm(rules.value) : null;
      if (invalid !== null)
        refuseHere(
          ["spfRules"],
          `"${invalid}" is not an SPF term (RFC 7208 §4.6.1). Use terms such as include:spf.example.net.`,
        );
      else if (rules.ok && rules.value.trim() !== "") found.spf.push({ ...wanted, rules: rules.value.trim() });
      else refuseHere(["spfRules"], rules.ok ? "An SPFM record needs `spfRules`." : rules.message);
      continue;
    }
    const recordType = typeAt(type, name.value.name, application);
    if (recordType === null) {
      refuseHere(["type"], "The provider of this domain has no record that acts as a CNAME at the apex.");
      continue;
    }
    if (recordType === "NS" && name.value.name === "@") {
      refuseHere(["host"], "A template cannot replace the zone's own name servers. Apply it at a `host`.");
      continue;
    }
    const value = valueOf(recordType, record, read, absoluteName(host, zone));
    const canonical = value.ok ? ruleFor(recordType).write(value.value, null) : value;
    if (!canonical.ok) {
      refuseHere([valueField(recordType)], canonical.message);
      continue;
    }
    const { value: written, writtenValue, warnings } = canonical.value;
    const content = { recordType, value: written, ...spellingOf({ writtenValue }) };
    found.records.push({ ...wanted, ...content, txtConflicts: txtConflictsOf(record), warnings });
  }
  const [first] = issues;
  if (first) throw new AppError("BAD_REQUEST", `${first.path.join(".")}: ${first.message}`, { issues });
  return merging({ ...found, records: deduplicated(found.records) });
}

function isStorable(group: string | null): boolean {
  return group === null || (!group.includes("\u0000") && group.isWellFormed());
}

function refuseUnknownGroups(template: Template, groups: readonly string[] | null): void {
  const known = groupsOf(template);
  const index = groups?.findIndex((group) => !known.includes(group)) ?? -1;
  if (index < 0) return;
  const list =
    known.length === 0 ? "This template has no groups; leave `groups` out." : `Its groups are ${known.join(", ")}.`;
  throw badField(["groups", index], `The template has no such group. ${list}`);
}

/** Returns the values of all variables. @throws AppError BAD_REQUEST for missing and unknown ones */
function valuesFor(template: Template, { zone, host, variables, groups }: Application): Map<string, string> {
  const needed = variablesOf(template, groups);
  const missing = needed.filter((name) => !Object.hasOwn(variables, name));
  const all = new Set(variablesOf(template));
  const unknown = Object.keys(variables).filter((name) => !all.has(name));
  const issues = [
    ...missing.map((name) => ({ path: ["variables", name], message: `The template needs a value for ${name}.` })),
    ...unknown.map((name) => ({ path: ["variables", name], message: `${name} is not a variable of this template.` })),
  ];
  const [first] = issues;
  if (first) throw new AppError("BAD_REQUEST", first.message, { issues });
  return new Map([
    ...Object.entries(variables),
    ["domain", zone],
    ["host", host === "@" ? "" : host],
    ["fqdn", absoluteName(host, zone)],
  ]);
}

/** Returns the owner of a record: `host`, or for SRV `_service._protocol.name`. */
function ownerOf(record: TemplateRecord, read: Read, at: { zone: string; host: string }): Result<OwnerName> {
  if (typeOf(record) !== "SRV") {
    const host = read("host");
    return host.ok ? ownerAt(host.value, at) : host;
  }
  const [service, protocol, name] = [read("service"), read("protocol"), read("name", "host")];
  if (!service.ok) return service;
  if (!protocol.ok) return protocol;
  if (!name.ok) return name;
  if (service.value === "" || protocol.value === "") return refuse("An SRV record needs `service` and `protocol`.");
  const labels = [service.value, protocol.value].map((label) => (label.startsWith("_") ? label : `_${label}`));
  const under = ["", "@"].includes(name.value) ? "" : `.${name.value}`;
  return ownerAt(`${labels.join(".")}${under}`, at);
}

/**
 * Returns the owner that a host of a template stands for, relative to the zone. A host is relative to the one that the template is applied
 * at, unless it ends in a dot. `@` and the empty text are that host itself.
 */
function ownerAt(text: string, { zone, host }: { zone: string; host: string }): Result<OwnerName> {
  if (text === "" || text === "@") return ok({ name: host });
  // A variable must not end the label that it stands in.
  if (text.includes("\\"))
    return refuse('The record name must look like "www": a host of a template must not have escapes.');
  return parseOwnerName(text.endsWith(".") ? text : `${text}.${absoluteName(host, zone)}.`, zone);
}

/** Returns the type that a record gets at a name; null if there is none. APEXCNAME is a CNAME below the apex. */
function typeAt(type: string, name: string, { apexAlias }: Application): string | null {
  if (type !== "APEXCNAME") return type;
  return name === "@" ? apexAlias : "CNAME";
}

const pointing = new Set(["A", "AAAA", "CNAME", "ALIAS", "NS", "MX"]);

/** The field that holds a type's value. */
function valueField(recordType: string): keyof TemplateRecord {
  if (pointing.has(recordType)) return "pointsTo";
  return recordType === "SRV" ? "target" : "data";
}

/** Returns a record's value as the type's rule reads it. @param fqdn what `@` stands for */
function valueOf(recordType: string, record: TemplateRecord, read: Read, fqdn: string): Result<string> {
  const orHost = (text: string) => (text === "" || text === "@" ? fqdn : text);
  if (recordType === "SRV") {
    const parts = [read("priority"), read("weight"), read("port"), read("target", "pointsTo", "data")];
    const fault = parts.find((part) => !part.ok);
    if (fault) return fault;
    const [priority = "", weight = "", port = "", target = ""] = parts.map((part) => (part.ok ? part.value : ""));
    return ok([priority, weight, port, orHost(target)].map((part) => part.trim()).join(" "));
  }
  if (pointing.has(recordType)) {
    const target = read("pointsTo", "data", "target");
    if (!target.ok) return target;
    if (recordType !== "MX") return ok(orHost(target.value));
    const priority = read("priority");
    return priority.ok ? ok(`${priority.value.trim()} ${orHost(target.value)}`.trim()) : priority;
  }
  const data = read("data", "rdata");
  // Only where the template itself says so: a value given for a variable is data.
  const written = String(record.data ?? "") || String(record.rdata ?? "");
  return data.ok && ["", "@"].includes(written) ? ok(fqdn) : data;
}

/** Returns a record's TTL. A text that is not one is no reason to refuse the template (section on `ttl`). */
function ttlOf(read: Read, record: TemplateRecord): Result<number | undefined> {
  if ((record.ttl ?? "") === "") return ok(undefined);
  const text = read("ttl");
  if (!text.ok) return text;
  const seconds = /^\d{1,10}$/.test(text.value.trim()) ? Number(text.value) : Number.NaN;
  return seconds <= 2_147_483_647
    ? ok(seconds)
    : refuse(`the TTL ${JSON.stringify(text.value.slice(0, 40))} is not a whole number of seconds and is left out.`);
}

/** Makes an SPF record that a template writes as TXT a rule where it also merges rules: a host has one SPF record (RFC 7208 §3.2). */
function merging({ records, spf, warnings }: Expanded): Expanded {
  const merged = new Set(spf.map(({ name }) => name));
  const isRule = ({ recordType, name, value }: WantedRecord) =>
    recordType === "TXT" && merged.has(name) && isSpf(value);
  const rules = records.filter(isRule).map(({ index, group, essential, name, ttl, value }) => {
    return { index, group, essential, name, ttl, rules: value };
  });
  return { records: records.filter((record) => !isRule(record)), spf: [...spf, ...rules], warnings };
}

/** Returns the records without repetitions. The first stands. */
function deduplicated(records: readonly WantedRecord[]): WantedRecord[] {
  const seen = new Set<string>();
  return records.filter(({ recordType, name, value }) => {
    const key = `${recordType}\u0000${name}\u0000${value}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
