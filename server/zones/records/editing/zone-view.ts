import { newViolations, type ServerRules, type ApexCname, type Violation } from "../../../dns/zone-rules.ts";
import {
  isActive,
  isUnchanged,
  ttlKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
  type RecordDraft,
} from "../../../dns/record.ts";
import { atOnce, type Steps } from "../../../platform/slices.ts";

/**
 * Holds the part of a zone that edits touch: starts with the live records of some names, takes edits, and returns the changes. Every name
 * that is edited must have been loaded completely. Disabled records are changed like others but count for no rule: they are in no RRset.
 */
export class ZoneView {
  readonly #rules: ServerRules | null;
  readonly #apexCname: ApexCname | null;
  readonly #original = new Map<string, LiveRecord>();
  readonly #originalByName = new Map<string, LiveRecord[]>();
  /** With their original TTLs; `#ttls` has the present ones. */
  readonly #current = new Map<string, RecordDraft>();
  readonly #ids = new Map<string, Set<string>>();
  readonly #ttls = new SharedTtls();
  /** The steps to undo, newest last. */
  readonly #journal: Undo[] = [];

  /**
   * @param rules what the zone's name servers check; null if unknown
   * @param apexCname the provider's CNAME at the apex; null if there must be none
   */
  constructor(records: Iterable<LiveRecord>, rules: ServerRules | null = null, apexCname: ApexCname | null = null) {
    this.#rules = rules;
    this.#apexCname = apexCname;
    for (const record of records) {
      this.#original.set(record.id, record);
      const named = this.#originalByName.get(record.name);
      if (named) named.push(record);
      else this.#originalByName.set(record.name, [record]);
      this.#set(record.id, record);
    }
  }

  get(id: string): RecordDraft | undefined {
    const record = this.#current.get(id);
    if (!record || !isActive(record)) return record;
    const ttl = this.#ttls.of(record);
    return ttl === record.ttl ? record : { ...record, ttl };
  }

  /** Returns the records of a name that DNS has. */
  at(name: string): RecordDraft[] {
    return [...(this.#ids.get(name) ?? [])].flatMap((id) => this.get(id) ?? []).filter(isActive);
  }

  /** Returns the TTL of the RRset that a record would join; undefined if it would be the first. */
  ttlOf(record: RecordDraft): number | undefined {
    return this.#ttls.where(record);
  }

  /**
   * Creates or replaces a record. The rest of its RRset takes its TTL (RFC 2181 §5.2).
   * @returns how many other records change with it.
   */
  put(id: string, draft: RecordDraft): number {
    this.#record(id, undefined);
    if (!isActive(draft)) {
      this.#record(id, draft);
      return 0;
    }
    const others = this.#ttls.deviating(draft);
    this.#record(id, draft);
    if (others > 0 || this.#ttls.of(draft) !== draft.ttl) {
      this.#journal.push({ kind: "ttl", record: draft, given: this.#ttls.give(draft) });
    }
    return others;
  }

  remove(id: string): void {
    this.#record(id, undefined);
  }

  /** Returns a point that `revert` can go back to. */
  checkpoint(): number {
    return this.#journal.length;
  }

  /** Undoes every edit since `checkpoint`. */
  revert(checkpoint: number): void {
    for (const undo of this.#journal.splice(checkpoint).toReversed()) {
      if (undo.kind === "ttl") this.#ttls.restore(undo.record, undo.given);
      else this.#set(undo.id, undo.previous);
    }
  }

  /** Returns the names that edits touched since `checkpoint`. */
  touchedSince(checkpoint: number): Set<string> {
    const names = new Set<string>();
    for (const undo of this.#journal.slice(checkpoint)) {
      if (undo.kind === "ttl") continue;
      if (undo.previous) names.add(undo.previous.name);
      const present = this.#current.get(undo.id);
      if (present) names.add(present.name);
    }
    return names;
  }

  /** Returns how the records that a name had when loaded have changed. */
  changesAt(name: string): { before: LiveRecord; after: RecordDraft | null }[] {
    return (this.#originalByName.get(name) ?? []).flatMap((before) => {
      const after = this.get(before.id) ?? null;
      return after !== null && isUnchanged(before, after) ? [] : [{ before, after }];
    });
  }

  /** Returns the rules that these names break now and did not break when loaded. */
  violations(names: Iterable<string>): { name: string; violation: Violation }[] {
    return atOnce(this.judging(names));
  }

  /** `violations` in steps. */
  *judging(names: Iterable<string>): Steps<{ name: string; violation: Violation }[]> {
    const found: { name: string; violation: Violation }[] = [];
    for (const name of names) {
      yield;
      const before = (this.#originalByName.get(name) ?? []).filter(isActive);
      for (const violation of newViolations(name, before, this.at(name), this.#rules, this.#apexCname))
        found.push({ name, violation });
    }
    return found;
  }

  /** Returns the changes: deletes, then updates, then creates, so that a name is free before it is taken. */
  changes(): PlannedChange[] {
    const deletes: PlannedChange[] = [];
    const updates: PlannedChange[] = [];
    const creates: PlannedChange[] = [];
    const touched = new Set<string>();
    for (const undo of this.#journal) {
      if (undo.kind === "record") touched.add(undo.id);
    }
    // Records whose TTL was aligned are not in the journal themselves.
    const aligned = new Set(this.#journal.flatMap((undo) => (undo.kind === "ttl" ? [undo.record.name] : [])));
    for (const name of aligned) for (const id of this.#ids.get(name) ?? []) touched.add(id);
    for (const id of touched) {
      const before = this.#original.get(id);
      const after = this.get(id);
      if (!before && after) creates.push({ action: "create", id, before: null, after });
      if (before && !after) deletes.push({ action: "delete", id, before, after: null });
      if (before && after && !isUnchanged(before, after)) {
        updates.push({ action: "update", id, before, after });
      }
    }
    return [...deletes, ...updates, ...creates];
  }

  #record(id: string, draft: RecordDraft | undefined): void {
    this.#journal.push({ kind: "record", id, previous: this.#current.get(id) });
    this.#set(id, draft);
  }

  #set(id: string, draft: RecordDraft | undefined): void {
    const previous = this.#current.get(id);
    if (previous) {
      this.#ids.get(previous.name)?.delete(id);
      if (isActive(previous)) this.#ttls.remove(previous);
    }
    if (!draft) {
      this.#current.delete(id);
      return;
    }
    this.#current.set(id, draft);
    if (isActive(draft)) this.#ttls.add(draft);
    const ids = this.#ids.get(draft.name);
    if (ids) ids.add(id);
    else this.#ids.set(draft.name, new Set([id]));
  }
}

/** One step to undo: a record as it was, or the TTL that an RRset was given before. */
type Undo =
  | { kind: "record"; id: string; previous: RecordDraft | undefined }
  | { kind: "ttl"; record: RecordDraft; given: number | undefined };

type Keyed = Parameters<typeof ttlKey>[0];

/** Records that share a TTL (see `ttlKey`). */
interface Sharing {
  /** How many records have which TTL. More than one TTL only if a provider serves the RRset so. */
  readonly counts: Map<number, number>;
  size: number;
  /** The TTL that an edit gave to all of them; undefined while each has its own. */
  given: number | undefined;
}

/**
 * Holds the TTLs that records share (RFC 2181 §5.2). A TTL given to all is stored once and not written to each record: every edit may change
 * it.
 */
class SharedTtls {
  readonly #sharing = new Map<string, Sharing>();

  /** Returns a record's present TTL; the record's own may be outdated. */
  of(record: RecordData): number {
    return this.#sharing.get(ttlKey(record))?.given ?? record.ttl;
  }

  /** Returns the TTL of the RRset that a record would join; undefined if it would be the first. */
  where(record: Keyed): number | undefined {
    const sharing = this.#sharing.get(ttlKey(record));
    return sharing && sharing.size > 0 ? (sharing.given ?? sharing.counts.keys().next().value) : undefined;
  }

  /** Returns how many records of the RRset have another TTL than this one. */
  deviating(record: RecordData): number {
    const sharing = this.#sharing.get(ttlKey(record));
    if (!sharing) return 0;
    if (sharing.given !== undefined) return sharing.given === record.ttl ? 0 : sharing.size;
    return sharing.size - (sharing.counts.get(record.ttl) ?? 0);
  }

  /** Gives the record's TTL to all. @returns the one given before, for `restore` */
  give(record: RecordData): number | undefined {
    const sharing = this.#at(record);
    const before = sharing.given;
    sharing.given = record.ttl;
    return before;
  }

  restore(record: Keyed, given: number | undefined): void {
    this.#at(record).given = given;
  }

  add(record: RecordData): void {
    const { counts } = this.#count(record, 1);
    counts.set(record.ttl, (counts.get(record.ttl) ?? 0) + 1);
  }

  remove(record: RecordData): void {
    const { counts } = this.#count(record, -1);
    const left = (counts.get(record.ttl) ?? 0) - 1;
    if (left > 0) counts.set(record.ttl, left);
    else counts.delete(record.ttl);
  }

  #count(record: Keyed, by: number): Sharing {
    const sharing = this.#at(record);
    sharing.size += by;
    return sharing;
  }

  #at(record: Keyed): Sharing {
    const key = ttlKey(record);
    const known = this.#sharing.get(key);
    if (known) return known;
    const made: Sharing = { counts: new Map(), size: 0, given: undefined };
    this.#sharing.set(key, made);
    return made;
  }
}
