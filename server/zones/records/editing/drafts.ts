import type { ProviderKind } from "../../../dns-providers/provider.ts";
import type { Issue } from "../../../platform/errors.ts";
import { ok, refuse, type Result } from "../../../platform/result.ts";
import { hostOwners } from "../../../dns/server-rules/host-names.ts";
import { parseOwnerName } from "../../../dns/names/names.ts";
import { ruleFor } from "../../../dns/record-types.ts";
import { isWritableType } from "../../../dns/zone-file/type-names.ts";
import { limitIssues } from "../provider-limits.ts";
import {
  asWritten,
  isActive,
  nameOf,
  noNotes,
  spellingOf,
  ttlKey,
  valueOf,
  type LiveRecord,
  type RecordDraft,
  type RecordNotes,
  type RecordStatus,
} from "../../../dns/record.ts";
import { sameStrings, unwantedPriority } from "../../../dns/values/character-strings.ts";
import { splitByDefault, writeStrings } from "../../../dns/values/txt.ts";
import type { CanonicalValue, Door } from "../../../dns/values/value-rule.ts";

/** A record as a client sends it. Absent fields of an update stay as they are. */
export interface RecordInput {
  /** The way by which it comes. Default: `api`. */
  door?: Door | undefined;
  recordType: string;
  name: string;
  value?: string | undefined;
  /** TXT: how the value is split; null or left out: every 255 octets. */
  strings?: readonly string[] | null | undefined;
  ttl?: number | undefined;
  priority?: number | null | undefined;
  proxied?: boolean | undefined;
  status?: RecordStatus | undefined;
  comment?: string | null | undefined;
  locked?: boolean | undefined;
  ownerId?: string | null | undefined;
  reviewAt?: Date | null | undefined;
}

/** A checked record, or why it was refused. `anyTtl`: the client gave no TTL, so the RRset's may apply. */
export type Drafted =
  | { ok: true; draft: RecordDraft; anyTtl: boolean; warnings: string[] }
  | { ok: false; issues: Issue[] };

/** Checks a new record against the rules of its type and, unless it is disabled, the limits of its provider. */
export function draftRecord(input: RecordInput, zone: string, kind: ProviderKind): Drafted {
  const issues: Issue[] = [];
  const owner = parseOwnerName(input.name, zone);
  const ownerFault = owner.ok ? hostOwnerFault(input.recordType, owner.value.name) : owner.message;
  if (ownerFault !== null) issues.push({ path: ["name"], message: ownerFault });
  const value = givenValue(input);
  if (!value.ok) issues.push({ path: [fieldAtFault(input)], message: value.message });
  const { proxied = false, status = "active" } = input;
  const asked = input.ttl ?? defaultTtlAt(kind);
  const ttl = ttlAt(kind, proxied, asked);
  const content = contentOf(value.ok ? value.value : { value: "", priority: null, warnings: [] });
  const written = { ...(owner.ok ? owner.value : { name: "@" }), ...content };
  const limited = { recordType: input.recordType, ttl, proxied, ...written };
  const limits = isActive({ status }) ? limitIssues(limited, kind, zone) : [];
  // Limits on a name or value that could not be read would be misleading.
  const isKnown = owner.ok && value.ok;
  issues.push(...limits.filter(({ path: [field] }) => isKnown || field === "ttl" || field === "proxied"));
  if (!owner.ok || !value.ok || issues.length > 0) return { ok: false, issues };
  const draft: RecordDraft = {
    recordType: input.recordType,
    ...owner.value,
    ...content,
    ttl,
    proxied,
    status,
    ...notesGiven(input, noNotes),
  };
  const ofTtl = input.ttl === undefined ? [] : ttlWarnings(kind, asked, ttl);
  const anyTtl = isActive({ status }) && input.ttl === undefined && ttl === asked;
  return { ok: true, draft, anyTtl, warnings: [...value.value.warnings, ...ofTtl] };
}

/** Returns why a name with escapes cannot be that of a type whose owners are hosts (RFC 1123 §2.1); null if it can. */
function hostOwnerFault(recordType: string, name: string): string | null {
  if (!hostOwners.has(recordType) || /^(?:@|[\w.*/-]+)$/.test(name)) return null;
  return `The name of ${recordType} records is that of a host. Use only letters, digits, hyphens and underscores in it.`;
}

/** Returns the given notes over those that a record has. */
function notesGiven(given: Partial<RecordInput>, present: RecordNotes): RecordNotes {
  const { comment = present.comment, locked = present.locked } = given;
  const { ownerId = present.ownerId, reviewAt = present.reviewAt } = given;
  return { comment, locked, ownerId, reviewAt };
}

/** Returns the canonical form of a client's value and strings. */
function givenValue({ recordType, value, strings = null, priority, door }: ValueInput): Result<CanonicalValue> {
  if (strings === null)
    return value === undefined ? refuse("This is required.") : ruleFor(recordType).write(value, priority, door);
  if (recordType !== "TXT")
    return refuse(`${recordType} records have no strings; only TXT records do. Leave \`strings\` out.`);
  return unwantedPriority(recordType, priority) ?? writeStrings(strings, value, door);
}

/** Returns the field that makes `givenValue` refuse: if the value would pass without another field, that field is at fault. */
function fieldAtFault({
  recordType,
  value,
  strings = null,
  priority,
  door,
}: ValueInput): "priority" | "strings" | "value" {
  const passes = (input: ValueInput) => givenValue(input).ok;
  if (typeof priority === "number" && passes({ recordType, value, strings, door })) return "priority";
  return strings !== null && (value === undefined || passes({ recordType, value, door })) ? "strings" : "value";
}

type ValueInput = Pick<RecordInput, "recordType" | "value" | "strings" | "priority" | "door">;

function contentOf({ value, writtenValue, strings = null, priority }: CanonicalValue) {
  return { value, ...spellingOf({ writtenValue }), strings, priority };
}

/**
 * Checks an update: the given fields over the present record. Judges only what changes: records read from a provider may break
 * today's rules and can still be edited. A record that is enabled is judged whole, like a new one.
 */
export function draftUpdate(
  present: LiveRecord,
  patch: Partial<RecordInput>,
  zone: string,
  kind: ProviderKind,
): Drafted {
  const readOnly = readOnlyIssues(present, patch);
  if (readOnly.length > 0) return { ok: false, issues: readOnly };
  const recordType = patch.recordType ?? present.recordType;
  const renamed = patch.name !== undefined && patch.name !== nameOf(present);
  const { name, writtenName } = present;
  const owner = renamed ? parseOwnerName(patch.name ?? "", zone) : ok({ name, ...spellingOf({ writtenName }) });
  const value = updatedValue(present, recordType, patch);
  const { proxied = present.proxied, status = present.status } = patch;
  const isEnabled = isActive({ status }) && !isActive(present);
  const asked = patch.ttl ?? present.ttl;
  const ttl = ttlAt(kind, proxied, asked);
  const content = value.ok ? contentOf(value.value) : present;
  const { value: text, strings } = content;
  const limited = { recordType, ttl, proxied, name: owner.ok ? owner.value.name : name, value: text, strings };
  const limits = isActive({ status }) ? limitIssues(limited, kind, zone) : [];
  const issues = limits.filter(({ path: [field] }) => {
    if (isEnabled) return true;
    const key = field as keyof typeof limited;
    if (key === "strings") return !sameStrings(strings, present.strings);
    // A new type may not allow the present name or proxying.
    return limited[key] !== present[key] || (key !== "ttl" && recordType !== present.recordType);
  });
  if (!value.ok) {
    const { strings: cut, priority } = patch;
    const tried = { recordType, value: patch.value ?? (cut ? undefined : valueOf(present)), strings: cut, priority };
    issues.unshift({ path: [fieldAtFault(tried)], message: value.message });
  }
  const isMoved = (owner.ok && owner.value.name !== name) || recordType !== present.recordType;
  const ownerFault = !owner.ok ? owner.message : isMoved ? hostOwnerFault(recordType, owner.value.name) : null;
  if (ownerFault !== null) issues.unshift({ path: ["name"], message: ownerFault });
  if (!owner.ok || !value.ok || issues.length > 0) return { ok: false, issues };
  const draft: RecordDraft = {
    recordType,
    ...owner.value,
    ...contentOf(value.value),
    ttl,
    proxied,
    status,
    ...notesGiven(patch, present),
  };
  // A record that joins an RRset takes its TTL.
  const joins = isEnabled || (isActive(draft) && ttlKey(draft) !== ttlKey(present));
  const anyTtl = patch.ttl === undefined && joins;
  return { ok: true, draft, anyTtl, warnings: [...value.value.warnings, ...ttlWarnings(kind, asked, ttl)] };
}

/** Refuses changes of a type that clients cannot write: name servers make its records, or only one provider knows it. */
function readOnlyIssues(present: LiveRecord, patch: Partial<RecordInput>): Issue[] {
  if (isWritableType(present.recordType)) return [];
  const shown = asWritten(present);
  return (["recordType", "name", "value", "strings"] as const)
    .filter((field) => patch[field] !== undefined && patch[field] !== shown[field])
    .map((field) => ({
      path: [field],
      message: `${present.recordType} records are read-only except for \`ttl\`, \`status\`, \`comment\`, \`locked\`, \`ownerId\` and \`reviewAt\`.`,
    }));
}

/**
 * Returns the value after an update. The value of MX and SRV carries the priority: a new priority alone replaces it there; a value without
 * one keeps the present one.
 */
function updatedValue(present: LiveRecord, recordType: string, patch: Partial<RecordInput>): Result<CanonicalValue> {
  const rule = ruleFor(recordType);
  const retyped = recordType !== present.recordType;
  const priority = patch.priority ?? null;
  const samePriority = priority === null || priority === present.priority;
  const sameValue = patch.value === undefined || patch.value === valueOf(present);
  // A new value without strings is split by default, and so is one whose strings are set to null.
  const strings = patch.strings === undefined && patch.value === undefined ? present.strings : (patch.strings ?? null);
  const sameSplit = sameStrings(strings, present.strings);
  if (!retyped && samePriority && sameValue && (strings === null || sameSplit)) {
    if (!sameSplit) return splitByDefault(present.value);
    const { value, writtenValue, strings: cut, priority } = present;
    return ok({ value, writtenValue, strings: cut, priority, warnings: [] });
  }
  if (patch.strings) return givenValue({ ...patch, recordType, priority });
  if (patch.value === undefined) {
    const reordered = priority === null || present.priority === null ? null : String(priority);
    return rule.write(reordered === null ? valueOf(present) : valueOf(present).replace(/^\d+/, reordered), priority);
  }
  const written = rule.write(patch.value, priority, patch.door);
  if (written.ok || priority !== null || retyped) return written;
  const completed = rule.write(patch.value, present.priority, patch.door);
  return completed.ok ? completed : written;
}

/** Seconds. The TTL of a new record without one, unless its provider requires more or its RRset has another. */
const defaultTtl = 3600;

/** Returns the default TTL of new records at a provider. */
export function defaultTtlAt({ minTtl }: ProviderKind): number {
  return Math.max(defaultTtl, minTtl);
}

/** Returns the TTL that a record gets at the provider. */
export function ttlAt({ proxiedTtl }: ProviderKind, proxied: boolean, ttl: number): number {
  return proxied ? (proxiedTtl ?? ttl) : ttl;
}

/** Returns a warning if the provider replaces the TTL that was asked for. */
function ttlWarnings({ name }: ProviderKind, asked: number, ttl: number): string[] {
  return asked === ttl ? [] : [`${name} sets the TTL of proxied records itself: ${ttl} instead of ${asked}.`];
}
