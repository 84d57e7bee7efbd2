/**
 * The wire format of one RDATA field:
 * `u8`, `u16`, `u32`: numbers; `a`, `aaaa`: addresses; `name`: a domain name; `string`: a character-string (RFC 1035 §3.3);
 * `tag`: a character-string written without quotes (RFC 8659 §4.1). Only last in a record: `strings`: one or more character-strings;
 * `text`: octets without a length; `hex`, `base64`: a blob; `parameters`: SvcParams (RFC 9460 §2.2).
 */
export type FieldKind =
  | "u8"
  | "u16"
  | "u32"
  | "a"
  | "aaaa"
  | "name"
  | "string"
  | "tag"
  | "strings"
  | "text"
  | "hex"
  | "base64"
  | "parameters";

const key: readonly FieldKind[] = ["u16", "u8", "u8", "base64"];
const digest: readonly FieldKind[] = ["u16", "u8", "u8", "hex"];
const association: readonly FieldKind[] = ["u8", "u8", "u8", "hex"];
const exchanger: readonly FieldKind[] = ["u16", "name"];
const binding: readonly FieldKind[] = ["u16", "name", "parameters"];

/**
 * RDATA formats by type. Includes every type that may contain compressed names (RFC 3597 §4); the RDATA of any other type is opaque.
 */
export const layouts: ReadonlyMap<string, readonly FieldKind[]> = new Map<string, readonly FieldKind[]>([
  ["A", ["a"]],
  ["AAAA", ["aaaa"]],
  ["NS", ["name"]],
  ["CNAME", ["name"]],
  ["SOA", ["name", "name", "u32", "u32", "u32", "u32", "u32"]],
  ["MB", ["name"]],
  ["MG", ["name"]],
  ["MR", ["name"]],
  ["PTR", ["name"]],
  ["DNAME", ["name"]],
  ["MINFO", ["name", "name"]],
  ["RP", ["name", "name"]],
  ["HINFO", ["string", "string"]],
  ["MX", exchanger],
  ["AFSDB", exchanger],
  ["RT", exchanger],
  ["KX", exchanger],
  ["PX", ["u16", "name", "name"]],
  ["TXT", ["strings"]],
  ["SPF", ["strings"]],
  ["SRV", ["u16", "u16", "u16", "name"]],
  ["NAPTR", ["u16", "u16", "string", "string", "string", "name"]],
  ["CAA", ["u8", "tag", "text"]],
  ["URI", ["u16", "u16", "text"]],
  ["DS", digest],
  ["CDS", digest],
  ["DLV", digest],
  ["DNSKEY", key],
  ["CDNSKEY", key],
  ["SSHFP", ["u8", "u8", "hex"]],
  ["TLSA", association],
  ["SMIMEA", association],
  ["OPENPGPKEY", ["base64"]],
  ["DHCID", ["base64"]],
  ["SVCB", binding],
  ["HTTPS", binding],
]);
