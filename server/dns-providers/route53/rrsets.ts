import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { readOwner, type OwnerName } from "../../dns/names/names.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import type { RecordContent } from "../rdata-text.ts";
import { fromOctal, readValue } from "./octal-text.ts";

/** An RRset of Route 53's, with its canonical records. */
export interface ServedRrset {
  /** As Route 53 has it, to be deleted by exactly that content. */
  set: ResourceRecordSet;
  /** Canonical, relative to the zone. */
  name: string;
  recordType: string;
  /** Whether it is an alias or has a routing policy, and so is read-only. */
  own: boolean;
  records: RecordData[];
}

/** Returns an RRset in canonical form; null for the SOA, which Route 53 manages. */
export function readRrset(zone: string, set: ResourceRecordSet): ServedRrset | null {
  const recordType = set.Type ?? "";
  const owner = readOwner(fromOctal(set.Name ?? ""), "", zone);
  if (recordType === "SOA" || !owner.ok) return null;
  const { name } = owner.value;
  if (isOwn(set)) return { set, name, recordType, own: true, records: [ownRecord(name, set)] };
  const records = (set.ResourceRecords ?? []).map(({ Value = "" }): RecordData => {
    return recordOf(recordType, owner.value, readValue(recordType, Value), set.TTL ?? 0);
  });
  // Two values of an RRset may be the same in canonical form.
  const unique = new Map(records.map((record) => [recordKey(record), record]));
  return { set, name, recordType, own: false, records: [...unique.values()] };
}

function recordOf(recordType: string, owner: OwnerName, content: RecordContent, ttl: number): RecordData {
  return { recordType, ...owner, ...content, ttl, proxied: false };
}

// Records that only Route 53 has: aliases to AWS resources, and RRsets of one name and type among which it chooses. Each is shown
// as one read-only record of a type of its own.

export const aliasType = "R53_ALIAS";
export const routingType = "R53_ROUTING";

/** Returns whether an RRset has more than a name, a type, a TTL and values. */
function isOwn({ Name: _name, Type: _type, TTL: _ttl, ResourceRecords: _values, ...settings }: ResourceRecordSet) {
  return Object.values(settings).some((setting) => setting !== undefined);
}

/** Returns such an RRset as one record, whose value describes it whole: `A alias-target.dns-name=lb.example. …: values`. */
function ownRecord(
  name: string,
  { Name: _name, Type, TTL, ResourceRecords, ...settings }: ResourceRecordSet,
): RecordData {
  const values = (ResourceRecords ?? []).map(({ Value }) => Value ?? "");
  const said = [Type, ...settingsOf("", settings)].join(" ");
  return {
    recordType: settings.AliasTarget && settings.SetIdentifier === undefined ? aliasType : routingType,
    name,
    value: values.length === 0 ? said : `${said}: ${values.join(", ")}`,
    // An alias has the TTL of its target.
    ttl: TTL ?? 0,
    strings: null,
    priority: null,
    proxied: false,
  };
}

/** Returns settings as `weight=10`, `geo-location.country-code=DE`, sorted by name so that equal settings are equal text. */
function settingsOf(prefix: string, settings: object): string[] {
  return Object.entries(settings)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]: [string, unknown]) => {
      const name = `${prefix}${kebab(key)}`;
      if (value === undefined || value === null) return [];
      if (typeof value === "object") return settingsOf(`${name}.`, value);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [`${name}=${/^[!#-~]+$/.test(text) ? text : JSON.stringify(text)}`];
    });
}

function kebab(key: string): string {
  return key
    .replace("DNSName", "DnsName")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase();
}
