import { canonicalType, isWritableType, madeByServers } from "../../../dns/zone-file/type-names.ts";
import { ok, refuse, type Result } from "../../../platform/result.ts";

/** A number, or a text that holds one or a variable. Published templates use both. */
type Figure = string | number;

/**
 * A record of a template, in the JSON form of Domain Connect (draft-ietf-dconn-domainconnect). Every field but `type` may be absent, because
 * each type needs others. Fields that are unknown here are stored with the template.
 */
export interface TemplateRecord {
  type: string;
  groupId?: Figure | null | undefined;
  essential?: string | null | undefined;
  host?: string | null | undefined;
  /** SRV: what `host` is for the other types. */
  name?: string | null | undefined;
  pointsTo?: string | null | undefined;
  target?: string | null | undefined;
  data?: Figure | null | undefined;
  rdata?: Figure | null | undefined;
  ttl?: Figure | null | undefined;
  priority?: Figure | null | undefined;
  weight?: Figure | null | undefined;
  port?: Figure | null | undefined;
  protocol?: string | null | undefined;
  service?: string | null | undefined;
  spfRules?: string | null | undefined;
  txtConflictMatchingMode?: string | null | undefined;
  txtConflictMatchingPrefix?: string | null | undefined;
}

/** A template in the JSON form of Domain Connect. Fields without effect here, such as `logoUrl`, are stored and returned only. */
export interface Template {
  providerId: string;
  providerName: string;
  serviceId: string;
  serviceName: string;
  version?: Figure | null | undefined;
  description?: string | null | undefined;
  variableDescription?: string | null | undefined;
  hostRequired?: boolean | null | undefined;
  multiInstance?: boolean | null | undefined;
  warnPhishing?: boolean | null | undefined;
  records: TemplateRecord[];
}

/** What becomes of a record after it was applied: `OnApply` may be removed later without harm. */
export type Essential = "Always" | "OnApply";

/** Returns when a record must exist. Any value but `Always` that a template states means that the record may go. */
export function essentialOf({ essential }: TemplateRecord): Essential {
  return (essential ?? "") === "" || essential?.toLowerCase() === "always" ? "Always" : "OnApply";
}

/** Returns the group of a record; null if it is applied with every group. */
export function groupOf({ groupId }: TemplateRecord): string | null {
  const group = String(groupId ?? "");
  return group === "" ? null : group;
}

/** Returns the groups of a template, in order. */
export function groupsOf({ records }: Template): string[] {
  return [...new Set(records.flatMap((record) => groupOf(record) ?? []))];
}

/** Returns the type of a record in canonical form; in upper case if it is none of a record. */
export function typeOf({ type }: TemplateRecord): string {
  return canonicalType(type) ?? type.toUpperCase();
}

/** Which TXT records of a host a template's TXT replaces. */
export type TxtConflicts = { mode: "None" } | { mode: "All" } | { mode: "Prefix"; prefix: string };

/** Returns the conflict rule of a TXT record. Without its prefix, `Prefix` matches nothing. */
export function txtConflictsOf(record: TemplateRecord): TxtConflicts {
  const mode = record.txtConflictMatchingMode?.toLowerCase();
  const prefix = record.txtConflictMatchingPrefix ?? "";
  if (mode === "all") return { mode: "All" };
  return mode === "prefix" && prefix !== "" ? { mode: "Prefix", prefix } : { mode: "None" };
}

/** Types of Domain Connect that stand for something other than a record of their own. */
const instructions = new Set(["SPFM", "APEXCNAME"]);

/** Returns why a template's record cannot be applied; null if its type is supported. */
export function unsupportedReason(record: TemplateRecord): string | null {
  const type = typeOf(record);
  if (instructions.has(type) || isWritableType(type)) return null;
  if (type === "REDIR301" || type === "REDIR302")
    return `${type} needs a web server that redirects, which a DNS record cannot do. Leave its group out, or redirect at the web server.`;
  if (/^NS\d$/.test(type)) return `${type} changes name servers at the registry, which Zonewright does not do.`;
  if (madeByServers.has(type))
    return `${type} records are made by the name server itself. Leave its group out, or remove the record from the template.`;
  const shown = JSON.stringify(type.slice(0, 20));
  return `${shown} is not a record type that can be written here. Leave its group out, or remove the record from the template.`;
}

/** Returns a template's records that cannot be applied, with the reasons. */
function unsupportedRecords({ records }: Template): { index: number; type: string; reason: string }[] {
  return records.flatMap((record, index) => {
    const reason = unsupportedReason(record);
    return reason === null ? [] : [{ index, type: record.type, reason }];
  });
}

/**
 * Matches a variable. Its name begins with a letter or digit, after one underscore at most, so that the macros of SPF (`%{i}`, `%_`, `%-`,
 * `%%`, RFC 7208 §7) remain text.
 */
const variable = /%(_?[A-Za-z0-9][A-Za-z0-9_-]*)%/g;

/** The variables that the domain and host give. */
const givenVariables = ["domain", "host", "fqdn"] as const;

/** Maximum length of a field after its variables are replaced: more than the longest TXT value has in UTF-16 units. */
const longestField = 8_192;

/** Returns the variables of a text, in order. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].map(([, name = ""]) => name);
}

/** The fields that may hold variables. `groupId` and `txtConflictMatchingPrefix` must not. */
const expandedFields = [
  "host",
  "name",
  "pointsTo",
  "target",
  "data",
  "rdata",
  "ttl",
  "priority",
  "weight",
  "port",
  "protocol",
  "service",
  "spfRules",
] as const satisfies (keyof TemplateRecord)[];

/** Returns the variables that a caller gives for some records, in order. */
function variablesOfRecords(records: readonly TemplateRecord[]): string[] {
  const names = new Set<string>();
  for (const record of records)
    for (const field of expandedFields) for (const name of variablesIn(String(record[field] ?? ""))) names.add(name);
  for (const given of givenVariables) names.delete(given);
  return [...names];
}

/** Returns a template's variables that a caller gives. @param groups only those of these groups; null: of all */
export function variablesOf({ records }: Template, groups: readonly string[] | null = null): string[] {
  return variablesOfRecords(records.filter((record) => isInGroups(record, groups)));
}

/** Returns whether a record is applied with some groups. Null means all groups; a record without one is always applied. */
export function isInGroups(record: TemplateRecord, groups: readonly string[] | null): boolean {
  const group = groupOf(record);
  return group === null || groups === null || groups.includes(group);
}

/**
 * Replaces the variables of a text, each once: a value is not expanded again. Stops as soon as the text is too long. Refusals end a sentence
 * about the field.
 */
export function expandText(text: string, values: ReadonlyMap<string, string>): Result<string> {
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const match of text.matchAll(variable)) {
    const [whole, name = ""] = match;
    const value = values.get(name);
    if (value === undefined) return refuse(`needs a value for the variable ${name}`);
    add(text.slice(from, match.index));
    add(value);
    if (length > longestField) return refuse(tooLong);
    from = match.index + whole.length;
  }
  add(text.slice(from));
  return length > longestField ? refuse(tooLong) : ok(parts.join(""));
}

const tooLong = `is longer than ${longestField} characters once its variables are replaced`;

/** A template, stored or built in. */
export interface StoredTemplate {
  id: string;
  builtIn: boolean;
  /** Raised with every change here. */
  revision: number;
  template: Template;
  createdBy: string | null;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** Returns a template as lists show it. */
export function summaryView({ template, ...stored }: StoredTemplate) {
  const { providerId, providerName, serviceId, serviceName, description, variableDescription, records } = template;
  const version = template.version ?? null;
  return {
    ...stored,
    providerId,
    providerName,
    serviceId,
    serviceName,
    version: version === null || !Number.isFinite(Number(version)) ? null : Number(version),
    description: description ?? null,
    variableDescription: variableDescription ?? null,
    variables: variablesOf(template),
    groups: groupsOf(template),
    hostRequired: template.hostRequired === true,
    multiInstance: template.multiInstance === true,
    recordCount: records.length,
    unsupported: unsupportedRecords(template),
  };
}

/** Returns a template with its JSON as it was given. */
export function detailView(stored: StoredTemplate) {
  return { ...summaryView(stored), template: stored.template as unknown as Record<string, unknown> };
}
