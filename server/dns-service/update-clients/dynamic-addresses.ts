import { isIPv4 } from "node:net";
import type { Caller } from "../../access/caller.ts";
import { isBeingChanged } from "../../zones/changes/zone-context.ts";
import { liveAtNames } from "../../zones/changes/state/live-queries.ts";
import type { EntityManager } from "../../database/database.ts";
import { isActive, proxiedLike, type LiveRecord } from "../../dns/record.ts";
import { aRule } from "../../dns/values/a.ts";
import { aaaaRule } from "../../dns/values/aaaa.ts";
import type { Edit } from "../../zones/records/editing/edits.ts";
import type { Records } from "../../zones/records/service.ts";
import { ttlFor } from "./acme-challenges.ts";
import { writablePlace } from "./writable-zone.ts";

/** The addresses that a host is to have. A family without one stays as it is. */
export interface Addresses {
  A: string | null;
  AAAA: string | null;
}

const families = ["A", "AAAA"] as const;

/** Reads a list of addresses, at most one of each family; null if it is anything else. */
export function parseAddresses(texts: readonly string[]): Addresses | null {
  const found: Addresses = { A: null, AAAA: null };
  for (const text of texts) {
    // Sockets that take both families show IPv4 addresses like this (RFC 4291 §2.5.5.2).
    const plain = text.replace(/^::ffff:(?=\d+\.)/i, "");
    const type = isIPv4(plain) ? "A" : "AAAA";
    const written = (type === "A" ? aRule : aaaaRule).write(plain, undefined);
    if (!written.ok || found[type] !== null) return null;
    found[type] = written.value.value;
  }
  return found.A === null && found.AAAA === null ? null : found;
}

/** Sets the addresses of hosts whose own network changes them. */
export class DynamicAddresses {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * Replaces a host's A and AAAA records, of each family with an address. Other records stay.
   * @param labels of the full name, canonical
   * @returns whether something changed @throws AppError NOT_FOUND, FORBIDDEN, PROVIDER_ERROR and as a change of records
   */
  async set(em: EntityManager, caller: Caller, labels: readonly string[], addresses: Addresses): Promise<boolean> {
    const types = families.filter((family) => addresses[family] !== null);
    const { domainId, host } = await writablePlace(em, caller, labels, types);
    const owner = `${labels.join(".")}.`;
    // Asked before the records are read: what a change in flight is about to replace does not count.
    const isSettled = !(await isBeingChanged(em, domainId));
    const present = await liveAtNames(em, domainId, [host]);
    // Clients ask every few minutes. Most of the time nothing is to be done, and no provider is asked.
    if (isSettled && editsFor(owner, addresses, present, 0).length === 0) return false;
    const { changed } = await this.#records.edit(em, caller, domainId, {
      derive: async (_tx, zone, live) => editsFor(owner, addresses, await live.at([host]), ttlFor(zone.kind)),
    });
    return changed > 0;
  }
}

/** @param owner absolute: a relative name that ends in the zone's name would be taken for another one */
function editsFor(owner: string, addresses: Addresses, present: readonly LiveRecord[], ttl: number): Edit[] {
  const edits: Edit[] = [];
  for (const recordType of families) {
    const value = addresses[recordType];
    if (value === null) continue;
    const records = present.filter((record) => isActive(record) && record.recordType === recordType);
    const hidden = records.find(({ proxied }) => proxied);
    const stays = records.find((record) => record.value === value) ?? hidden ?? records[0];
    const proxied = proxiedLike(recordType, present);
    if (!stays) edits.push({ action: "create", input: { recordType, name: owner, value, ttl, proxied } });
    for (const { id } of records) if (id !== stays?.id) edits.push({ action: "delete", recordId: id });
    if (stays && stays.value !== value) edits.push({ action: "update", recordId: stays.id, patch: { value, ttl } });
  }
  return edits;
}
