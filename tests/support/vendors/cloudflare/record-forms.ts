import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

// What Cloudflare's API documents of its records (developers.cloudflare.com/api/resources/dns/subresources/records).

/** An error as the API reports it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface StoredRecord {
  id: string;
  name: string;
  type: string;
  ttl: number;
  content: string;
  proxied: boolean;
  proxiable: boolean;
  priority?: number;
  data?: Record<string, string | number>;
  comment: string | null;
  tags: string[];
  settings: Record<string, unknown>;
  meta: { read_only?: boolean };
  created_on: string;
  modified_on: string;
}

export type Given = Readonly<Record<string, unknown>>;

const commonFields = ["name", "type", "ttl", "comment", "tags", "settings", "proxied"];
/** Fields of `data`; those with a `:n` are numbers. */
const dataFields: Readonly<Record<string, readonly string[]>> = {
  CAA: ["flags:n", "tag", "value"],
  CERT: ["type:n", "key_tag:n", "algorithm:n", "certificate"],
  DNSKEY: ["flags:n", "protocol:n", "algorithm:n", "public_key"],
  DS: ["key_tag:n", "algorithm:n", "digest_type:n", "digest"],
  HTTPS: ["priority:n", "target", "value"],
  NAPTR: ["order:n", "preference:n", "flags", "service", "regex", "replacement"],
  SMIMEA: ["usage:n", "selector:n", "matching_type:n", "certificate"],
  SRV: ["priority:n", "weight:n", "port:n", "target"],
  SSHFP: ["algorithm:n", "type:n", "fingerprint"],
  SVCB: ["priority:n", "target", "value"],
  TLSA: ["usage:n", "selector:n", "matching_type:n", "certificate"],
  URI: ["weight:n", "target"],
};
const plainTypes = new Set(["A", "AAAA", "CNAME", "MX", "NS", "OPENPGPKEY", "PTR", "TXT"]);
const proxiable = new Set(["A", "AAAA", "CNAME"]);

/** A record's fields in the forms in which the API shows them. @throws ApiError as the API refuses it */
export function formed(
  zone: string,
  given: Given,
  minTtl: number,
): Omit<StoredRecord, "id" | "created_on" | "modified_on" | "meta"> {
  const { type } = given;
  if (typeof type !== "string" || !(plainTypes.has(type) || type in dataFields)) {
    throw new ApiError(400, 9000, "DNS record type is invalid.");
  }
  const shape = dataFields[type];
  const own = new Set([...commonFields, shape ? "data" : "content"]);
  if (type === "MX" || type === "URI") own.add("priority");
  const unknown = Object.keys(given).find((field) => !own.has(field));
  if (unknown !== undefined) throw new ApiError(400, 9207, `Unknown field ${unknown} for ${type} records.`);
  const proxied = given["proxied"] ?? false;
  if (typeof proxied !== "boolean") throw new ApiError(400, 9207, "proxied must be a boolean.");
  if (proxied && !proxiable.has(type)) throw new ApiError(400, 9004, "This record type cannot be proxied.");
  const priority = type === "MX" || type === "URI" ? number(given["priority"], "priority") : undefined;
  const data = shape ? dataOf(type, shape, given["data"]) : undefined;
  const top = type === "SRV" ? Number(data?.["priority"]) : priority;
  return {
    name: ownerIn(zone, given["name"]),
    type,
    ttl: ttlOf(given["ttl"], proxied, minTtl),
    content: data ? contentOf(type, data, priority) : plainContent(type, given["content"]),
    proxied,
    proxiable: proxiable.has(type),
    ...(top === undefined ? {} : { priority: top }),
    ...(data ? { data } : {}),
    comment: commentOf(given["comment"]),
    tags: (given["tags"] as string[] | undefined) ?? [],
    settings: (given["settings"] as Record<string, unknown> | undefined) ?? {},
  };
}

function commentOf(comment: unknown): string | null {
  if (comment === undefined || comment === null) return null;
  if (typeof comment === "string" && comment.length <= 100) return comment;
  throw new ApiError(400, 9225, "The comment is too long.");
}

function ttlOf(ttl: unknown, proxied: boolean, minTtl: number): number {
  const seconds = number(ttl, "ttl");
  if (seconds !== 1 && (seconds < minTtl || seconds > 86_400)) {
    throw new ApiError(400, 9021, `Invalid TTL. Must be between ${minTtl} and 86400 seconds, or 1 for Automatic.`);
  }
  return proxied ? 1 : seconds;
}

function ownerIn(zone: string, name: unknown): string {
  if (typeof name !== "string" || name === "") throw new ApiError(400, 9000, "DNS name is invalid.");
  const given = /[^\0-\x7f]/.test(name) ? domainToASCII(name) : name.toLowerCase();
  const ascii = given === "@" ? zone : given;
  const full = ascii === zone || ascii.endsWith(`.${zone}`) ? ascii : `${ascii}.${zone}`;
  const labels = full.split(".");
  if (full.length > 253 || labels.some((label) => label === "" || label.length > 63)) {
    throw new ApiError(400, 9000, "DNS name is invalid.");
  }
  return full;
}

function number(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new ApiError(400, 9100, `${field} must be a valid number.`);
}

function hostIn(type: string, given: unknown): string {
  const host = typeof given === "string" ? given.toLowerCase() : "";
  if (host === ".") return host;
  const plain = host.replace(/\.$/, "");
  if (plain === "" || plain.split(".").some((label) => label === "" || label.length > 63) || isIPv4(plain)) {
    throw new ApiError(400, 9007, `Content for ${type} record is invalid.`);
  }
  return plain;
}

function plainContent(type: string, given: unknown): string {
  if (typeof given !== "string") throw new ApiError(400, 9005, `Content for ${type} record is missing.`);
  if (type === "A") {
    if (isIPv4(given)) return given;
    throw new ApiError(400, 9005, "Content for A record must be a valid IPv4 address.");
  }
  if (type === "AAAA") {
    const host = isIPv6(given) && !given.includes("%") ? URL.parse(`http://[${given}]`)?.hostname : undefined;
    if (host !== undefined) return host.slice(1, -1);
    throw new ApiError(400, 9006, "Content for AAAA record must be a valid IPv6 address.");
  }
  if (type === "TXT") return textContent(given);
  return type === "OPENPGPKEY" ? given : hostIn(type, given);
}

/** Character-strings in quotes are kept as entered, and so is what comes without quotes. */
function textContent(given: string): string {
  if (!given.includes('"') && given !== "") return given;
  const strings = [...given.matchAll(/"((?:[^"\\]|\\\d{3}|\\\D)*)"\s*/gy)];
  if (strings.map(([match]) => match).join("") !== given || given === "") {
    throw new ApiError(400, 9007, "Content for TXT record is invalid: unbalanced quotes.");
  }
  if (textOctets(strings.map(([, text = ""]) => text)).length > 4_096) {
    throw new ApiError(400, 9008, "Content for TXT record exceeds 4096 bytes in wire format.");
  }
  return given;
}

/** The octets that the strings stand for, in the form of the wire (RFC 1035 §3.3, §5.1). */
function textOctets(strings: readonly string[]): Buffer {
  return Buffer.concat(
    strings.flatMap((text) => {
      const parts = [...text.matchAll(/\\(\d{3})|\\(\D)|([^\\]+)/gsu)].map(([, code, character, plain]) =>
        code === undefined ? Buffer.from(character ?? plain ?? "") : Buffer.of(Number(code)),
      );
      const octets = Buffer.concat(parts);
      const pieces: Buffer[] = [];
      for (let at = 0; at === 0 || at < octets.length; at += 255) {
        const piece = octets.subarray(at, at + 255);
        pieces.push(Buffer.of(piece.length), piece);
      }
      return pieces;
    }),
  );
}

function dataOf(type: string, shape: readonly string[], given: unknown): Record<string, string | number> {
  if (typeof given !== "object" || given === null) throw new ApiError(400, 9101, `data for ${type} record is missing.`);
  const fields = given as Given;
  const names = new Set(shape.map((field) => field.replace(":n", "")));
  const unknown = Object.keys(fields).find((field) => !names.has(field));
  if (unknown !== undefined) throw new ApiError(400, 9101, `${unknown} is not a valid data field for ${type}.`);
  return Object.fromEntries(
    shape.map((field) => {
      const name = field.replace(":n", "");
      const value = fields[name];
      if (field !== name) return [name, number(value, name)];
      if (typeof value !== "string") throw new ApiError(400, 9101, `${name} is a required data field.`);
      const isHost = name === "replacement" || (name === "target" && type !== "URI");
      if (isHost) return [name, value === "" ? "" : hostIn(type, value)];
      return [name, name === "value" && type !== "CAA" ? parametersIn(value) : value];
    }),
  );
}

/** Parameters of a service are shown in quotes, whether they were given so or not. */
function parametersIn(value: string): string {
  return value.replaceAll(/(?<=^|\s)([a-z0-9-]+)=([^\s"]+)/g, '$1="$2"');
}

function contentOf(
  type: string,
  data: Readonly<Record<string, string | number>>,
  priority: number | undefined,
): string {
  const text = (name: string) => `"${String(data[name]).replaceAll(/(["\\])/g, "\\$1")}"`;
  if (type === "CAA") return `${data["flags"]} ${data["tag"]} ${text("value")}`;
  if (type === "SRV") return `${data["weight"]} ${data["port"]} ${data["target"]}`;
  if (type === "URI") return `${priority} ${data["weight"]} ${text("target")}`;
  if (type === "NAPTR") {
    return `${data["order"]} ${data["preference"]} ${text("flags")} ${text("service")} ${text("regex")} ${data["replacement"]}.`;
  }
  return Object.values(data).join(" ").trimEnd();
}
