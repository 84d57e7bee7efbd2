import { absolute, heldZones, rrsetsOf, textOf, type Held, type HeldZone } from "./zones.ts";

/** Returns a zone and its records as resources for Route 53. */
function resourcesOf({ name: zone, records }: HeldZone): string {
  const label = labelOf(zone);
  const sets = rrsetsOf(records).map((rrset) => resource(rrset, zone, label));
  return [`resource "aws_route53_zone" "${label}" {\n  name = "${zone}"\n}\n`, ...sets].join("\n");
}

function labelOf(name: string): string {
  return `z_${name.replaceAll(/[^a-z0-9]/g, "_")}`;
}

function resource(rrset: readonly Held[], zone: string, label: string): string {
  const [{ name, ttl, type } = { name: "@", ttl: 0, type: "" }] = rrset;
  const values = rrset.map(({ data }) => `"${valueOf(type, data, zone)}"`);
  return [
    `resource "aws_route53_record" "${label}_${labelOf(`${name}_${type.toLowerCase()}`)}" {`,
    `  zone_id = aws_route53_zone.${label}.zone_id`,
    `  name    = "${absolute(name, zone).replace(/\.$/, "")}"`,
    `  type    = "${type}"`,
    `  ttl     = ${ttl}`,
    `  records = [${values.join(", ")}]`,
    "}",
    "",
  ].join("\n");
}

function valueOf(type: string, data: string, zone: string): string {
  // Terraform writes long texts as several, with escaped quotes between them.
  if (type === "TXT") return (textOf(data).match(/.{1,255}/g) ?? []).join(String.raw`\"\"`);
  if (type === "NS" || type === "CNAME" || type === "PTR") return absolute(data, zone);
  const parts = data.match(/"[^"]*"|\S+/g) ?? [];
  const isNamed = type === "MX" || type === "SRV";
  return parts
    .map((part, index) => (isNamed && index === parts.length - 1 ? absolute(part, zone) : part))
    .join(" ")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`);
}

/** A module for Terraform: a file of resources for each zone, one record with a variable and one that answers by place. */
export function terraformRepository(): Record<string, string> {
  const files = heldZones.map((zone) => [`dns/${labelOf(zone.name)}.tf`, resourcesOf(zone)] as const);
  const label = labelOf("harbour.example");
  const special = `variable "office" {\n  default = "203.0.113.80"\n}\n
resource "aws_route53_record" "office" {
  zone_id = aws_route53_zone.${label}.zone_id
  name    = "office.harbour.example"
  type    = "A"
  ttl     = 300
  records = [var.office]
}

resource "aws_route53_record" "downloads_eu" {
  zone_id        = aws_route53_zone.${label}.zone_id
  name           = "downloads.harbour.example"
  type           = "A"
  ttl            = 60
  set_identifier = "eu"
  records        = ["203.0.113.2"]
  geolocation_routing_policy {
    continent = "EU"
  }
}
`;
  return { ...Object.fromEntries(files), "dns/special.tf": special };
}
