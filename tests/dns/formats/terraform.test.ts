import { expect, test } from "vitest";
import { providerKinds } from "../../../server/dns-providers/kinds.ts";
import { writingIn } from "../../../server/dns/formats/formats.ts";
import { terraformZones } from "../../../server/dns/formats/terraform.ts";
import { initialSoa } from "../../../server/dns/zone-file/contents.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { meantBy, readFile, readText, writtenRecord, type FormatFile } from "../../support/records/format-readings.ts";

const zoneId = 'zone_id = "0123456789abcdef"';

const files: FormatFile[] = [
  {
    title: "Route 53, in a zone that the file declares",
    text: String.raw`terraform {
  required_version = ">= 1.5"
}
resource "aws_route53_zone" "main" {
  name = "example.com"
}
resource "aws_route53_record" "apex" {
  zone_id = aws_route53_zone.main.zone_id
  name    = ""
  type    = "MX"
  ttl     = 300
  records = ["10 mail.example.net", "20 mail2.example.net.",]
}
resource "aws_route53_record" "star" {
  zone_id = aws_route53_zone.main.id
  name    = "\\052.dev"
  type    = "TXT"
  ttl     = 60
  records = ["v=spf1 -all", "one\"\"two", "caf\\303\\251", "\"in quotes\""]
}`,
    records: [
      "@ 300 MX 10 mail.example.net",
      "@ 300 MX 20 mail2.example.net",
      "*.dev 60 TXT v=spf1 -all",
      '*.dev 60 TXT onetwo ["one","two"]',
      "*.dev 60 TXT café",
      "*.dev 60 TXT in quotes",
    ],
  },
  {
    title: "Cloudflare's former resource, with blocks of data, and its automatic TTL",
    text: `resource "cloudflare_record" "a" {
  ${zoneId}
  name    = "www.example.com"
  type    = "A"
  value   = "192.0.2.1" // the former name of content
  proxied = true
  comment = "front"
}
resource "cloudflare_record" "sip" {
  ${zoneId}
  name    = "example.com"
  type    = "SRV"
  ttl     = 300
  data {
    service  = "_sip"
    proto    = "_tcp"
    priority = 1
    weight   = 5
    port     = 5060
    target   = "sip.example.net"
  }
}`,
    records: ["www 1 A 192.0.2.1 proxied ; front", "_sip._tcp 300 SRV 1 5 5060 sip.example.net"],
    options: { supportsProxied: true, automaticTtl: 1 },
  },
  {
    title: "Cloudflare's present resource, with objects of data, texts with and without quotes, and priorities",
    text: `resource "cloudflare_dns_record" "mx" {
  ${zoneId}
  name     = "example.com"
  type     = "MX"
  ttl      = 300
  content  = "mail.example.net"
  priority = 10
}
resource "cloudflare_dns_record" "t1" {
  ${zoneId}
  name = "t.example.com"
  type = "TXT"
  ttl = 300
  content = "\\"v=spf1\\" \\" -all\\""
}
resource "cloudflare_dns_record" "t2" {
  ${zoneId}
  name = "t.example.com"
  type = "TXT"
  ttl = 300
  content = "a \\\\ b; c"
}
resource "cloudflare_dns_record" "caa" {
  ${zoneId}
  name = "example.com"
  type = "CAA"
  ttl = 1
  data = { flags = 0, tag = "issue", value = "ca.example.net" }
}
resource "cloudflare_dns_record" "https" {
  ${zoneId}
  name = "example.com"
  type = "HTTPS"
  ttl = 300
  data = {
    priority = 1
    target = "."
    value = "alpn=\\"h2,h3\\""
  }
}`,
    records: [
      "@ 300 MX 10 mail.example.net",
      't 300 TXT v=spf1 -all ["v=spf1"," -all"]',
      "t 300 TXT a \\ b; c",
      "@ 3600 CAA 0 issue ca.example.net",
      "@ 300 HTTPS 1 . alpn=h2,h3",
    ],
    warnings: ["Line 27: The automatic TTL of Cloudflare is read as 3600."],
  },
  {
    title: "Google and PowerDNS, with a zone by its own name, here documents and comments",
    text: `/* both
   at once */
resource "google_dns_managed_zone" "prod" {
  name     = "prod-zone"
  dns_name = "example.com."
}
resource "google_dns_record_set" "a" {
  managed_zone = "prod-zone"
  name         = "a.example.com."
  type         = "A"
  ttl          = 300
  rrdatas      = ["192.0.2.1"]
}
resource "google_dns_record_set" "t" {
  managed_zone = google_dns_managed_zone.prod.name
  name         = "t.example.com."
  type         = "TXT"
  ttl          = 300
  rrdatas      = [<<-EOT
    "in a here document"
    EOT
  ]
}
resource "powerdns_record" "h" { # one line each
  zone    = "example.com."
  name    = "h.example.com."
  type    = "HINFO"
  ttl     = 300
  records = ["\\"cpu\\" \\"os\\""]
}`,
    records: ["a 300 A 192.0.2.1", "t 300 TXT in a here document", 'h 300 HINFO "cpu" "os"'],
  },
  {
    title: "what is not literal is named and refused",
    text: `resource "aws_route53_record" "a" {
  zone_id = var.zone_id
  name    = "a.example.com"
  type    = "A"
  ttl     = var.ttl
  records = [aws_eip.web.public_ip, "192.0.2.\${count.index}", cidrhost("192.0.2.0/24", 1)]
}
resource "aws_route53_record" "b" {
  for_each = toset(["x", "y"])
  zone_id = var.zone_id
  name    = each.key
  type    = "A"
  ttl     = 60
  records = ["192.0.2.1"]
}
resource "aws_route53_record" "c" {
  zone_id = var.zone_id
  name    = "c.example.com"
  type    = "A"
  ttl     = 60
  records = [for x in local.list : x.ip]
}`,
    errors: [
      "Line 5: `ttl` must be a literal value, and var.ttl is not. Write the value itself.",
      "Line 6: `records` must be a literal value, and aws_eip.web.public_ip is not. Write the value itself.",
      "Line 6: `records` must be a literal value, and 192.0.2.${count.index} is not. Write the value itself.",
      'Line 6: `records` must be a literal value, and cidrhost("192.0.2.0/24", 1) is not. Write the value itself.',
      "Line 9: `for_each` makes several records of one block, which is not literal. Write a block for each record.",
      "Line 21: `records` must be a literal value, and for x in local.list : x.ip is not. Write the value itself.",
    ],
  },
  {
    title: "aliases and routing policies are refused by name",
    text: `resource "aws_route53_record" "a" {
  zone_id = "Z1"
  name    = "a.example.com"
  type    = "A"
  alias {
    name = "lb.example.net"
    zone_id = "Z2"
    evaluate_target_health = false
  }
}
resource "aws_route53_record" "b" {
  zone_id = "Z1"
  name    = "b.example.com"
  type    = "A"
  ttl     = 60
  records = ["192.0.2.1"]
  set_identifier = "one"
  weighted_routing_policy {
    weight = 10
  }
}`,
    errors: [
      "Line 5: `alias` says how the vendor answers, which Zonewright does not do. Remove the record from the file, or write its records.",
      "Line 17: `set_identifier` says how the vendor answers, which Zonewright does not do. Remove the record from the file, or write its records.",
    ],
  },
  {
    title: "other resources, modules, other zones and unknown attributes are left out and named",
    text: `module "dns" { source = "./dns" }
resource "aws_instance" "web" {
  ami = "x"
  ebs { size = [1, { a = "}" }] }
}
resource "powerdns_record" "o" {
  zone = "example.org."
  name = "o.example.org."
  type = "A"
  ttl = 60
  records = ["192.0.2.9"]
}
resource "powerdns_record" "w" {
  zone = "example.com."
  name = "w.example.com."
  type = "A"
  ttl = 60
  records = ["192.0.2.1"]
  set_ptr = true
  lifecycle { prevent_destroy = true }
}`,
    records: ["w 60 A 192.0.2.1"],
    warnings: [
      "Line 1: A module is left out; it may have records of its own.",
      "Line 2: Resources of type aws_instance are left out.",
      "Line 6: Records of other zones, such as example.org, are left out.",
      "Line 19: `set_ptr` is left out.",
    ],
  },
  {
    title: "only records of another zone",
    text: 'resource "powerdns_record" "o" {\n  zone = "example.org."\n  name = "o.example.org."\n  type = "A"\n  ttl = 60\n  records = ["192.0.2.9"]\n}\n',
    errors: ["Line 1: The file has no records of example.com; its records are in example.org."],
  },
  {
    title: "names without a zone, where a reference is all that says which",
    text: 'resource "aws_route53_record" "w" {\n  zone_id = var.zone_id\n  name = "w"\n  type = "A"\n  ttl = 60\n  records = ["192.0.2.1"]\n}\n',
    records: ["w 60 A 192.0.2.1"],
    warnings: ["Line 1: `zone_id` does not say which zone it is; names without one are read as names of example.com."],
  },
  {
    title: "a name without a zone, where the text has several zones",
    text: `resource "aws_route53_zone" "a" {
  name = "example.com"
}
resource "aws_route53_zone" "b" {
  name = "example.net"
}
resource "aws_route53_record" "w" {
  zone_id = var.third_zone
  name    = "w"
  type    = "A"
  ttl     = 60
  records = ["192.0.2.1"]
}
`,
    errors: [
      "Line 7: Which zone this record is in is unclear: the text has several zones. End the names of the records in their zone's name.",
    ],
  },
  {
    title: "names without a zone, where references say that there are several",
    text: ["one", "two"]
      .map(
        (zone) =>
          `resource "aws_route53_record" "${zone}" {\n  zone_id = var.${zone}\n  name = "w"\n  type = "A"\n  ttl = 60\n  records = ["192.0.2.1"]\n}\n`,
      )
      .join(""),
    errors: [
      "Line 8: Which zone this record is in is unclear: several zones are given by references. End the names of the records in their zone's name.",
    ],
  },
  {
    title: "faults of resources",
    text: `resource "powerdns_record" "a" {
  zone = "example.com."
  name = "a.example.com."
  ttl = 60
}
resource "powerdns_record" "b" {
  zone = "example.com."
  name = "b.example.net."
  type = "ABC"
  ttl = "soon"
  records = ["x"]
}
resource "powerdns_record" "c" {
  zone = "example.com."
  name = "c.example.com."
  type = "A"
  ttl = 60
  records = ["192.0.2", "192.0.2.1 ; x"]
}`,
    errors: [
      "Line 1: The resource has no `type`.",
      "Line 1: The resource has no `records`.",
      'Line 9: "ABC" is not a known record type.',
      'Line 8: The name "b.example.net" is outside the zone example.com.',
      "Line 10: `ttl` must be a number of seconds.",
      'Line 18: The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
      "Line 18: The data has a ; outside quotes, where a comment would begin. Put the text in quotes.",
    ],
  },
  {
    title: "a URL is no host name",
    text: `resource "cloudflare_dns_record" "a" {
  zone_id = "0"
  name = "a.example.com"
  type = "CNAME"
  ttl = 60
  content = "https://www.example.net/path"
}`,
    errors: [
      'Line 6: "https://www.example.net" begins a URL, and CNAME records name a host. Write "www.example.net" alone.',
    ],
  },
  ...(
    [
      [
        "a block that is never closed",
        'resource "powerdns_record" "a" {\n  zone = "x"\n',
        1,
        "The block that begins here is never closed.",
      ],
      [
        "a quote that is never closed",
        'resource "x" "a" {\n  zone = "x\n}\n',
        2,
        "A quote on this line is never closed; close it on the same line.",
      ],
      [
        "an attribute that is there twice",
        'resource "powerdns_record" "a" {\n  ttl = 1\n  ttl = 2\n}\n',
        3,
        "`ttl` is there twice; keep one.",
      ],
      ["something that is no block", "resource\n", 1, "resource must be followed by = or a block in { }."],
      [
        "an escape that Terraform does not have",
        String.raw`resource "powerdns_record" "a" { name = "\052" }`,
        1,
        String.raw`\0 is not an escape of Terraform's. Write a backslash as \\.`,
      ],
    ] as const
  ).map(([title, text, line, message]) => ({ title, text, errors: [`Line ${line}: ${message}`] })),
];

test.each(files.map((file) => [file.title, file] as const))(
  "resources of Terraform are read as they are meant, and each reading that is not literal is a warning: %s",
  async (_title, file) => {
    expect(await readFile(file, "terraform")).toEqual(meantBy(file));
  },
);

test.each([
  ['# comment\n\n/* more */ // and\nresource "a" "b" {\n', "terraform"],
  ["locals {\n", "terraform"],
  ["resource 300 IN A 192.0.2.1\n", "zonefile"],
  ["/* ".repeat(5000), "zonefile"],
])("Terraform's language is recognized by its first block: %j is %s", async (text, format) => {
  expect((await readText(text, "auto")).format).toBe(format);
});

test("the zones of a Terraform file are those that it declares or names", () => {
  const text = (files[3]?.text ?? "") + (files[6]?.text ?? "");
  expect(atOnce(terraformZones(text))).toEqual(["example.com", "example.org"]);
  const looked =
    'data "cloudflare_zone" "a" { name = "a.example" }\ndata "cloudflare_zone" "b" { name = "b.example" }\n';
  const record = 'resource "cloudflare_dns_record" "www" { zone_id = data.cloudflare_zone.b.id }\n';
  expect(atOnce(terraformZones(looked + record))).toEqual(["b.example"]);
});

test("a zone written for Terraform has its provider's resources, with blocks that import them", async () => {
  const soa = initialSoa("example.com", new Date(0));
  const records = [
    writtenRecord("@", "MX", "10 mail.example.net"),
    writtenRecord("@", "MX", "20 mail.example.net"),
    writtenRecord("*", "TXT", "a ${b}"),
    writtenRecord("off", "A", "192.0.2.1", { status: "disabled" }),
  ];
  const content = { zone: "example.com", soa, records };
  expect(atOnce(await writingIn("terraform", { ...content, provider: "route53" })).join(""))
    .toBe(String.raw`# Zone example.com, written by Zonewright.
# disabled: off 300 IN A 192.0.2.1

variable "zone_id" {
  type = string
}

resource "aws_route53_record" "apex_mx" {
  zone_id = var.zone_id
  name    = "example.com"
  type    = "MX"
  ttl     = 300
  records = [
    "10 mail.example.net.",
    "20 mail.example.net.",
  ]
}

import {
  to = aws_route53_record.apex_mx
  id = "${"${var.zone_id}"}_example.com_MX"
}

resource "aws_route53_record" "star_txt" {
  zone_id = var.zone_id
  name    = "*.example.com"
  type    = "TXT"
  ttl     = 300
  records = ["a ${"$${b}"}"]
}

import {
  to = aws_route53_record.star_txt
  id = "${"${var.zone_id}"}_*.example.com_TXT"
}
`);
  expect(atOnce(await writingIn("terraform", { ...content, provider: "cloudflare" })).join(""))
    .toContain(`resource "cloudflare_dns_record" "apex_mx" {
  zone_id  = var.zone_id
  name     = "example.com"
  type     = "MX"
  ttl      = 300
  priority = 10
  content  = "mail.example.net."
}
`);
  expect(atOnce(await writingIn("terraform", { ...content, provider: "zonefile" })).join("")).toContain(
    "# The zone's provider has no resource that is known here, so these are PowerDNS's.\n",
  );
});

test("comments after one another on one line are skipped, and those over several lines count them", async () => {
  // Reading on to the end of the line for each of them would take minutes.
  const text = `${"/* */".repeat(200_000)}\n/* one\n\n*/ "x"`;
  const { reading } = await readText(text, "terraform");
  expect(reading).toMatchObject({ ok: false, errors: [{ line: 4 }] });
});

test("each kind of provider gets the resources of its own, with `import` blocks by ids that are known, and other kinds PowerDNS's", async () => {
  const soa = initialSoa("example.com", new Date(0));
  const records = [writtenRecord("www", "A", "192.0.2.1")];
  const resourceOf = async (provider: string) => {
    const text = atOnce(await writingIn("terraform", { zone: "example.com", soa, records, provider })).join("");
    const [, resource = ""] = /^resource "(\w+)"/m.exec(text) ?? [];
    const [, id = null] = /^import \{\n {2}to = \S+\n {2}id = (.+)\n\}/m.exec(text) ?? [];
    return { resource, id, isOwn: !text.includes("has no resource that is known here") };
  };
  const found = await Promise.all(providerKinds.map(async ({ kind }) => [kind, await resourceOf(kind)] as const));
  expect(Object.fromEntries(found.filter(([, { isOwn }]) => isOwn))).toEqual({
    cloudflare: { resource: "cloudflare_dns_record", id: null, isOwn: true },
    gcloud: {
      resource: "google_dns_record_set",
      id: '"projects/${var.project}/managedZones/${var.managed_zone}/rrsets/www.example.com./A"',
      isOwn: true,
    },
    powerdns: {
      resource: "powerdns_record",
      id: String.raw`"{\"zone\":\"example.com.\",\"id\":\"www.example.com.:::A\"}"`,
      isOwn: true,
    },
    route53: { resource: "aws_route53_record", id: '"${var.zone_id}_www.example.com_A"', isOwn: true },
  });
  const others = new Set(found.filter(([, { isOwn }]) => !isOwn).map(([, { resource }]) => resource));
  expect([...others]).toEqual(["powerdns_record"]);
});
