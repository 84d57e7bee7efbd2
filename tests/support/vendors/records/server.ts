import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import type { TargetName } from "../../../services/conformance/group.ts";

/** A record in a simulated account, with the fields that the vendor shows. */
export interface HeldRecord {
  id: number;
  type: string;
  /** Relative to the zone; empty at the apex. */
  name: string;
  ttl: number;
  /** The vendor's other fields. */
  fields: Record<string, unknown>;
}

export type Draft = Omit<HeldRecord, "id">;

/** An API of single records, as its vendor describes it: how its calls and answers look. */
export interface RecordDialect {
  kind: string;
  name: TargetName;
  /** A configuration of ours for the API at this address, and the field with the credentials. */
  config(url: string): Record<string, string>;
  secret: string;
  /** Whether zones come with domains that are registered there, so that the API creates none. */
  zonesComeWithDomains?: true;
  /** Whether a call changes records. Left out: every call but GET. */
  isWrite?: (call: VendorCall) => boolean;
  answer(call: VendorCall, store: RecordStore): VendorReply;
  unauthorized: VendorReply;
  forbidden: VendorReply;
  /** A rate limit that ends in so many seconds. */
  throttled(seconds: number): VendorReply;
  /** A refusal of a change, without effect. */
  refusal(message: string): VendorReply;
}

/** The zones of a simulated account. It refuses equal records, and anything beside a CNAME. */
export class RecordStore {
  readonly zones = new Map<string, { id: number; records: Map<number, HeldRecord> }>();
  #ids = 1_000;

  addZone(name: string): { id: number; records: Map<number, HeldRecord> } {
    const zone = { id: ++this.#ids, records: new Map<number, HeldRecord>() };
    this.zones.set(name, zone);
    return zone;
  }

  /** Adds a record without any check, as the vendor's console may. */
  add(zone: string, draft: Draft): HeldRecord {
    const held = { ...draft, id: ++this.#ids };
    this.zones.get(zone)?.records.set(held.id, held);
    return held;
  }

  /** Returns why a record is refused, or null. @param id of the record that it replaces */
  faultOf(zone: string, draft: Draft, id?: number): string | null {
    const others = [...(this.zones.get(zone)?.records.values() ?? [])].filter((one) => one.id !== id);
    const beside = others.filter(({ name }) => name === draft.name);
    const isEqual = ({ type, fields }: Draft) =>
      type === draft.type && JSON.stringify(fields) === JSON.stringify(draft.fields);
    if (beside.some(isEqual)) return "A record like this exists already.";
    const types = [draft, ...beside].map(({ type }) => type);
    return types.length > 1 && types.includes("CNAME") ? "A CNAME must be the only record of its name." : null;
  }

  /** A zone's records as `name type ttl fields`. */
  lines(zone: string): string[] {
    return [...(this.zones.get(zone)?.records.values() ?? [])]
      .map(({ name, type, ttl, fields }) => `${name} ${type} ${ttl} ${Object.values(fields).join(" ")}`)
      .toSorted();
  }
}

export interface RecordServer extends LoopbackVendor {
  dialect: RecordDialect;
  store: RecordStore;
  config: Record<string, string>;
}

/** A simulated vendor whose API writes single records, with faults on demand. */
export async function startRecordVendor(dialect: RecordDialect): Promise<RecordServer> {
  const store = new RecordStore();
  const vendor = await startLoopbackVendor((call) => dialect.answer(call, store));
  return { ...vendor, dialect, store, config: dialect.config(vendor.url) };
}

export function json(status: number, body?: unknown, headers: VendorReply["headers"] = {}): VendorReply {
  const text = body === undefined ? "" : JSON.stringify(body);
  return { status, headers: { "content-type": "application/json", ...headers }, body: text };
}

/** The parts of a path after a prefix, decoded. */
export function partsAfter(prefix: string, { url }: VendorCall): string[] {
  const rest = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : "";
  return rest.split("/").filter(Boolean).map(decodeURIComponent);
}
