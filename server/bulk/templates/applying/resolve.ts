import { asWritten, textKey, type LiveRecord, type RecordData, type Spelling, isApexNs } from "../../../dns/record.ts";
import type { ChangeInput } from "../../../zones/records/change-schemas.ts";
import type { Essential } from "../form/template.ts";
import type { Expanded, WantedRecord, WantedSpf } from "./expand.ts";
import { isSpf, mergeSpf, spfWarnings } from "../../../dns/spf.ts";
import { isServerManaged } from "../../../dns/zone-file/type-names.ts";

/** A record that an applied template wrote, or, with type `SPFM`, rules that it merged. */
export interface WrittenRecord {
  type: string;
  name: string;
  value: string;
  group: string | null;
  essential: Essential;
  /** The TTL that the template asked for, which the provider may have raised. Left out: none, or applied by an earlier version. */
  ttl?: number | undefined;
  /**
   * What of it was there before, and stays when the template gives it up: the value of a record, the terms of SPF rules, and `v=spf1` for
   * the SPF record itself. Left out if nothing was; also for SPF rules that an earlier version merged.
   */
  adopted?: readonly string[];
}

/** What applying a template starts from. */
export interface Situation {
  /** Every live record of the names that the template touches; others are ignored. */
  live: readonly LiveRecord[];
  /** Whether the caller may delete a record, and the provider lets go of it. Others stay. */
  mayDelete: (record: LiveRecord) => boolean;
  /** What earlier applications of the same template here wrote. What is no longer asked for is deleted. */
  previous?: readonly WrittenRecord[];
  /** When that was written. Somebody else added what is younger. */
  previousAt?: Date | undefined;
  /** What groups of the same template wrote here that are not applied now. It stays, unless it cannot stand beside what they write or is a text that they name. */
  otherGroups?: readonly WrittenRecord[];
  /** What other templates wrote here, for warnings and for SPF rules that they share. */
  others?: readonly WrittenRecord[];
  /** What those wrote so far, if `others` has what they are to have. */
  wrote?: readonly WrittenRecord[];
  /** Whether records that may go, and have gone, stay away: when a changed template follows, not when someone applies it. */
  leavesGone?: boolean;
  /** Returns the nearest TTL that the provider accepts. */
  ttlAt: (ttl: number) => number;
  /** Returns whether a present TTL may be what the provider made of one. For plans that do not ask the provider. */
  mayBeRaised?: (present: number, asked: number) => boolean;
}

/** A record that gives way. */
interface Conflict {
  record: LiveRecord;
  /** The index of the template's record that needs its place; null if the template wrote it earlier and no longer asks for it. */
  index: number | null;
}

/** The changes that applying a template takes. */
export interface Resolution {
  changes: ChangeInput[];
  /** For each change, the index of the template's record behind it; null for deletions of what it no longer asks for. */
  origins: (number | null)[];
  conflicts: Conflict[];
  warnings: string[];
  /** What to remember of this application. */
  written: WrittenRecord[];
}

/** Returns what an application is to have written. */
function writtenOf({ records, spf }: Expanded): WrittenRecord[] {
  return [
    ...records.map(({ recordType: type, name, value, group, essential, ttl }) => {
      return { type, name, value, group, essential, ttl };
    }),
    ...spf.map(({ name, rules: value, group, essential }) => ({ type: "SPFM", name, value, group, essential })),
  ];
}

/**
 * Returns what an application is to have written, before it is known what is there. Only what it wrote before counts as written by it.
 * @param before what it wrote
 */
export function expectedOf(expanded: Expanded, before: readonly WrittenRecord[]): WrittenRecord[] {
  const owned = ownedOf(before);
  return writtenOf(expanded).map((record) => {
    return Object.assign(record, { adopted: partsOf(record).filter((part) => !owned.has(ownedKey(record, part))) });
  });
}

/** Returns the parts of a record that are deleted with it if an application wrote them. */
function partsOf({ type, value }: WrittenRecord): string[] {
  return type === "SPFM" ? [spfVersion, ...wordsOf(value)] : [value];
}

/** Returns the terms of SPF rules as they are compared: without qualifier and capitals. */
function wordsOf(rules: string): string[] {
  const words = rules.toLowerCase().split(/\s+/);
  return words.map((word) => word.replace(/^[+?~-]/, "")).filter((word) => word !== "" && word !== spfVersion);
}

const spfVersion = "v=spf1";

/** Returns the parts that applications wrote, each as `ownedKey`. */
function ownedOf(written: readonly WrittenRecord[]): Set<string> {
  return new Set(
    written.flatMap((record) => {
      // Earlier versions did not note whether the SPF record was there.
      const { adopted = record.type === "SPFM" ? [spfVersion] : [] } = record;
      return partsOf(record).flatMap((part) => (adopted.includes(part) ? [] : [ownedKey(record, part)]));
    }),
  );
}

/** Returns whether an application wrote a record, and it was not there before. */
function isOwned(record: WrittenRecord | undefined): boolean {
  return record !== undefined && record.adopted?.includes(record.value) !== true;
}

/** Returns the parts of a record that the zone has, and whether somebody added what holds them after a time. */
function partsThere(
  { type, name, value }: WrittenRecord,
  live: readonly LiveRecord[],
  since: Date | undefined,
): { parts: ReadonlySet<string>; isYounger: boolean } {
  const found = live.filter((one) =>
    type === "SPFM"
      ? one.name === name && isSpfRecord(one)
      : one.recordType === type && one.name === name && one.value === value,
  );
  const parts = type === "SPFM" ? found.flatMap((one) => [spfVersion, ...wordsOf(one.value)]) : [value];
  return { parts: new Set(found.length > 0 ? parts : []), isYounger: found.some((one) => isYounger(one, since)) };
}

function isYounger({ createdAt }: LiveRecord, since: Date | undefined): boolean {
  return since !== undefined && createdAt > since;
}

/** Returns what to remember: each record that a template asks for, with what of it the applications of templates did not write. */
function remembered(
  expanded: Expanded,
  { live, previous = [], previousAt, otherGroups = [], others = [], wrote = [] }: Situation,
  leftGone: ReadonlySet<string>,
): WrittenRecord[] {
  const mine = ownedOf(previous);
  const theirs = ownedOf([...otherGroups, ...others, ...wrote]);
  return writtenOf(expanded).map((record) => {
    const there = partsThere(record, live, previousAt);
    const isWritten = (part: string) => {
      const key = ownedKey(record, part);
      return theirs.has(key) || (mine.has(key) && !there.isYounger);
    };
    // Whoever adds a record again that is gone does so for reasons of their own.
    const isLeftGone = leftGone.has(writtenKey(record));
    const adopted = partsOf(record).filter((part) => isLeftGone || (there.parts.has(part) && !isWritten(part)));
    return adopted.length > 0 || record.type === "SPFM" ? Object.assign(record, { adopted }) : record;
  });
}

function ownedKey({ type, name }: Pick<WrittenRecord, "type" | "name">, part: string): string {
  return `${type}\u0000${name}\u0000${part}`;
}

/** Turns what a template asks for into changes of a zone. Pure; a second time there is nothing left to change. */
export function resolve(expanded: Expanded, situation: Situation): Resolution {
  const {
    live,
    mayDelete,
    previous = [],
    previousAt,
    otherGroups = [],
    leavesGone = false,
    ttlAt,
    mayBeRaised,
  } = situation;
  const others = [...(situation.others ?? []), ...otherGroups];
  const found: Resolution = {
    changes: [],
    origins: [],
    conflicts: [],
    warnings: [...expanded.warnings],
    written: [],
  };
  const add = (change: ChangeInput, index: number | null) => {
    found.changes.push(change);
    found.origins.push(index);
  };
  const present = new Map(live.map((record) => [textKey(record), record]));
  const before = new Map(previous.map((record) => [writtenKey(record), record]));
  const spfNames = new Set(expanded.spf.map(({ name }) => name));
  const ttls = rrsetTtls(expanded, ttlAt, found.warnings);
  const askedBefore = shortestTtls(previous);
  const asked = shortestTtls(writtenOf(expanded));
  const kept = new Set([...expanded.records.map(textKey), ...others.map(writtenKey)]);
  const isGone = ({ name, recordType, value, essential }: WantedRecord) => {
    const key = textKey({ recordType, name, value });
    return leavesGone && essential === "OnApply" && before.has(key) && !present.has(key);
  };
  const leftGone = new Set(expanded.records.filter(isGone).map(textKey));
  // What is not written needs no place.
  const records = expanded.records.filter((record) => !leftGone.has(textKey(record)));
  const conflicts = new Conflicts(records, expanded.spf);
  found.written.push(...remembered(expanded, situation, leftGone));

  const byIndex = new Map(expanded.records.map((record) => [record.index, record]));
  const ofOtherGroups = new Set(otherGroups.map(writtenKey));
  const mergedByOthers = new Set(otherGroups.flatMap(({ type, name }) => (type === "SPFM" ? [name] : [])));
  for (const record of live) {
    const isMerged = mergedByOthers.has(record.name) && isSpfRecord(record);
    const isOfOthers = isMerged || ofOtherGroups.has(textKey(record));
    const conflict = conflicts.conflictOf(record);
    const wanted = byIndex.get(conflict ?? -1);
    const staysBeside = isOfOthers && canStandBeside(record, wanted) && (isMerged || !namesTexts(wanted));
    const index = staysBeside ? null : conflict;
    const isOld = isOwned(before.get(textKey(record))) && !isYounger(record, previousAt) && !kept.has(textKey(record));
    const merges = spfNames.has(record.name) && isSpfRecord(record);
    if ((index === null && !isOld) || merges || !mayDelete(record)) continue;
    add({ action: "delete", recordId: record.id }, index);
    found.conflicts.push({ record, index });
  }
  for (const record of records) {
    const { recordType, name, index } = record;
    const there = present.get(textKey(record));
    const rrset = `${recordType}\u0000${name}`;
    const ttl = ttls.get(rrset);
    if (there) {
      const asksSame = before.has(textKey(record)) && askedBefore.get(rrset) === asked.get(rrset);
      const isRaised = ttl !== undefined && asksSame && mayBeRaised?.(there.ttl, ttl);
      if (ttl !== undefined && ttl !== there.ttl && !there.proxied && !isRaised)
        add({ action: "update", recordId: there.id, record: { ttl } }, index);
    } else add(created({ ...record, ttl }), index);
  }
  mergeSpfRecords(expanded, situation, ttls, add, found);
  found.warnings.push(
    ...otherTemplates(found.conflicts, situation.others ?? []),
    ...ownSpfWarnings(records, live, found.conflicts),
  );
  return found;
}

function created({
  ttl,
  ...record
}: Pick<RecordData, "recordType" | "name" | "value"> & Spelling & { ttl: number | undefined }) {
  const { recordType, name, value } = asWritten(record);
  return {
    action: "create" as const,
    record: { recordType, name, value, ...(ttl === undefined ? {} : { ttl }) },
  };
}

/** Returns one TTL for each RRset of the template, because an RRset has only one (RFC 2181 §5.2): the shortest that it states. */
function rrsetTtls({ records, spf }: Expanded, ttlAt: Situation["ttlAt"], warnings: string[]): Map<string, number> {
  const ttls = new Map<string, number>();
  const changed = new Map<number, number>();
  const texts = new Set(records.flatMap(({ recordType, name }) => (recordType === "TXT" ? [name] : [])));
  // A merged SPF record alone leaves the TTL of its RRset.
  const merged = spf.filter(({ name }) => !texts.has(name));
  const give = (type: string, { name, ttl: asked }: { name: string; ttl: number | undefined }) => {
    if (asked === undefined) return;
    const ttl = ttlAt(asked);
    if (ttl !== asked) changed.set(asked, ttl);
    const key = `${type}\u0000${name}`;
    ttls.set(key, Math.min(ttls.get(key) ?? ttl, ttl));
  };
  for (const record of records) give(record.recordType, record);
  for (const record of merged) give("SPFM", record);
  for (const [asked, ttl] of changed)
    warnings.push(`The provider does not accept the TTL ${asked}; ${ttl} is used instead.`);
  return ttls;
}

/** Returns the shortest TTL that was asked for in each RRset. */
function shortestTtls(written: readonly WrittenRecord[]): Map<string, number> {
  const shortest = new Map<string, number>();
  for (const { type, name, ttl } of written) {
    const key = `${type}\u0000${name}`;
    if (ttl !== undefined) shortest.set(key, Math.min(ttl, shortest.get(key) ?? ttl));
  }
  return shortest;
}

/** Adds the changes that bring the SPF rules of a template into the SPF record of each host. */
function mergeSpfRecords(
  { records, spf }: Expanded,
  { live, mayDelete, previous = [], previousAt, others: ofOthers = [], otherGroups = [] }: Situation,
  ttls: ReadonlyMap<string, number>,
  add: (change: ChangeInput, index: number | null) => void,
  found: Resolution,
): void {
  const others = [...ofOthers, ...otherGroups];
  const wantedAt = Map.groupBy(spf, ({ name }) => name);
  // Where the template merges rules, it writes no SPF record as TXT.
  const asText = new Set(records.filter(isSpfRecord).map(textKey));
  const gone = new Set(found.conflicts.map(({ record }) => record.id));
  const names = new Set([...wantedAt.keys(), ...previous.flatMap(({ type, name }) => (type === "SPFM" ? [name] : []))]);
  for (const name of names) {
    const wanted = wantedAt.get(name) ?? [];
    const present = live.filter(
      (record) => record.name === name && isSpfRecord(record) && !asText.has(textKey(record)) && !gone.has(record.id),
    );
    const [first, ...more] = present;
    // Nothing to take the old rules out of.
    if (wanted.length === 0 && !first) continue;
    const rules = wanted.map((one) => one.rules);
    const stays = new Set([...rules, ...rulesAt(others, name)].flatMap(wordsOf));
    const dropped = previous
      .filter((record) => record.type === "SPFM" && record.name === name && !(first && isYounger(first, previousAt)))
      .flatMap(({ value, adopted = [] }) => wordsOf(value).filter((term) => !adopted.includes(term)))
      .filter((term) => !stays.has(term));
    const values = present.map(({ value }) => value);
    const merged = mergeSpf(values, rules, dropped);
    const isLost = wanted.length === 0 && first?.value !== merged && /^v=spf1 [~-]all$/.test(merged);
    if (isLost && first && isOwnSpf(name, previous) && !isYounger(first, previousAt) && merged.endsWith("~all")) {
      if (!mayDelete(first)) continue;
      add({ action: "delete", recordId: first.id }, null);
      found.conflicts.push({ record: first, index: null });
      continue;
    }
    if (isLost)
      found.warnings.push(
        `The SPF record of ${name} then lets no server send mail. Delete it afterwards unless you want that.`,
      );
    found.warnings.push(...spfWarnings(name, merged, values));
    const index = wanted[0]?.index ?? null;
    const ttl = ttls.get(`TXT\u0000${name}`);
    if (!first)
      add(created({ recordType: "TXT", name, value: merged, ttl: ttl ?? ttls.get(`SPFM\u0000${name}`) }), index);
    else if (first.value !== merged)
      add(
        { action: "update", recordId: first.id, record: { value: merged, ...(ttl === undefined ? {} : { ttl }) } },
        index,
      );
    for (const record of more) {
      if (!mayDelete(record)) continue;
      add({ action: "delete", recordId: record.id }, index);
      found.conflicts.push({ record, index });
    }
  }
}

/** Returns whether an application created the SPF record of a host. */
function isOwnSpf(name: string, written: readonly WrittenRecord[]): boolean {
  return ownedOf(written).has(ownedKey({ type: "SPFM", name }, spfVersion));
}

/** Returns the SPF rules that templates merged at a host. */
function rulesAt(written: readonly WrittenRecord[], host: string): string[] {
  return written.flatMap(({ type, name, value }) => (type === "SPFM" && name === host ? [value] : []));
}

/** Returns what is still there of what earlier applications wrote, once the changes of another one are made. */
export function stillWritten(
  written: readonly WrittenRecord[],
  { conflicts, written: now }: Resolution,
): WrittenRecord[] {
  const gone = new Set(conflicts.map(({ record }) => textKey(record)));
  const merged = new Set(now.flatMap(({ type, name }) => (type === "SPFM" ? [name] : [])));
  const spfGone = new Set(conflicts.flatMap(({ record }) => (isSpfRecord(record) ? [record.name] : [])));
  return written.filter((one) =>
    one.type === "SPFM" ? merged.has(one.name) || !spfGone.has(one.name) : !gone.has(writtenKey(one)),
  );
}

function writtenKey({ type, name, value }: WrittenRecord): string {
  return textKey({ recordType: type, name, value });
}

/** Warns of records that give way although another template needs them. */
function otherTemplates(conflicts: readonly Conflict[], others: readonly WrittenRecord[]): string[] {
  const needed = new Set(others.flatMap((record) => (record.essential === "Always" ? [writtenKey(record)] : [])));
  return conflicts.flatMap(({ record }) =>
    needed.has(textKey(record))
      ? [
          `${record.name} ${record.recordType} was written by another template that needs it. That template no longer works here.`,
        ]
      : [],
  );
}

/** Warns of SPF records that a template writes as TXT: beside another one (RFC 7208 §3.2), or with too many lookups. */
function ownSpfWarnings(
  records: readonly WantedRecord[],
  live: readonly LiveRecord[],
  conflicts: readonly Conflict[],
): string[] {
  const gone = new Set(conflicts.map(({ record }) => record.id));
  const own = records.filter(isSpfRecord);
  const others = live.filter((record) => isSpfRecord(record) && !gone.has(record.id));
  const warnings: string[] = [];
  for (const name of new Set(own.map((record) => record.name))) {
    const values = new Set([...own, ...others].filter((record) => record.name === name).map(({ value }) => value));
    for (const { value } of own.filter((record) => record.name === name))
      warnings.push(...spfWarnings(name, value, []));
    if (values.size < 2) continue;
    warnings.push(
      `${name} has several SPF records; receivers then ignore all of them (RFC 7208 §3.2). Combine them into one.`,
    );
  }
  return warnings;
}

function isSpfRecord({ recordType, value }: Pick<RecordData, "recordType" | "value">): boolean {
  return recordType === "TXT" && isSpf(value);
}

/*
 * Which records of a zone a template replaces (Domain Connect, "Record Types and Conflicts"). It goes further in one point: whatever stands
 * beside a CNAME goes, and a CNAME goes for whatever comes, because a zone cannot hold both.
 */

const addresses = ["A", "AAAA"];

/** The types at the same name that a record of a type replaces, besides NS. `any` includes every type. */
const replaced: Readonly<Record<string, readonly string[] | "any">> = {
  A: [...addresses, "CNAME", "ALIAS"],
  AAAA: [...addresses, "CNAME", "ALIAS"],
  CNAME: "any",
  ALIAS: [...addresses, "CNAME", "ALIAS"],
  MX: ["MX", "CNAME"],
  SRV: ["SRV", "CNAME"],
  NS: "any",
};

/** A CNAME at the apex, which the provider answers with addresses, leaves mail and texts alone. */
const atApex = [...addresses, "CNAME", "ALIAS"];

/** Types that others cannot stand beside, at their name or below. */
const exclusive = new Set(["CNAME", "ALIAS", "NS"]);

/** Returns whether a zone can hold a present record and one of the template that replaces it. */
function canStandBeside({ recordType }: LiveRecord, wanted: WantedRecord | undefined): boolean {
  return !exclusive.has(recordType) && !exclusive.has(wanted?.recordType ?? "");
}

/** Returns whether a record of the template names the texts that it replaces. */
function namesTexts(wanted: WantedRecord | undefined): boolean {
  return wanted?.recordType === "TXT" && wanted.txtConflicts.mode === "Prefix";
}

type Present = Pick<RecordData, "recordType" | "name" | "value">;

/** Returns the names above a name within the zone, without the apex. */
function ancestorsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}

/** The names whose records decide about conflicts. */
export interface Touched {
  names: string[];
  /** Names of delegations: everything below them matters, too. */
  trees: string[];
}

/** Returns the names to load before `Conflicts` can judge. */
export function touchedNames(wanted: readonly (WantedRecord | WantedSpf)[]): Touched {
  const names = new Set<string>();
  const trees = new Set<string>();
  for (const record of wanted) {
    if ("recordType" in record && record.recordType === "NS") trees.add(record.name);
    names.add(record.name);
    for (const above of ancestorsOf(record.name)) names.add(above);
  }
  return { names: [...names], trees: [...trees] };
}

/** What a template writes, indexed to judge each present record in constant time. */
class Conflicts {
  readonly #byName: ReadonlyMap<string, readonly WantedRecord[]>;
  readonly #written: ReadonlySet<string>;
  readonly #delegations: ReadonlyMap<string, number>;
  /** The template's first record, other than NS and DS, at or below each name. */
  readonly #inTree = new Map<string, number>();
  readonly #spfNames: ReadonlyMap<string, number>;

  constructor(records: readonly WantedRecord[], spf: readonly WantedSpf[]) {
    this.#byName = Map.groupBy(records, ({ name }) => name);
    this.#written = new Set(records.map(textKey));
    this.#delegations = new Map(
      records.flatMap(({ recordType, name, index }) => (recordType === "NS" ? [[name, index]] : [])),
    );
    this.#spfNames = new Map(spf.map(({ name, index }) => [name, index]));
    for (const { recordType, name, index } of [...records, ...spf.map((one) => ({ ...one, recordType: "TXT" }))]) {
      // A DS belongs beside the NS of its delegation.
      const from = recordType === "DS" ? ancestorsOf(name) : [name, ...ancestorsOf(name)];
      if (recordType !== "NS") for (const at of from) if (!this.#inTree.has(at)) this.#inTree.set(at, index);
    }
  }

  /** Returns the index of the template's record that a present record conflicts with; null if it may stay. */
  conflictOf(present: Present): number | null {
    if (isApexNs(present) || isServerManaged(present) || present.recordType === "SOA") return null;
    if (this.#written.has(textKey(present))) return null;
    // SPF records are merged instead.
    const merging = this.#spfNames.has(present.name) && present.recordType === "TXT" && isSpf(present.value);
    if (!merging) {
      const here = this.#byName.get(present.name)?.find((record) => isReplaced(record, present));
      if (here) return here.index;
      if (present.recordType === "CNAME") return this.#spfNames.get(present.name) ?? null;
    }
    if (present.recordType === "NS") return this.#inTree.get(present.name) ?? null;
    for (const above of ancestorsOf(present.name)) {
      const index = this.#delegations.get(above);
      if (index !== undefined) return index;
    }
    return null;
  }
}

/** Returns whether a record of the template replaces a present one of the same name. */
function isReplaced({ recordType, name, txtConflicts }: WantedRecord, present: Present): boolean {
  if (recordType === "TXT" && present.recordType === "TXT") {
    if (txtConflicts.mode === "Prefix") return present.value.startsWith(txtConflicts.prefix);
    return txtConflicts.mode === "All";
  }
  const types = recordType === "CNAME" && name === "@" ? atApex : (replaced[recordType] ?? ["CNAME"]);
  return types === "any" || types.includes(present.recordType);
}
