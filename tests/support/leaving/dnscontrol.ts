import { heldZones, zoneFileOf, type HeldZone } from "./zones.ts";

/** Returns a zone as `dnscontrol get-zones --format=zone` prints it. */
function printed(zone: HeldZone): string {
  const lines = zoneFileOf(zone).split("\n");
  return ["$TTL 300", ...lines.filter((line) => !line.startsWith("$ORIGIN"))]
    .map((line) => (line.startsWith("@ 3600 IN SOA") ? line.replace("@ 3600 IN SOA", "@                IN SOA") : line))
    .join("\n");
}

/** A repository for DNSControl, and what a `dnscontrol` prints of it that reads the zones at the provider. */
export function dnscontrolRepository(): Record<string, string> {
  const config = heldZones.map(({ name }) => `D("${name}", REG_NONE, DnsProvider(DSP_PRODUCTION),\n  // …\n);\n`);
  const zones = heldZones.map((zone) => [`provider/${zone.name.replace("/", "_")}`, printed(zone)] as const);
  return {
    "dnsconfig.js": `var REG_NONE = NewRegistrar("none");\nvar DSP_PRODUCTION = NewDnsProvider("production");\n\n${config.join("\n")}`,
    "creds.json": '{ "production": { "TYPE": "POWERDNS" } }\n',
    "provider.names": heldZones.map(({ name }) => `${name}\n`).join(""),
    ...Object.fromEntries(zones),
  };
}

/** Stands in for DNSControl: answers the two calls of the page by what the provider has. */
export const dnscontrolScript = `case "$*" in
  "get-zones --format=nameonly production - all") cat provider.names ;;
  "get-zones --format=zone production - "*) cat "provider/$(echo "$5" | tr / _)" ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac`;
