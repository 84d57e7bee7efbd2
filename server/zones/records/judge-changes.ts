import type { ZoneContext } from "../changes/zone-context.ts";
import type { EntityManager } from "../../database/database.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import type { Issue } from "../../platform/errors.ts";
import { limitIssues } from "./provider-limits.ts";
import {
  asWritten,
  isActive,
  recordKey,
  rrsetKey,
  servedChanges,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { checkChanges } from "./server-rules/check-changes.ts";
import { newViolations } from "../../dns/zone-rules.ts";
import { flatMapped, grouped, inSlices, mapped, type Steps } from "../../platform/slices.ts";

/** With more new records at one name, all are refused without finding out which would fit. */
const mostTried = 300;
/** The same for a whole plan, in records looked at. */
const mostLookedAt = 200_000;

type Zone = Pick<ZoneContext, "id" | "name" | "kind">;

/**
 * Judges a plan for many records by the resulting state: the limits of the provider, the zone rules, and the rules of its name
 * servers. Disabled records count for none of these: a change of one is judged as what it makes of the records in DNS.
 * @param allLive all live records of the names that the changes touch; others may be among them
 * @param rules `servers` leaves the zone rules to a provider that checks them itself
 * @returns the reasons against changes, by their ids
 */
export async function judgeChanges(
  em: EntityManager,
  zone: Zone,
  allLive: readonly LiveRecord[],
  allChanges: readonly PlannedChange[],
  rules: "all" | "servers" = "all",
): Promise<Map<string, string[]>> {
  const [live, changes] = [allLive.filter(isActive), servedChanges(allChanges)];
  const refused = new Map<string, string[]>();
  const refuse = (id: string, message: string) => refused.set(id, [...(refused.get(id) ?? []), message]);
  const limits = mapped(changes, (change) => {
    for (const { message } of limitsOfChange(change, zone)) refuse(change.id, `${change.after?.name}: ${message}`);
  });
  await inSlices(limits);
  for (const { id, message } of await inSlices(beyondRrsets(zone.kind, live, changes))) refuse(id, message);
  const { serverRules } = zone.kind;
  if (rules === "servers" && !serverRules) return refused;
  for (const { id, message } of await inSlices(beyondNames(live, changes, zone.kind))) refuse(id, message);
  if (!serverRules) return refused;
  for (const [id, violations] of await checkChanges(em, zone, changes)) {
    for (const { message } of violations) refuse(id, message);
  }
  return refused;
}

/** A change that is not made, by its record, and why. */
export interface Unmade {
  record: RecordData;
  reason: string;
}

/** Returns an unmade change as answers show it. */
export function failure({ record, reason }: Unmade) {
  const { recordType, name, value, strings } = asWritten(record);
  return { recordType, name, value, strings, error: reason };
}

/**
 * Splits changes that restore records into those that are allowed and those that current rules forbid. A forbidden change may block others, so
 * the rest is judged again.
 * @param live as `judgeChanges` takes them
 */
export async function withoutRefused(
  em: EntityManager,
  zone: Zone,
  live: readonly LiveRecord[],
  planned: readonly PlannedChange[],
): Promise<{ changes: PlannedChange[]; unmade: Unmade[] }> {
  const unmade: Unmade[] = [];
  for (let changes = [...planned]; ;) {
    const refused = await judgeChanges(em, zone, live, changes, "servers");
    if (refused.size === 0) return { changes, unmade };
    for (const { id, before, after } of changes) {
      const reasons = refused.get(id);
      if (reasons) unmade.push({ record: after ?? before, reason: reasons.join(" ") });
    }
    changes = changes.filter(({ id }) => !refused.has(id));
  }
}

/** Judges only what changes: existing violations may stay. */
function limitsOfChange({ before, after }: PlannedChange, { kind, name }: Zone): Issue[] {
  if (!after) return [];
  return limitIssues(after, kind, name).filter(({ path: [field] }) => {
    const key = field as keyof RecordData;
    return !before || before.recordType !== after.recordType || before[key] !== after[key];
  });
}

interface Refused {
  id: string;
  message: string;
}

/** Refuses records that the provider cannot hold in their RRset. */
function* beyondRrsets(
  { name, unsupportedRrset }: ProviderKind,
  live: readonly LiveRecord[],
  changes: readonly PlannedChange[],
): Steps<Refused[]> {
  if (!unsupportedRrset) return [];
  const changed = new Set(yield* mapped(changes, ({ id }) => id));
  const written = yield* grouped(changes, ({ after }) => (after ? rrsetKey(after) : undefined));
  const staying = yield* grouped(live, (record) => (changed.has(record.id) ? undefined : rrsetKey(record)));
  return yield* flatMapped(written, ([key, some]) => {
    const rrset = [...(staying.get(key) ?? []), ...some.flatMap(({ after }) => after ?? [])];
    const reason = unsupportedRrset(rrset);
    return reason === null ? [] : some.map(({ id }) => ({ id, message: `${name} ${reason}` }));
  });
}

/** Refuses changes that make the records of one name break a rule: new records that do not fit, or else deletions of records that were needed. */
function* beyondNames(
  live: readonly LiveRecord[],
  changes: readonly PlannedChange[],
  kind: ProviderKind,
): Steps<Refused[]> {
  const { serverRules: rules = null, apexCname } = kind;
  const changed = new Set(yield* mapped(changes, ({ id }) => id));
  const going = yield* grouped(changes, ({ before }) => before?.name);
  const coming = yield* grouped(changes, ({ after }) => after?.name);
  const names = new Set([...going.keys(), ...coming.keys()]);
  const present = yield* grouped(live, ({ name }) => (names.has(name) ? name : undefined));
  let left = mostLookedAt;
  return yield* flatMapped(names, (name) => {
    const before = present.get(name) ?? [];
    const some = coming.get(name) ?? [];
    const staying: RecordData[] = before.filter(({ id }) => !changed.has(id));
    const violations = newViolations(
      name,
      before,
      [...staying, ...some.flatMap(({ after }) => after ?? [])],
      rules,
      apexCname,
    );
    if (violations.length === 0) return [];
    const isBroken = (records: readonly RecordData[]) => {
      left -= before.length + records.length;
      return left < 0 || newViolations(name, before, records, rules, apexCname).length > 0;
    };
    const excess = isBroken(staying) ? [...some, ...(going.get(name) ?? [])] : beyond(staying, some, isBroken);
    return excess.flatMap(({ id }) => violations.map(({ message }) => ({ id, message })));
  });
}

/** Returns the changes whose records do not fit with those that stay and those of earlier changes. A record that is only rewritten stays. */
function beyond(
  staying: readonly RecordData[],
  coming: readonly PlannedChange[],
  isBroken: (records: readonly RecordData[]) => boolean,
): readonly PlannedChange[] {
  const rewritten = coming.filter((change) => !isMoved(change));
  const moved = coming.filter(isMoved);
  if (moved.length > mostTried) return moved;
  const fitting = [...staying, ...rewritten.flatMap(({ after }) => after ?? [])];
  return moved.filter(({ after }) => {
    if (!after) return false;
    if (isBroken([...fitting, after])) return true;
    fitting.push(after);
    return false;
  });
}

function isMoved({ before, after }: PlannedChange): boolean {
  return !before || !after || recordKey(before) !== recordKey(after);
}
