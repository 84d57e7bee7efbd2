// Two views of one zone, made comparable: what BIND prints and what our interface lists. Nothing of the server's own
// reading or printing of values is used here, so that a mistake in it cannot hide.

/** A record with an absolute, lower-case owner, and RDATA in a form in which equal data is equal text. */
export interface PresentedRecord {
  name: string;
  ttl: number;
  type: string;
  rdata: string;
}

/** The fields of our interface that say what is served. */
export interface ListedRecord {
  recordType: string;
  name: string;
  value: string;
  ttl: number;
}

/** Reads what `dig +answer` and `named-checkzone -D` print: one record a line, names absolute; with `dig +unknownformat` all data in generic form. */
export function presentedRecords(text: string): PresentedRecord[] {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "" || line.startsWith(";")) return [];
    const [, name, ttl, type, rdata] = /^(\S+)\s+(\d+)\s+(?:IN|CLASS1)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined || type === undefined || rdata === undefined) throw new Error(`This is no record: ${line}`);
    return [{ name: name.toLowerCase(), ttl: Number(ttl), type, rdata: fromBind(type, rdata) }];
  });
}

/** What a name server should say of records that our interface lists. */
export function asPresented(zone: string, records: readonly ListedRecord[]): PresentedRecord[] {
  return records.map(({ recordType, name, value, ttl }) => ({
    name: name === "@" ? `${zone}.` : `${name}.${zone}.`,
    ttl,
    type: recordType,
    rdata: fromInterface(recordType, value),
  }));
}

/** Lines that compare as a set; without the SOA, which the interface does not list. */
export function recordLines(records: readonly PresentedRecord[]): string[] {
  return records
    .filter(({ type }) => type !== "SOA")
    .map(({ name, ttl, type, rdata }) => `${name} ${ttl} ${type} ${rdata}`)
    .toSorted();
}

function fromBind(type: string, rdata: string): string {
  if (type === "TXT") return shownOctets(characterStrings(rdata));
  if (type === "CAA") {
    const [, flags, tag, value = ""] = /^(\d+) (\S+) (".*")$/.exec(rdata) ?? [];
    return `${flags} ${tag} ${shownOctets(characterStrings(value))}`;
  }
  return keptForm(type, rdata);
}

function fromInterface(type: string, value: string): string {
  switch (type) {
    case "A":
    case "AAAA":
      return value;
    case "CNAME":
    case "NS":
    case "MX":
    case "SRV":
      // The host comes last in all four; the root keeps its one dot.
      return value.endsWith(".") ? value : `${value}.`;
    case "CAA": {
      const [, flags, tag, text = ""] = /^(\d+) (\S+) (.*)$/.exec(value) ?? [];
      return `${flags} ${tag} ${shownOctets(Buffer.from(text))}`;
    }
    case "TXT":
      return shownOctets(genericStrings(value) ?? Buffer.from(value));
    default:
      return keptForm(type, value);
  }
}

/** Fields before the hexadecimal data, which may be cut and in either case. */
const hexAfter: Readonly<Record<string, number>> = {
  TLSA: 3,
  SMIMEA: 3,
  SSHFP: 2,
  DS: 3,
  TYPE65280: 2,
  TYPE65281: 2,
};
const base64After: Readonly<Record<string, number>> = { OPENPGPKEY: 0, DHCID: 0, DNSKEY: 3 };

/** Both sides print RDATA of other types, and may differ in case, in blanks within data and in quotes without a need. */
function keptForm(type: string, rdata: string): string {
  const fields = rdata.split(/\s+/);
  const data = hexAfter[type];
  if (data !== undefined) return [...fields.slice(0, data), fields.slice(data).join("").toLowerCase()].join(" ");
  const key = base64After[type];
  if (key !== undefined) return [...fields.slice(0, key), fields.slice(key).join("")].join(" ");
  if (type === "HTTPS" || type === "SVCB") {
    const [priority, target = "", ...parameters] = fields;
    return [priority, target.toLowerCase(), ...parameters.map((field) => field.replaceAll('"', ""))].join(" ");
  }
  if (type === "NAPTR") return [...fields.slice(0, -1), fields.at(-1)?.toLowerCase()].join(" ");
  return rdata.toLowerCase();
}

/** The octets of `"one" "two"`, joined (RFC 1035 §5.1). */
function characterStrings(rdata: string): Buffer {
  const octets: Buffer[] = [];
  for (const [, content = ""] of rdata.matchAll(/"((?:[^"\\]|\\.)*)"/gs)) {
    for (const [part, code, escaped] of content.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gs)) {
      octets.push(code === undefined ? Buffer.from(escaped ?? part, "latin1") : Buffer.of(Number(code)));
    }
  }
  return Buffer.concat(octets);
}

/** The octets of TXT data in generic form (RFC 3597 §5), which stands for content that is no text; null for text. */
function genericStrings(value: string): Buffer | null {
  const [, hex] = /^\\# \d+ ([0-9a-f]+)$/i.exec(value) ?? [];
  if (hex === undefined) return null;
  const rdata = Buffer.from(hex, "hex");
  const strings: Buffer[] = [];
  for (let at = 0; at < rdata.length; at += 1 + rdata.readUInt8(at)) {
    strings.push(rdata.subarray(at + 1, at + 1 + rdata.readUInt8(at)));
  }
  return Buffer.concat(strings);
}

/** One character an octet, so that a difference can be read. */
function shownOctets(octets: Buffer): string {
  return JSON.stringify(octets.toString("latin1"));
}
