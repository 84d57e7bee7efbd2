import { ttlKey, type RecordData } from "../../dns/record.ts";

type Keyed = Parameters<typeof ttlKey>[0];

/** Records that share a TTL, see `ttlKey`. */
interface Sharing {
  /** How many came with which TTL. More than one only where a provider serves it so. */
  readonly counts: Map<number, number>;
  size: number;
  /** The TTL that an edit gave to all of them; undefined while each has its own. */
  given: number | undefined;
}

/**
 * The TTLs of records that share one (RFC 2181 §5.2). One that is given to all is noted once and not written to each: edits may change it as
 * often as there are edits.
 */
export class SharedTtls {
  readonly #sharing = new Map<string, Sharing>();

  /** The TTL that a record has, where its own may be outdated. */
  of(record: RecordData): number {
    return this.#sharing.get(ttlKey(record))?.given ?? record.ttl;
  }

  /** The TTL that holds where a record would come; undefined where it would be the first. */
  where(record: Keyed): number | undefined {
    const sharing = this.#sharing.get(ttlKey(record));
    return sharing && sharing.size > 0 ? (sharing.given ?? sharing.counts.keys().next().value) : undefined;
  }

  /** How many records have another TTL than this one. */
  deviating(record: RecordData): number {
    const sharing = this.#sharing.get(ttlKey(record));
    if (!sharing) return 0;
    if (sharing.given !== undefined) return sharing.given === record.ttl ? 0 : sharing.size;
    return sharing.size - (sharing.counts.get(record.ttl) ?? 0);
  }

  /** Gives a TTL to all. @returns what was given before, for `restore` */
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
