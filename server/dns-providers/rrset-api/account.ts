import type { RecordData } from "../../dns/record.ts";
import type { ApexCname } from "../../dns/zone-rules.ts";
import type { Soa } from "../../dns/zone-file/contents.ts";
import type { UnusableZone } from "../listed-zones.ts";
import type { LimitedRecord, RecordChange, ZoneSigner } from "../provider.ts";

// What vendors share whose APIs read and write whole RRsets. One of them declares its address, authentication, paging, limits, refusals
// and two mappings in a file of its own; everything else is here: planning, order, outcomes, taking back, and reading back.

/** The content of an RRset in the vendor's own notation. */
export interface RrsetContent {
  ttl: number;
  /** RDATA in master-file form (RFC 1035 §5.1), whose names without a trailing dot are relative to the zone. Values that stay are sent back as the vendor prints them. */
  values: readonly string[];
}

/** An RRset as a vendor has it. */
export interface VendorRrset extends RrsetContent {
  /** The owner: relative to the zone, `@` for the apex, or absolute with a trailing dot. */
  name: string;
  recordType: string;
  /** What the vendor identifies this RRset or its content by: an id or an ETag. */
  tag?: string | undefined;
  /** Why it is read-only, although its type is not. Completes a sentence starting with the vendor's name. */
  readOnly?: string | undefined;
}

/** One RRset that is created, replaced or deleted. */
export interface RrsetStep {
  /** Canonical and relative to the zone, `@` for the apex. */
  name: string;
  recordType: string;
  /** As the vendor has it; null if it is created. */
  before: VendorRrset | null;
  /** Null if it is deleted. */
  after: RrsetContent | null;
  /** The tag of the RRset whose deletion this step undoes. */
  restores?: string | undefined;
  /** The record changes that this step alone makes. */
  does: readonly RecordChange[];
}

/** The answer to a call that writes RRsets. A refused call changed nothing. */
export type Written =
  | {
      ok: true;
      /** The new tag of an RRset that was written alone. */
      tag?: string | undefined;
      /** What `isSettled` takes. */
      ref?: string | undefined;
    }
  | {
      ok: false;
      /** The vendor's message. */
      message: string;
      /** The steps at fault, each with its own message, if the vendor names them. */
      faults?: ReadonlyMap<RrsetStep, string> | undefined;
      /** Whether it was refused because the RRset is not as it was read. */
      isStale?: boolean | undefined;
    };

/** An account at a vendor whose API reads and writes whole RRsets. All calls throw ProviderError. */
export interface RrsetAccount {
  /** The vendor's name, for messages. */
  readonly vendor: string;
  /** Lists the account's zones, page by page: names as the vendor prints them, or why a zone cannot be managed. */
  zones(): AsyncIterable<(string | UnusableZone)[]>;
  /** Creates a zone, unless the account has it already. */
  createZone(zone: string): Promise<void>;
  /** Lists a zone's RRsets page by page, those of one name if given. The SOA may be among them. @param name relative to the zone */
  rrsets(zone: string, name?: string): AsyncIterable<VendorRrset[]>;
  /** Creates or replaces one RRset. Not needed beside `apply`. */
  put?(zone: string, step: RrsetStep & { after: RrsetContent }): Promise<Written>;
  /** Deletes one RRset. Not needed beside `apply`. */
  remove?(zone: string, step: RrsetStep & { before: VendorRrset }): Promise<Written>;
  /** Makes several steps in one call, all of them or none. */
  apply?(zone: string, steps: readonly RrsetStep[]): Promise<Written>;
  /** What one call of `apply` takes. */
  readonly callLimits?: CallLimits;
  /** Names to query one by one; for more names, reading the whole zone is cheaper. */
  readonly mostQueries: number;
  /** Calls of `put` and `remove` in flight at once; 4 if left out. */
  readonly concurrency?: number;
  /** Whether the TTL of an RRset and its records are written by a call each: no step then changes both. */
  readonly ttlApart?: true;
  /** Whether single RRsets may be marked as read-only (`VendorRrset.readOnly`). */
  readonly marksReadOnly?: true;
  /** Returns why a record is read-only, or null. */
  readOnlyReason?: (record: LimitedRecord) => string | null;
  /** Returns why a record cannot be stored, or null; for what a plan may have overlooked. Completes a sentence starting with the vendor's name. */
  refusalOf?: (record: LimitedRecord) => string | null;
  readonly apexCname?: ApexCname;
  readonly ttlFloor?: TtlFloor;
  /** Returns the zone's SOA; null if the vendor does not show it. */
  soa?(zone: string): Promise<Soa | null>;
  /** Left out: its API does not turn signing on and off. */
  readonly signing?: ZoneSigner;
  /** Returns whether all name servers have the change of a `ref`. */
  isSettled?: (ref: string) => Promise<boolean>;
}

/** The limits of a call that writes several RRsets. */
interface CallLimits {
  /** Returns the size of a step in each of the measures of `most`. */
  sizesOf: (step: RrsetStep) => readonly number[];
  most: readonly number[];
  /** In words: `500 RRsets`. */
  words: string;
}

/** The smallest TTL, where it differs between zones. */
interface TtlFloor {
  /** What sets it, for messages: `the plan of`. */
  setBy: string;
  /** The smallest TTL that every zone takes, in seconds. Zones are asked for theirs only below it. */
  highestSeconds: number;
  /** Returns the smallest TTL of a zone, in seconds. @throws ProviderError */
  ofZone(zone: string): Promise<number>;
}

/** An RRset with its records in canonical form. */
export interface ReadRrset {
  served: VendorRrset;
  /** Relative to the zone. */
  name: string;
  recordType: string;
  /** Each once, with the value as the vendor prints it. */
  records: { text: string; data: RecordData }[];
}
