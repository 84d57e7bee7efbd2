import { nameOf } from "../record.ts";
import { printRdata } from "../record-types.ts";
import { decodeText } from "../values/character-strings.ts";
import { unescapeOctets } from "../names/escapes.ts";
import type { Steps } from "../../platform/slices.ts";
import { isPlaceholder } from "../zone-file/contents.ts";
import { rdataFields } from "../zone-file/record-data.ts";
import { inOrder } from "../zone-file/write.ts";
import { inPieces, remark, stringsOf, type FormatContent, type WrittenRecord } from "./format.ts";

/** How each type's arguments are written, in the order of RDATA: `n` a number, `s` text, `m` meters. */
const argumentForms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    A: "s",
    AAAA: "s",
    ALIAS: "s",
    CNAME: "s",
    DHCID: "s",
    DNAME: "s",
    DNSKEY: "nnns",
    DS: "nnns",
    LOC: "nnnsnnnsmmmm",
    MX: "ns",
    NAPTR: "nnssss",
    NS: "s",
    OPENPGPKEY: "s",
    PTR: "s",
    RP: "ss",
    SMIMEA: "nnns",
    SRV: "nnns",
    SSHFP: "nns",
    TLSA: "nnns",
  }),
);

/** Writes a zone for DNSControl. Types that it has no function for become comments. */
export function* writeDnscontrol({ zone, records }: FormatContent): Steps<string[]> {
  const written: string[] = [];
  const remarks: string[] = [];
  for (const record of yield* inOrder(records)) {
    yield;
    if (isPlaceholder(record)) continue;
    const call = (record.status ?? "active") === "active" ? callOf(record) : null;
    if (call === null) remarks.push(remark(record));
    else written.push(call);
  }
  return yield* inPieces([
    `// Zone ${zone}, written by Zonewright.`,
    "// Set the registrar and provider to the names of your creds.json.",
    ...remarks.map((one) => `// ${one}`),
    'var REG_NONE = NewRegistrar("none");',
    'var DSP_ZONE = NewDnsProvider("provider");',
    "",
    `D(${JSON.stringify(zone)}, REG_NONE, DnsProvider(DSP_ZONE),`,
    ...written.map((call) => `  ${call},`),
    "END);",
  ]);
}

function callOf(record: WrittenRecord): string | null {
  const { recordType, ttl, proxied, comment } = record;
  const given = argumentsOf(record);
  if (given === null) return null;
  const name = nameOf(record);
  const settings = `TTL(${ttl})${proxied ? ", CF_PROXY_ON" : ""}`;
  const remarked = comment ? ` /* ${comment.replaceAll(/[\n\r]+|\*\//g, " ")} */` : "";
  // The name servers of the zone itself have a function of their own, and no TTL.
  if (recordType === "NS" && name === "@") return `NAMESERVER(${given.join(", ")})${remarked}`;
  return `${recordType}(${[JSON.stringify(name), ...given, settings].join(", ")})${remarked}`;
}

function argumentsOf(record: WrittenRecord): string[] | null {
  const { recordType } = record;
  if (recordType === "TXT") return textArgument(record);
  const fields = rdataFields(recordType, printRdata(record)) ?? [];
  const raws = fields.map(({ raw }) => raw);
  if (raws[0] === undefined || raws[0] === String.raw`\#`) return null;
  if (recordType === "CAA") return caaArguments(raws);
  if (recordType === "HTTPS" || recordType === "SVCB") {
    const [priority = "", target = "", ...parameters] = raws;
    return [priority, JSON.stringify(target), JSON.stringify(parameters.join(" "))];
  }
  const forms = argumentForms.get(recordType);
  if (forms === undefined || forms.length !== raws.length) return null;
  return raws.map((raw, index) => {
    const form = forms[index];
    return form === "s" ? JSON.stringify(plainText(raw)) : form === "m" ? raw.replace(/m$/, "") : raw;
  });
}

/** Text in quotes loses its escapes, which DNSControl makes itself. */
function plainText(raw: string): string {
  const octets = raw.includes("\\") ? unescapeOctets(raw) : null;
  return (octets && decodeText(octets)) ?? raw;
}

function caaArguments([flags, tag = "", value = ""]: readonly string[]): string[] | null {
  if (flags !== "0" && flags !== "128") return null;
  const given = [JSON.stringify(tag), JSON.stringify(plainText(value))];
  return flags === "0" ? given : [...given, "CAA_CRITICAL"];
}

/** Returns one text, or an array if it is split otherwise than at every 255 octets; null if it is not text. */
function textArgument(record: WrittenRecord): string[] | null {
  const strings = stringsOf(record);
  const texts = (record.strings === null && strings ? [Buffer.concat(strings)] : (strings ?? [])).map((octets) =>
    decodeText(octets),
  );
  const [only] = texts;
  if (only === undefined || !texts.every((text) => text !== null)) return null;
  return [texts.length === 1 ? JSON.stringify(only) : JSON.stringify(texts)];
}
