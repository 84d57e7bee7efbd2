import { isUnchanged, type LiveRecord, type PlannedChange, type RecordDraft } from "../../dns/live-record.ts";
import type { ServerRules } from "../../dns/server-rules/rules.ts";
import { newViolations } from "../../dns/zone-rules.ts";
import type { Violation } from "../../dns/server-rules/rules.ts";
import { SharedTtls } from "./shared-ttls.ts";

/**
 * The part of a zone that an edit touches, in memory: starts as the live records of some names, takes edits, and tells
 * what changed. Every name that is edited must have been loaded whole.
 */
export class ZoneView {
  readonly #rules: ServerRules | null;
  readonly #original = new Map<string, LiveRecord>();
  readonly #originalByName = new Map<string, LiveRecord[]>();
  /** With the TTLs that they came with; `#ttls` knows which hold. */
  readonly #current = new Map<string, RecordDraft>();
  readonly #ids = new Map<string, Set<string>>();
  readonly #ttls = new SharedTtls();
  /** What to do, newest last, to get back. */
  readonly #journal: Undo[] = [];

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
    const record = this.#current.get(id);
    if (!record) return undefined;
    const ttl = this.#ttls.of(record);
    return ttl === record.ttl ? record : { ...record, ttl };
  }

  at(name: string): RecordDraft[] {
    return [...(this.#ids.get(name) ?? [])].flatMap((id) => this.get(id) ?? []);
  }

  /** The TTL that holds where a record would come; undefined where it would be the first. */
  ttlOf(record: RecordDraft): number | undefined {
    return this.#ttls.where(record);
  }

  /**
   * Makes or replaces a record. The rest of its RRset takes over its TTL (RFC 2181 §5.2).
   * @returns how many others changed with it.
   */
  put(id: string, draft: RecordDraft): number {
    this.#record(id, undefined);
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

  /** A point to come back to. */
  mark(): number {
    return this.#journal.length;
  }

  /** Undoes everything since `mark`. */
  revert(mark: number): void {
    for (const undo of this.#journal.splice(mark).toReversed()) {
      if (undo.kind === "ttl") this.#ttls.restore(undo.record, undo.given);
      else this.#set(undo.id, undo.previous);
    }
  }

  /** Names touched since `mark`. */
  touchedSince(mark: number): Set<string> {
    const names = new Set<string>();
    for (const undo of this.#journal.slice(mark)) {
      if (undo.kind === "ttl") continue;
      if (undo.previous) names.add(undo.previous.name);
      const present = this.#current.get(undo.id);
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
    const touched = new Set<string>();
    for (const undo of this.#journal) {
      if (undo.kind === "record") touched.add(undo.id);
    }
    // A record whose TTL alone changes was not written itself.
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
      this.#ttls.remove(previous);
    }
    if (!draft) {
      this.#current.delete(id);
      return;
    }
    this.#current.set(id, draft);
    this.#ttls.add(draft);
    const ids = this.#ids.get(draft.name);
    if (ids) ids.add(id);
    else this.#ids.set(draft.name, new Set([id]));
  }
}

/** One step back: a record as it was, or the TTL that some records were given. */
type Undo =
  | { kind: "record"; id: string; previous: RecordDraft | undefined }
  | { kind: "ttl"; record: RecordDraft; given: number | undefined };
