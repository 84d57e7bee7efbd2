import type { RecordCalls, StoredRecord } from "../../../server/dns-providers/single-record-api/record-calls.ts";
import { ProviderError } from "../../../server/dns-providers/provider.ts";
import { recordKey, type RecordData } from "../../../server/dns/record.ts";
import { ok, refuse, type Result } from "../../../server/platform/result.ts";

/** What the vendor does with its n-th call. */
export type Mood = "willing" | "refuses" | "away" | "does it and is cut off";

/** A vendor in memory: no duplicates, nothing beside a CNAME, and scripted failures. */
export class MemoryVendor implements RecordCalls {
  readonly records = new Map<string, RecordData>();
  readonly #moods: readonly Mood[];
  calls = 0;
  /** What was done, in order: `remove 1`, `create 3 www A 192.0.2.1 300`. */
  readonly done: string[] = [];
  #ids = 0;

  constructor(records: readonly RecordData[], moods: readonly Mood[] = []) {
    for (const record of records) this.records.set(String(++this.#ids), record);
    this.#moods = moods;
  }

  stored(): StoredRecord[] {
    return [...this.records].map(([id, data]) => ({ id, data }));
  }

  keys(): string[] {
    return [...this.records.values()].map(recordKey).toSorted();
  }

  create(record: RecordData): Promise<Result<string>> {
    const id = String(++this.#ids);
    return this.#carryOut(`create ${said(id, record)}`, () => this.#put(id, record), id);
  }

  update(id: string, record: RecordData): Promise<Result<null>> {
    const work = () => (this.records.has(id) ? this.#put(id, record) : "there is no such record");
    return this.#carryOut(`update ${said(id, record)}`, work, null);
  }

  remove(id: string): Promise<Result<null>> {
    return this.#carryOut(`remove ${id}`, () => (this.records.delete(id) ? null : "there is no such record"), null);
  }

  #put(id: string, record: RecordData): string | null {
    const others = [...this.records].filter(([other]) => other !== id).map(([, data]) => data);
    const beside = others.filter(({ name }) => name === record.name);
    if (beside.some((other) => recordKey(other) === recordKey(record))) return "it is there already";
    const types = new Set([record, ...beside].map(({ recordType }) => recordType));
    if (types.has("CNAME") && beside.length > 0) return "a CNAME stands alone";
    this.records.set(id, record);
    return null;
  }

  // oxlint-disable-next-line typescript/promise-function-async -- async, so that calls of different names interleave.
  async #carryOut<T>(what: string, work: () => string | null, value: T): Promise<Result<T>> {
    const mood = this.#moods[this.calls++] ?? "willing";
    await Promise.resolve();
    if (mood === "refuses") return refuse("no");
    if (mood === "away") throw new ProviderError("away", "none");
    const reason = work();
    if (reason === null) this.done.push(what);
    if (mood === "does it and is cut off") throw new ProviderError("cut off", "unknown");
    return reason === null ? ok(value) : refuse(reason);
  }
}

function said(id: string, { name, recordType, value, ttl }: RecordData): string {
  return `${id} ${name} ${recordType} ${value} ${ttl}`;
}
