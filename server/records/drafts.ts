import type { ProviderKind } from "../dns-providers/provider.ts";
import type { Issue } from "../errors.ts";
import type { LiveRecord, RecordDraft } from "./live-record.ts";
import { parseOwner } from "./names.ts";
import { ruleFor } from "./record-types.ts";

/** What a client says of a record; absent fields of an update stay as they are. */
export interface RecordInput {
  recordType: string;
  name: string;
  value: string;
  ttl?: number | undefined;
  priority?: number | null | undefined;
  proxied?: boolean | undefined;
  comment?: string | null | undefined;
}

export const defaultTtl = 3600;

/** `anyTtl`: the client named no TTL, so that of the RRset may hold. */
export type Drafted =
  | { ok: true; draft: RecordDraft; anyTtl: boolean; warnings: string[] }
  | { ok: false; issues: Issue[] };

/** Checks what a client wants a record to be, by the rules of its type and the limits of its provider. */
export function draftRecord(input: RecordInput, zone: string, kind: ProviderKind): Drafted {
  const issues: Issue[] = [];
  const owner = parseOwner(input.name, zone);
  if (!owner.ok) issues.push({ path: ["name"], message: owner.message });
  const value = ruleFor(input.recordType).write(input.value, input.priority);
  if (!value.ok) issues.push({ path: ["value"], message: value.message });
  const ttl = input.ttl ?? Math.max(defaultTtl, kind.minTtl);
  issues.push(...limitIssues({ recordType: input.recordType, ttl, proxied: input.proxied ?? false }, kind));
  if (!owner.ok || !value.ok || issues.length > 0) return { ok: false, issues };
  const draft: RecordDraft = {
    recordType: input.recordType,
    name: owner.value,
    value: value.value.value,
    ttl,
    priority: value.value.priority,
    proxied: input.proxied ?? false,
    comment: input.comment ?? null,
  };
  return { ok: true, draft, anyTtl: input.ttl === undefined, warnings: value.value.warnings };
}

/** An update: the given fields over the present record. A value given without a priority brings its own. */
export function draftUpdate(
  present: LiveRecord,
  patch: Partial<RecordInput>,
  zone: string,
  kind: ProviderKind,
): Drafted {
  const retyped = patch.recordType !== undefined && patch.recordType !== present.recordType;
  const keepsPriority = patch.value === undefined && !retyped;
  const priority =
    patch.priority === undefined || patch.priority === null
      ? keepsPriority
        ? present.priority
        : null
      : patch.priority;
  const input: RecordInput = {
    recordType: patch.recordType ?? present.recordType,
    name: patch.name ?? (present.name === "@" ? "@" : `${present.name}.${zone}.`),
    value: patch.value ?? withPriority(present, patch.priority),
    ttl: patch.ttl ?? present.ttl,
    priority,
    proxied: patch.proxied ?? present.proxied,
    comment: patch.comment === undefined ? present.comment : patch.comment,
  };
  const drafted = draftRecord(input, zone, kind);
  if (drafted.ok) return drafted;
  // What stays as it was needs no new permission: records read from elsewhere may break today's rules.
  const changed = new Set(Object.entries(patch).flatMap(([field, given]) => (given === undefined ? [] : [field])));
  const issues = drafted.issues.filter(
    ({ path: [field] }) => changed.has(String(field)) || (field === "value" && (retyped || changed.has("priority"))),
  );
  if (issues.length > 0) return { ok: false, issues };
  const { recordType, name, value, status: _status, ...rest } = present;
  return {
    ok: true,
    draft: {
      recordType,
      name: patch.name === undefined ? name : ownerOr(patch.name, zone, name),
      value,
      ttl: input.ttl ?? rest.ttl,
      priority: rest.priority,
      proxied: input.proxied ?? rest.proxied,
      comment: input.comment ?? null,
    },
    anyTtl: false,
    warnings: [],
  };
}

/** A new priority alone replaces the one within the value of MX and SRV. */
function withPriority(present: LiveRecord, priority: number | null | undefined): string {
  if (priority === undefined || priority === null || present.priority === null) return present.value;
  return present.value.replace(/^\d+/, String(priority));
}

function ownerOr(input: string, zone: string, fallback: string): string {
  const owner = parseOwner(input, zone);
  return owner.ok ? owner.value : fallback;
}

/** What the provider cannot store, checked before anything is sent. */
export function limitIssues(
  record: { recordType: string; ttl: number; proxied: boolean },
  kind: ProviderKind,
): Issue[] {
  const issues: Issue[] = [];
  if (kind.recordTypes !== "any" && !kind.recordTypes.includes(record.recordType)) {
    issues.push({ path: ["recordType"], message: `${kind.name} cannot store ${record.recordType} records.` });
  }
  if (record.ttl < kind.minTtl || record.ttl > kind.maxTtl) {
    issues.push({ path: ["ttl"], message: `${kind.name} takes a TTL from ${kind.minTtl} to ${kind.maxTtl} seconds.` });
  }
  if (record.proxied && !kind.supportsProxied) {
    issues.push({ path: ["proxied"], message: `${kind.name} has no proxy; leave proxied out or set it to false.` });
  }
  return issues;
}
