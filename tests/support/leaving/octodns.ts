import { absolute, heldZones, rrsetsOf, textOf, type Held, type HeldZone } from "./zones.ts";

/** The fields of a value that octoDNS writes as a mapping, in the order of the data. */
const mappings: Readonly<Record<string, readonly string[]>> = {
  CAA: ["flags", "tag", "value"],
  DS: ["key_tag", "algorithm", "digest_type", "digest"],
  MX: ["preference", "exchange"],
  NAPTR: ["order", "preference", "flags", "service", "regexp", "replacement"],
  SRV: ["priority", "weight", "port", "target"],
  SSHFP: ["algorithm", "fingerprint_type", "fingerprint"],
  TLSA: ["certificate_usage", "selector", "matching_type", "certificate_association_data"],
};
const named = new Set(["exchange", "target"]);

/** Returns a zone as octoDNS's YAML provider keeps it. */
function octodnsOf({ name: zone, records }: HeldZone): string {
  const owners = new Map<string, Held[][]>();
  for (const rrset of rrsetsOf(records)) {
    const owner = rrset[0]?.name ?? "@";
    owners.set(owner, [...(owners.get(owner) ?? []), rrset]);
  }
  const lines = [...owners].flatMap(([owner, rrsets]) =>
    [`${owner === "@" ? "''" : `'${owner}'`}:`].concat(
      rrsets.flatMap((rrset) => recordOf(rrset, zone, rrsets.length > 1)),
    ),
  );
  return ["---", ...lines, ""].join("\n");
}

function recordOf(rrset: readonly Held[], zone: string, isListed: boolean): string[] {
  const [{ ttl, type } = { ttl: 0, type: "" }] = rrset;
  const values = rrset.map(({ data }) => valueOf(type, data, zone));
  const lines = [`ttl: ${ttl}`, `type: ${type}`];
  const [only = [], ...others] = values;
  if (others.length === 0 && only.length === 1) lines.push(`value: ${only[0]}`);
  else if (others.length === 0) lines.push("value:", ...only.map((line) => `  ${line}`));
  else
    lines.push(
      "values:",
      ...values.flatMap((value) => value.map((line, index) => `${index === 0 ? "- " : "  "}${line}`)),
    );
  return lines.map((line, index) => `${isListed ? (index === 0 ? "  - " : "    ") : "  "}${line}`);
}

function valueOf(type: string, data: string, zone: string): string[] {
  if (type === "TXT") return [`'${textOf(data).replaceAll(";", String.raw`\;`)}'`];
  if (type === "NS" || type === "CNAME" || type === "PTR") return [absolute(data, zone)];
  const fields = mappings[type];
  if (!fields) return [type === "AAAA" ? `'${data}'` : data];
  const parts = data.match(/"[^"]*"|\S+/g) ?? [];
  return fields.map((field, index) => {
    const part = parts[index] ?? "";
    if (named.has(field)) return `${field}: ${absolute(part, zone)}`;
    return `${field}: ${/^\d+$/.test(part) ? part : `'${part.replaceAll('"', "")}'`}`;
  });
}

/** A repository for octoDNS: its configuration, and a file for each zone. One zone answers by place, as Zonewright does not. */
export function octodnsRepository(): Record<string, string> {
  const files = heldZones.map((zone) => {
    const text = octodnsOf(zone);
    const isGeo = zone.name === "harbour.example";
    // A name with a slash is in a folder to octoDNS.
    return [`config/${zone.name}.yaml`, isGeo ? answeringByPlace(text) : text] as const;
  });
  const zones = heldZones.map(({ name }) => `  ${name}.:\n    sources: [config]\n    targets: [production]\n`);
  const providers =
    "providers:\n  config:\n    class: octodns.provider.yaml.YamlProvider\n    directory: ./config\n  production:\n    class: octodns_powerdns.PowerDnsProvider\n";
  return { ...Object.fromEntries(files), "production.yaml": `---\n${providers}zones:\n${zones.join("")}` };
}

function answeringByPlace(text: string): string {
  return `${text}downloads:\n  geo:\n    AS: [203.0.113.1]\n    EU: [203.0.113.2]\n  ttl: 60\n  type: A\n  value: 203.0.113.3\n`;
}
