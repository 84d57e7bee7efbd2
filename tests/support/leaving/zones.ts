/** A record as each tool's files are written of it: data as zone files have it, names within the zone without a dot. */
export interface Held {
  name: string;
  ttl: number;
  type: string;
  data: string;
}

/** A zone as another tool keeps it. */
export interface HeldZone {
  name: string;
  records: Held[];
}

const dkim = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(12)}IDAQAB`;

function record(name: string, type: string, data: string, ttl = 3600): Held {
  return { name, ttl, type, data };
}

function texts(text: string): string {
  return (text.match(/.{1,255}/g) ?? [""]).map((part) => JSON.stringify(part)).join(" ");
}

const nameServers = [record("@", "NS", "ns1.example.net."), record("@", "NS", "ns2.example.net.")];

/** What a domain with mail and a website has. */
function company(host: number): Held[] {
  return [
    ...nameServers,
    record("@", "A", `192.0.2.${host}`, 300),
    record("@", "AAAA", `2001:db8::${host}`, 300),
    record("@", "CAA", '0 issue "letsencrypt.org"'),
    record("@", "CAA", '0 iodef "mailto:security@example.net"'),
    record("@", "MX", "10 mail"),
    record("@", "MX", "20 mx.example.net."),
    record("@", "TXT", texts("v=spf1 mx include:_spf.example.net -all")),
    record("_dmarc", "TXT", texts("v=DMARC1; p=reject; rua=mailto:dmarc@example.net")),
    record("s2026._domainkey", "TXT", texts(dkim)),
    record("_imaps._tcp", "SRV", "0 1 993 mail"),
    record("_25._tcp.mail", "TLSA", `3 1 1 ${"ab".repeat(32)}`),
    record("mail", "A", `198.51.100.${host}`),
    record("mail", "SSHFP", `4 2 ${"cd".repeat(32)}`),
    record("*.dev", "A", "203.0.113.7", 60),
    record("www", "CNAME", "@", 300),
  ];
}

const parked = [...nameServers, record("@", "MX", "0 ."), record("@", "TXT", texts("v=spf1 -all"))];

/** Twenty zones, as a small company has them: mail, websites, parked names, a delegation, an international name, reverse zones. */
export const heldZones: readonly HeldZone[] = [
  ...["harbour", "lighthouse", "quay", "anchor", "beacon", "compass", "dinghy", "ferry"].map((label, index) => ({
    name: `${label}.example`,
    records: company(index + 10),
  })),
  {
    name: "corp.example",
    records: [
      ...company(30),
      record("lab", "NS", "ns1.lab"),
      record("ns1.lab", "A", "192.0.2.53"),
      record("lab", "DS", `12345 13 2 ${"ef".repeat(32)}`),
      record("phone", "NAPTR", '100 10 "u" "E2U+sip" "!^.*$!sip:desk@corp.example!" .'),
    ],
  },
  { name: "xn--bcher-kva.example", records: company(40) },
  ...["harbor", "light-house", "kay", "ankor", "bacon", "compas"].map((label) => ({
    name: `${label}.example`,
    records: parked,
  })),
  {
    name: "2.0.192.in-addr.arpa",
    records: [...nameServers, ...[10, 11, 12].map((host) => record(String(host), "PTR", "www.harbour.example."))],
  },
  { name: "100.51.198.in-addr.arpa", records: [...nameServers, record("10", "PTR", "mail.harbour.example.")] },
  { name: "0/25.113.0.203.in-addr.arpa", records: [...nameServers, record("7", "PTR", "dev.harbour.example.")] },
  {
    name: "8.b.d.0.1.0.0.2.ip6.arpa",
    records: [...nameServers, record(`1${".0".repeat(23)}`, "PTR", "harbour.example.")],
  },
];

/** Returns a zone as a zone file. */
export function zoneFileOf({ name, records }: HeldZone): string {
  const lines = records.map(({ name: owner, ttl, type, data }) => `${owner}\t${ttl}\tIN\t${type}\t${data}`);
  return [
    `$ORIGIN ${name}.`,
    "@ 3600 IN SOA ns1.example.net. hostmaster.example.net. 7 7200 900 1209600 3600",
    ...lines,
    "",
  ].join("\n");
}

/** Returns the records of each name and type. */
export function rrsetsOf(records: readonly Held[]): Held[][] {
  const rrsets = new Map<string, Held[]>();
  for (const one of records) {
    const key = `${one.name} ${one.type}`;
    rrsets.set(key, [...(rrsets.get(key) ?? []), one]);
  }
  return [...rrsets.values()];
}

/** Returns a name in the data of a record with all its labels and a dot. */
export function absolute(name: string, zone: string): string {
  if (name.endsWith(".")) return name;
  return name === "@" ? `${zone}.` : `${name}.${zone}.`;
}

/** Returns the text of a record of text. */
export function textOf(data: string): string {
  return [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([quoted]) => JSON.parse(quoted) as string).join("");
}
