import type { ProviderKind } from "../../../dns-providers/provider.ts";
import type { ErrorCode, Issue } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { ownerWithin } from "../../../dns/names/names.ts";
import { outsideRights, type Rights } from "../../../access/zone-access.ts";
import { lockRefusal, reservedByLock, type Unlocking } from "../../changes/locks-and-reviews.ts";
import { draftRecord, draftUpdate, type Drafted, type RecordInput } from "./drafts.ts";
import { readOnlyReason } from "../provider-limits.ts";
import {
  isActive,
  isApexNs,
  recordKey,
  rrsetKey,
  type LiveRecord,
  type RecordData,
  type RecordDraft,
} from "../../../dns/record.ts";
import { flatMapped, grouped, mapped, type Steps } from "../../../platform/slices.ts";
import { isServerManaged, managedReason } from "../../../dns/zone-file/type-names.ts";
import type { Violation } from "../../../dns/zone-rules.ts";
import type { ZoneView } from "./zone-view.ts";

/** One change that a client asks for. */
export type Edit =
  | { action: "create"; input: RecordInput }
  | { action: "update"; recordId: string; patch: Partial<RecordInput> }
  | { action: "delete"; recordId: string };

export interface Refusal {
  ok: false;
  code: Extract<ErrorCode, "BAD_REQUEST" | "CONFLICT" | "NOT_FOUND" | "FORBIDDEN">;
  issues: Issue[];
}

/** An edit that has passed the rules of its type and provider but not yet those of the zone, or its refusal. */
export type PreparedEdit =
  | { ok: true; id: string; draft: RecordDraft | null; anyTtl: boolean; before: LiveRecord | null; warnings: string[] }
  | Refusal;

export interface Judged {
  /** One for each edit, in order. */
  outcomes: PreparedEdit[];
  warnings: string[];
}

/** The records that updates and deletes name, by id. */
interface NamedRecords {
  /** Whether the name server signs the zone, and makes the records for that. */
  signed?: boolean;
  present: ReadonlyMap<string, LiveRecord>;
  /** Server-managed records, whether they are stored as live records or apart. */
  managed: ReadonlyMap<string, RecordData>;
}

/** Checks an edit on its own. */
export function prepareEdit(
  edit: Edit,
  { present, managed, signed = false }: NamedRecords,
  zone: string,
  kind: ProviderKind,
): PreparedEdit {
  if (edit.action === "create")
    return unlessManaged(signed, fromDraft(newId(), null, draftRecord(edit.input, zone, kind)));
  const maintained = managed.get(edit.recordId);
  if (maintained) return refusedRecord("BAD_REQUEST", managedReason(maintained));
  const before = present.get(edit.recordId);
  if (!before) return refusedRecord("NOT_FOUND", "This domain has no such record.");
  const readOnly = isActive(before) ? readOnlyReason(before, kind) : null;
  if (readOnly !== null) return refusedRecord("BAD_REQUEST", readOnly);
  if (edit.action === "delete") return { ok: true, id: before.id, draft: null, anyTtl: false, before, warnings: [] };
  return unlessManaged(signed, fromDraft(before.id, before, draftUpdate(before, edit.patch, zone, kind)));
}

/** Refuses a record that the name server makes itself, such as a DNSKEY at the apex of a zone that it signs. */
function unlessManaged(signed: boolean, prepared: PreparedEdit): PreparedEdit {
  if (!signed || !prepared.ok || !prepared.draft || !isServerManaged(prepared.draft)) return prepared;
  return { ok: false, code: "BAD_REQUEST", issues: [{ path: ["recordType"], message: managedReason(prepared.draft) }] };
}

function refusedRecord(code: Refusal["code"], message: string): Refusal {
  return { ok: false, code, issues: [{ path: ["recordId"], message }] };
}

function fromDraft(id: string, before: LiveRecord | null, drafted: Drafted): PreparedEdit {
  if (!drafted.ok) return { ok: false, code: "BAD_REQUEST", issues: drafted.issues };
  return { ok: true, id, draft: drafted.draft, anyTtl: drafted.anyTtl, before, warnings: drafted.warnings };
}

/** Refuses edits of records that the caller may not change, or that would move a record to a name they may not change. */
export function withinRights(prepared: readonly PreparedEdit[], rights: Rights): PreparedEdit[] {
  return prepared.map((edit) => {
    if (!edit.ok) return edit;
    const { before, draft } = edit;
    const present = before && outsideRights(before, rights);
    const wanted = draft && outsideRights(draft, rights);
    const issues: Issue[] = [];
    const locked = rights.changesProtected ? null : reservedByLock({ before, after: draft });
    if (present) issues.push({ path: ["recordId"], message: present });
    else if (wanted) issues.push({ path: ["name"], message: wanted });
    else if (locked) issues.push({ path: [before?.locked ? "recordId" : "locked"], message: locked });
    return issues.length === 0 ? edit : { ok: false, code: "FORBIDDEN", issues };
  });
}

/** Returns the names whose records must be loaded to judge the edits. */
export function namesOf(prepared: readonly PreparedEdit[], zone: string): string[] {
  const names = new Set<string>();
  for (const edit of prepared) {
    if (!edit.ok) continue;
    if (edit.before) names.add(edit.before.name);
    if (!edit.draft) continue;
    names.add(edit.draft.name);
    const nameServer = ownNameServer(edit.draft, zone);
    if (nameServer !== null) names.add(nameServer);
  }
  return [...names];
}

/** Returns the owner of the zone's own name server within the zone; null if it is elsewhere. */
function ownNameServer({ recordType, name, value }: RecordDraft, zone: string): string | null {
  return isApexNs({ recordType, name }) ? ownerWithin(value, zone) : null;
}

/** Warns of name servers without an address, for which servers refuse a zone. If the servers' rules are known, such edits are refused instead. */
function* glueWarnings(
  view: ZoneView,
  prepared: readonly PreparedEdit[],
  zone: string,
  { serverRules }: ProviderKind,
): Steps<string[]> {
  if (serverRules) return [];
  const addressed = new Map<string, boolean>();
  const isAddressed = (name: string) => {
    const known =
      addressed.get(name) ?? view.at(name).some(({ recordType }) => recordType === "A" || recordType === "AAAA");
    addressed.set(name, known);
    return known;
  };
  return yield* flatMapped(prepared, (edit) => {
    const draft = edit.ok ? view.get(edit.id) : undefined;
    const nameServer = draft && isActive(draft) ? ownNameServer(draft, zone) : null;
    if (!draft || nameServer === null) return [];
    return isAddressed(nameServer)
      ? []
      : [`${draft.value} has no A or AAAA record; name servers refuse a zone whose own name server has no address.`];
  });
}

/** {@link applyEach}, in which an edit that would give a locked record its TTL is refused, too. */
export function applyEachBesideLocks(unlocking: Unlocking): typeof applyEach {
  return (view, prepared, zone, kind) => applyEach(view, prepared, zone, kind, unlocking);
}

/**
 * Applies edits to the view one by one. One that breaks a zone rule is taken back and refused; the others stand.
 * @param unlocking what the caller may do about locks; null leaves them to the change pipeline, which judges all edits as one
 */
export function* applyEach(
  view: ZoneView,
  prepared: readonly PreparedEdit[],
  zone: string,
  kind: ProviderKind,
  unlocking: Unlocking | null = null,
): Steps<Judged> {
  const warnings: string[] = [];
  const outcomes = yield* mapped(prepared, (edit): PreparedEdit => {
    if (!edit.ok) return edit;
    const checkpoint = view.checkpoint();
    const ruleWarnings = applyOne(view, edit);
    const violations = view.violations(view.touchedSince(checkpoint));
    const refusal =
      broken(violations.map(({ violation }) => violation)) ??
      beyondRrset(view, edit, kind, new Map()) ??
      besideLocked(view, edit, unlocking);
    if (refusal) {
      view.revert(checkpoint);
      return refusal;
    }
    warnings.push(...ruleWarnings);
    return edit;
  });
  return { outcomes, warnings: [...warnings, ...(yield* glueWarnings(view, prepared, zone, kind))] };
}

/** Applies all edits, then judges the final state, so that their order does not matter to the rules. */
export function* applyAtomic(
  view: ZoneView,
  prepared: readonly PreparedEdit[],
  zone: string,
  kind: ProviderKind,
): Steps<Judged> {
  const warnings = yield* flatMapped(prepared, (edit) => (edit.ok ? applyOne(view, edit) : []));
  const violations = yield* grouped(yield* view.judging(view.touchedSince(0)), ({ name }) => name);
  const known = new Map<string, string | null>();
  const outcomes = yield* mapped(prepared, (edit): PreparedEdit => {
    if (!edit.ok) return edit;
    const name = edit.draft?.name ?? edit.before?.name ?? "";
    const mine = (violations.get(name) ?? []).map(({ violation }) => violation);
    return (
      broken(mine.filter((violation) => concerns(violation, view.get(edit.id)))) ??
      beyondRrset(view, edit, kind, known) ??
      edit
    );
  });
  return { outcomes, warnings: [...warnings, ...(yield* glueWarnings(view, prepared, zone, kind))] };
}

/** Returns whether a violation concerns a record: a repeated record is reported for that record only. */
function concerns({ repeats }: Violation, written: RecordDraft | undefined): boolean {
  return repeats === undefined || (written !== undefined && recordKey(written) === repeats);
}

/** Returns the edits with those refused that violate rules of the whole zone. @param found violations by the id of the edit's record */
export function withRefused(
  prepared: readonly PreparedEdit[],
  found: ReadonlyMap<string, readonly Violation[]>,
): PreparedEdit[] {
  return prepared.map((edit) => (edit.ok ? (broken(found.get(edit.id) ?? []) ?? edit) : edit));
}

function broken(violations: readonly Violation[]): Refusal | null {
  const [first] = violations;
  if (!first) return null;
  return { ok: false, code: first.code, issues: violations.map(({ field, message }) => ({ path: [field], message })) };
}

/**
 * Refuses a record that the provider cannot hold in its RRset. Judges only what changes.
 * @param known the findings on RRsets of the same state
 */
function beyondRrset(
  view: ZoneView,
  { id, draft, before }: Extract<PreparedEdit, { ok: true }>,
  kind: ProviderKind,
  known: Map<string, string | null>,
): Refusal | null {
  if (!kind.unsupportedRrset) return null;
  const written = draft && view.get(id);
  if (!written || !isActive(written)) return null;
  if (before && isActive(before) && recordKey(before) === recordKey(written)) return null;
  const key = rrsetKey(written);
  let reason = known.get(key);
  if (reason === undefined) {
    reason = kind.unsupportedRrset(view.at(written.name).filter(({ recordType }) => recordType === written.recordType));
    known.set(key, reason);
  }
  if (reason === null) return null;
  return { ok: false, code: "BAD_REQUEST", issues: [{ path: ["value"], message: `${kind.name} ${reason}` }] };
}

/** Refuses an edit that changes another record, which is locked: an RRset has one TTL. */
function besideLocked(
  view: ZoneView,
  { id, draft }: Extract<PreparedEdit, { ok: true }>,
  unlocking: Unlocking | null,
): Refusal | null {
  if (!draft || !unlocking) return null;
  for (const change of view.changesAt(draft.name)) {
    const message = change.before.id === id ? null : lockRefusal(change, unlocking);
    if (message !== null) return { ok: false, code: "CONFLICT", issues: [{ path: ["ttl"], message }] };
  }
  return null;
}

function applyOne(view: ZoneView, edit: Extract<PreparedEdit, { ok: true }>): string[] {
  const { id, draft, before } = edit;
  const losesNs = before && isActive(before) && isApexNs(before);
  const lostNs = (verb: string) =>
    `${verb} the apex NS record ${before?.value} changes which servers answer for the zone.`;
  if (!draft) {
    view.remove(id);
    return losesNs ? [lostNs("Deleting")] : [];
  }
  const ttl = edit.anyTtl ? view.ttlOf(draft) : undefined;
  const aligned = view.put(id, ttl === undefined ? draft : { ...draft, ttl });
  const others = aligned === 1 ? "1 other record" : `${aligned} other records`;
  const ruleWarnings =
    aligned > 0
      ? [
          `The TTL ${draft.ttl} now also applies to ${others} of ${draft.name} ${draft.recordType}: an RRset has one TTL.`,
        ]
      : [];
  const disabled = losesNs && !isActive(draft) ? [lostNs("Disabling")] : [];
  return [...edit.warnings, ...ruleWarnings, ...disabled];
}
