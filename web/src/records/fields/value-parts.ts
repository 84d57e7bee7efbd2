/** The parts of a value that have fields of their own in the form, in order. `rest` takes everything that is left. */
export interface Part {
  key: "priority" | "weight" | "port" | "target" | "flag" | "tag" | "text" | "value";
  /** Width of the field in characters; the last one grows. */
  width?: number;
  placeholder: string;
}

const partsOf: Readonly<Record<string, readonly Part[]>> = {
  MX: [
    { key: "priority", width: 6, placeholder: "10" },
    { key: "target", placeholder: "mail.example.com" },
  ],
  SRV: [
    { key: "priority", width: 5, placeholder: "0" },
    { key: "weight", width: 5, placeholder: "5" },
    { key: "port", width: 6, placeholder: "5060" },
    { key: "target", placeholder: "sip.example.com" },
  ],
  CAA: [
    { key: "flag", width: 4, placeholder: "0" },
    { key: "tag", width: 11, placeholder: "issue" },
    { key: "text", placeholder: "letsencrypt.org" },
  ],
};

const placeholders: Readonly<Record<string, string>> = {
  A: "192.0.2.1",
  AAAA: "2001:db8::1",
  CNAME: "www.example.com",
  ALIAS: "lb.example.net",
  NS: "ns1.example.com",
  PTR: "host.example.com",
  TXT: "v=spf1 -all",
  TLSA: "3 1 1 <hex>",
  SSHFP: "4 2 <hex>",
  HTTPS: "1 . alpn=h2,h3",
  SVCB: "1 svc.example.com alpn=h2",
  DS: "60485 13 2 <hex>",
  NAPTR: '100 10 "U" "E2U+sip" "!^.*$!sip:info@example.com!" .',
  DHCID: "<Base64>",
  CDS: "60485 13 2 <hex>",
  DNAME: "example.net",
  DNSKEY: "257 3 13 <Base64>",
  HINFO: '"PC" "Linux"',
  LOC: "52 22 23 N 4 53 32 E 2m",
  OPENPGPKEY: "<Base64>",
  RP: "admin.example.com .",
  SMIMEA: "3 1 1 <hex>",
  URI: '10 1 "https://www.example.com/"',
};

/** The fields of a type's value. */
export function valueParts(recordType: string): readonly Part[] {
  return partsOf[recordType] ?? [{ key: "value", placeholder: placeholders[recordType] ?? "" }];
}

/** Splits a value into its fields. What has too few parts leaves the later fields empty. */
export function splitValue(recordType: string, value: string): string[] {
  const parts = valueParts(recordType);
  if (parts.length === 1) return [value];
  const found: string[] = [];
  let rest = value.trimStart();
  for (const _ of parts.slice(1)) {
    const [head = ""] = rest.split(/\s/, 1);
    found.push(head);
    rest = rest.slice(head.length).trimStart();
  }
  return [...found, rest];
}

/** Joins the fields of a value; the opposite of `splitValue`. */
export function joinValue(parts: readonly string[]): string {
  return parts.length === 1
    ? (parts[0] ?? "")
    : parts
        .map((part) => part.trim())
        .join(" ")
        .trim();
}
