import { isUnchanged, type LiveRecord, type PlannedChange, type RecordDraft } from "../live-record.ts";
import { ttlKey } from "../record.ts";
import type { ServerRules } from "../server-rules/rules.ts";
import { newViolations, type Violation } from "../zone-rules.ts";

/**
 * The part of a zone that an edit touches, in memory: starts as the live records of some names, takes edits, and tells
 * what changed. Every name that is edited must have been loaded whole.
 */
export class ZoneView {
  readonly #rules: ServerRules | null;
  readonly #original = new Map<string, LiveRecord>();
  readonly #originalByName = new Map<string, LiveRecord[]>();
  readonly #current = new Map<string, RecordDraft>();
  readonly #ids = new Map<string, Set<string>>();
  /** Of each set of records that share a TTL, see `ttlKey`: those with each TTL. More than one only where a provider serves it so. */
  readonly #ttls = new Map<string, Map<number, Set<string>>>();
  /** What to do, newest last, to get back. */
  readonly #journal: [id: string, previous: RecordDraft | undefined][] = [];

  /** @param rules what the zone's name servers check; null where they are not known to */
  constructor(records: Iterable<LiveRecord>, rules: ServerRules | null = null) {
    this.#rules = rules;
    for (const record of records) {
      this.#original.set(record.id, record);
      const named = this.#originalByName.get(record.name);
      if (named) named.push(record);
      else this.#originalByName.set(record.name, [record]);
      this.#set(record.id, record);
    }
  }

  get(id: string): RecordDraft | undefined {
    return this.#current.get(id);
  }

  at(name: string): RecordDraft[] {
    return [...(this.#ids.get(name) ?? [])].flatMap((id) => this.#current.get(id) ?? []);
  }

  /**
   * Makes or replaces a record. The rest of its RRset takes over its TTL (RFC 2181 §5.2).
   * @returns how many others changed with it.
   */
  put(id: string, draft: RecordDraft): number {
    this.#record(id, draft);
    const deviating: string[] = [];
    for (const [ttl, ids] of this.#ttls.get(ttlKey(draft)) ?? []) {
      if (ttl !== draft.ttl) for (const other of ids) deviating.push(other);
    }
    for (const other of deviating) {
      const sibling = this.#current.get(other);
      if (sibling) this.#record(other, { ...sibling, ttl: draft.ttl });
    }
    return deviating.length;
  }

  /** The TTL that holds where a record would come; undefined where it would be the first. */
  ttlOf(record: RecordDraft): number | undefined {
    return this.#ttls.get(ttlKey(record))?.keys().next().value;
  }

  remove(id: string): void {
    this.#record(id, undefined);
  }

  /** A point to come back to. */
  mark(): number {
    return this.#journal.length;
  }

  /** Undoes everything since `mark`. */
  revert(mark: number): void {
    for (const [id, previous] of this.#journal.splice(mark).toReversed()) this.#set(id, previous);
  }

  /** Names touched since `mark`. */
  touchedSince(mark: number): Set<string> {
    const names = new Set<string>();
    for (const [id, previous] of this.#journal.slice(mark)) {
      if (previous) names.add(previous.name);
      const present = this.#current.get(id);
      if (present) names.add(present.name);
    }
    return names;
  }

  /** Rules that the touched names break now and did not break when loaded. */
  violations(names: Iterable<string>): { name: string; violation: Violation }[] {
    const found: { name: string; violation: Violation }[] = [];
    for (const name of names) {
      const before = this.#originalByName.get(name) ?? [];
      for (const violation of newViolations(name, before, this.at(name), this.#rules)) found.push({ name, violation });
    }
    return found;
  }

  /** What became different: deletes, then updates, then creates, so that a name is free before it is taken. */
  changes(): PlannedChange[] {
    const deletes: PlannedChange[] = [];
    const updates: PlannedChange[] = [];
    const creates: PlannedChange[] = [];
    const touched = new Set(this.#journal.map(([id]) => id));
    for (const id of touched) {
      const before = this.#original.get(id);
      const after = this.#current.get(id);
      if (!before && after) creates.push({ action: "create", id, before: null, after });
      if (before && !after) deletes.push({ action: "delete", id, before, after: null });
      if (before && after && !isUnchanged(before, after)) {
        updates.push({ action: "update", id, before, after });
      }
    }
    return [...deletes, ...updates, ...creates];
  }

  #record(id: string, draft: RecordDraft | undefined): void {
    this.#journal.push([id, this.#current.get(id)]);
    this.#set(id, draft);
  }

  #set(id: string, draft: RecordDraft | undefined): void {
    const previous = this.#current.get(id);
    if (previous) {
      this.#ids.get(previous.name)?.delete(id);
      this.#unlist(id, previous);
    }
    if (!draft) {
      this.#current.delete(id);
      return;
    }
    this.#current.set(id, draft);
    const ids = this.#ids.get(draft.name);
    if (ids) ids.add(id);
    else this.#ids.set(draft.name, new Set([id]));
    const ttls = this.#ttls.get(ttlKey(draft)) ?? new Map<number, Set<string>>();
    this.#ttls.set(ttlKey(draft), ttls);
    const same = ttls.get(draft.ttl);
    if (same) same.add(id);
    else ttls.set(draft.ttl, new Set([id]));
  }

  #unlist(id: string, record: RecordDraft): void {
    const ttls = this.#ttls.get(ttlKey(record));
    const same = ttls?.get(record.ttl);
    same?.delete(id);
    if (same?.size === 0) ttls?.delete(record.ttl);
  }
}
