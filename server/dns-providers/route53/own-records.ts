import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { RecordData } from "../../dns/record.ts";

// Records that only Route 53 has: aliases to AWS resources, and RRsets of one name and type among which it chooses. Each is shown
// as one read-only record of a type of its own.

export const aliasType = "R53_ALIAS";
export const routingType = "R53_ROUTING";

/** Returns whether an RRset has more than a name, a type, a TTL and values. */
export function isOwn({
  Name: _name,
  Type: _type,
  TTL: _ttl,
  ResourceRecords: _values,
  ...settings
}: ResourceRecordSet) {
  return Object.values(settings).some((setting) => setting !== undefined);
}

/** Returns such an RRset as one record, whose value describes it whole: `A alias-target.dns-name=lb.example. …: values`. */
export function ownRecord(
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
