// Two views of one zone, made comparable: what BIND prints and what our interface lists. Nothing of the server's own
// reading or printing of values is used here, so that a mistake in it cannot hide.

/** A record with an absolute, lower-case owner, and RDATA in a form in which equal data is equal text. */
export interface PresentedRecord {
  name: string;
  ttl: number;
  type: string;
  rdata: string;
}

/** The fields of our interface that determine what is served. */
export interface ListedRecord {
  recordType: string;
  name: string;
  value: string;
  /** TXT: the strings; null or omitted: split at every 255 octets. */
  strings?: readonly string[] | null;
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

/** What a name server should answer for records that our interface lists. */
export function asPresented(zone: string, records: readonly ListedRecord[]): PresentedRecord[] {
  return records.map(({ recordType, name, value, strings = null, ttl }) => ({
    name: (name === "@" ? `${zone}.` : `${name}.${zone}.`).toLowerCase(),
    ttl,
    type: recordType,
    rdata: fromInterface(recordType, value, strings),
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
  if (type === "TXT") return shownStrings(characterStrings(rdata));
  if (type === "CAA") {
    const [, flags, tag, value = ""] = /^(\d+) (\S+) (".*")$/.exec(rdata) ?? [];
    return `${flags} ${tag} ${shownOctets(Buffer.concat(characterStrings(value)))}`;
  }
  return keptForm(type, rdata);
}

function fromInterface(type: string, value: string, strings: readonly string[] | null): string {
  switch (type) {
    case "A":
    case "AAAA":
      return value;
    case "CNAME":
    case "NS":
    case "PTR":
    case "MX":
    case "SRV":
      // The host comes last in all of them; the root keeps its one dot. Letters of both cases name the same host (RFC 4343).
      return (value.endsWith(".") ? value : `${value}.`).toLowerCase();
    case "CAA": {
      const [, flags, tag, text = ""] = /^(\d+) (\S+) (.*)$/.exec(value) ?? [];
      return `${flags} ${tag} ${shownOctets(Buffer.from(text))}`;
    }
    case "TXT":
      return shownStrings(strings?.map(stringOctets) ?? genericStrings(value) ?? cutAt255(Buffer.from(value)));
    default:
      return keptForm(type, value);
  }
}

/** The number of fields before hexadecimal data, which may be split and in either case. */
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

/** The octets of `"one" "two"`, each by itself (RFC 1035 §5.1). */
function characterStrings(rdata: string): Buffer[] {
  return [...rdata.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, content = ""]) => {
    const parts = content.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gs);
    return Buffer.concat(
      [...parts].map(([part, code, escaped]) =>
        code === undefined ? Buffer.from(escaped ?? part, "latin1") : Buffer.of(Number(code)),
      ),
    );
  });
}

/** The octets of a string as our interface has it: text, `\\` and `\ddd`. */
function stringOctets(string: string): Buffer {
  const parts = string.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gs);
  return Buffer.concat(
    [...parts].map(([part, code, escaped]) =>
      code === undefined ? Buffer.from(escaped ?? part) : Buffer.of(Number(code)),
    ),
  );
}

function cutAt255(octets: Buffer): Buffer[] {
  const strings = [octets.subarray(0, 255)];
  for (let at = 255; at < octets.length; at += 255) strings.push(octets.subarray(at, at + 255));
  return strings;
}

/** The octets of TXT data in generic form (RFC 3597 §5), used for content that is not text; null for text. */
function genericStrings(value: string): Buffer[] | null {
  const [, hex] = /^\\# \d+ ([0-9a-f]+)$/i.exec(value) ?? [];
  if (hex === undefined) return null;
  const rdata = Buffer.from(hex, "hex");
  const strings: Buffer[] = [];
  for (let at = 0; at < rdata.length; at += 1 + rdata.readUInt8(at)) {
    strings.push(rdata.subarray(at + 1, at + 1 + rdata.readUInt8(at)));
  }
  return strings;
}

function shownStrings(strings: readonly Buffer[]): string {
  return strings.map(shownOctets).join(" ");
}

/** One character per octet, so differences are readable. */
function shownOctets(octets: Buffer): string {
  return JSON.stringify(octets.toString("latin1"));
}
