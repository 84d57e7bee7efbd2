import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { RecordData } from "../../dns/record.ts";

// What no other provider has: records that point to a resource of AWS, and several RRsets of one name and type among which Route 53
// chooses. They are shown as records of types of its own, one for each, and nobody changes them here.

export const aliasType = "R53_ALIAS";
export const routingType = "R53_ROUTING";

/** Whether an RRset is more than a name, a type, a TTL and values. */
export function isOwn({
  Name: _name,
  Type: _type,
  TTL: _ttl,
  ResourceRecords: _values,
  ...settings
}: ResourceRecordSet) {
  return Object.values(settings).some((setting) => setting !== undefined);
}

/** Such an RRset as one record, whose value says all of it: `A alias-target.dns-name=lb.example. …: values`. */
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
    // An alias has that of its target.
    ttl: TTL ?? 0,
    strings: null,
    priority: null,
    proxied: false,
  };
}

/** `weight=10`, `geo-location.country-code=DE`: by name, so that the same settings are the same text. */
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
