import type { DnsRecord, Domain, RouterInputs, ZoneOfName } from "./app-router.ts";
import { isZonewrightError } from "./errors.ts";
import type { Procedures } from "./procedures.ts";

/** The input of {@link ZoneHelpers.ensureRecord}: the domain's id and the wanted record. */
export type EnsureRecordInput = RouterInputs["records"]["create"] & { value: string };

/** The record that {@link ZoneHelpers.ensureRecord} found or created, and the action taken. */
export interface EnsuredRecord {
  outcome: "unchanged" | "created" | "updated";
  record: DnsRecord;
}

/** The record that {@link ZoneHelpers.deleteRecord} deletes. */
export interface DeleteRecordInput {
  /** The domain's id. */
  id: string;
  recordType: DnsRecord["recordType"];
  /** The host: `@`, relative, or fully qualified. */
  name: string;
  /** The value, in any spelling with the same canonical form. */
  value: string;
  /** TXT: the record's strings; null for one split at every 255 octets. Omitted: any split. */
  strings?: string[] | null | undefined;
}

/** Finds domains and records by name instead of by id. */
export interface ZoneHelpers {
  /**
   * Returns the domain of exactly this name, in Unicode or A-labels, or null. A view may follow: `example.com!internal`. A bare name means
   * the default view, or the only one.
   * @throws ZonewrightError `CONFLICT` if several views have the name and none is the default
   */
  domainNamed(name: string, options?: { signal?: AbortSignal }): Promise<Domain | null>;
  /**
   * Returns the most specific domain that contains a host name, and the host relative to it, or null. A view may follow:
   * `www.example.com!internal`.
   * @throws ZonewrightError `CONFLICT` if several views hold the host and none is the default
   */
  zoneOf(hostName: string, options?: { signal?: AbortSignal }): Promise<ZoneOfName | null>;
  /**
   * Ensures that a record exists; idempotent. An existing record of this type, name and value gets the given `ttl`, `proxied` and `comment`,
   * and is enabled, or disabled with `status: "disabled"`; otherwise the record is created. Other records of the name stay. A TXT may be split
   * in any way unless `strings` is given.
   * @throws ZonewrightError as `records.create`
   */
  ensureRecord(input: EnsureRecordInput, options?: { signal?: AbortSignal }): Promise<EnsuredRecord>;
  /** Deletes the record of this type, name and value: the active one, if another is disabled. Returns whether it existed. */
  deleteRecord(input: DeleteRecordInput, options?: { signal?: AbortSignal }): Promise<boolean>;
}

export function zoneHelpers({ domains, records }: Procedures): ZoneHelpers {
  /** Returns the record, of several one that is or is not `disabled` as asked. */
  const find = async (input: DeleteRecordInput & { disabled: boolean }, options: { signal?: AbortSignal }) => {
    const { id, recordType: type, name, value, strings, disabled } = input;
    const { records: found } = await records.list.query({ id, type, name, value, limit: 100 }, options);
    const exact = found.filter((record) => sameStrings(record.strings, strings ?? null));
    const fitting = strings === undefined ? [...exact, ...found] : exact;
    return fitting.find((record) => isDisabled(record) === disabled) ?? fitting[0] ?? null;
  };
  return {
    async domainNamed(name, options = {}) {
      const { domains: found } = await domains.list.query({ name, limit: 1 }, options);
      return found[0] ?? null;
    },
    async zoneOf(name, options = {}) {
      try {
        return await domains.zoneOf.query({ name }, options);
      } catch (error) {
        if (isZonewrightError(error) && error.code === "NOT_FOUND") return null;
        throw error;
      }
    },
    async ensureRecord(input, options = {}) {
      const { id, recordType, name, strings, priority, ttl, proxied, comment, status = "active" } = input;
      const value = withPriority(input.value, recordType, priority);
      const disabled = isDisabled({ status });
      const present = await find({ id, recordType, name, value, strings, disabled }, options);
      if (!present) return { outcome: "created", record: await records.create.mutate(input, options) };
      const wanted = { ttl, proxied, comment, status: isDisabled(present) === disabled ? undefined : status };
      const changed = Object.entries(wanted).filter(
        ([field, given]) => given !== undefined && given !== present[field as keyof typeof wanted],
      );
      if (changed.length === 0) return { outcome: "unchanged", record: present };
      const patch = { id, recordId: present.id, ...Object.fromEntries(changed) };
      return { outcome: "updated", record: await records.update.mutate(patch, options) };
    },
    async deleteRecord(input, options = {}) {
      const present = await find({ ...input, disabled: false }, options);
      if (!present) return false;
      try {
        await records.delete.mutate({ id: input.id, recordId: present.id }, options);
        return true;
      } catch (error) {
        if (isZonewrightError(error) && error.code === "NOT_FOUND") return false;
        throw error;
      }
    },
  };
}

function isDisabled({ status }: { status: DnsRecord["status"] }): boolean {
  return status === "disabled";
}

function sameStrings(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((string, index) => string === other[index]);
}

/** MX and SRV values carry their priority; the service completes a value without one in the same way. */
function withPriority(value: string, recordType: string, priority: number | null | undefined): string {
  const fields = value.trim().split(/\s+/).length;
  const lacksIt = (recordType === "MX" && fields === 1) || (recordType === "SRV" && fields === 3);
  return lacksIt && typeof priority === "number" ? `${priority} ${value}` : value;
}
