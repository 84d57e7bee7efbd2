import { isIPv4, isIPv6 } from "node:net";

/** A record as the API shows it. */
export interface ShownRecord {
  id: number;
  type: string;
  name: string;
  data: string;
  priority: number | null;
  port: number | null;
  ttl: number;
  weight: number | null;
  flags: number | null;
  tag: string | null;
}

export interface Domain {
  name: string;
  serial: number;
  records: Map<number, ShownRecord>;
}

/** What a request may say of a record. */
export type RecordInput = Partial<Record<keyof ShownRecord, unknown>>;

const types = new Set(["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"]);
const hostTypes = new Set(["CNAME", "MX", "NS", "SRV"]);
const allowed = new Set(["type", "name", "data", "priority", "port", "ttl", "weight", "flags", "tag"]);
const label = /^(?:\*|[a-z0-9_](?:[a-z0-9_/-]{0,61}[a-z0-9_])?)$/i;

/** Checks the input and converts it to what is shown. @returns the reason as text if it is refused */
export function recordOf(domain: Domain, input: RecordInput, id: number): ShownRecord | string {
  const unknown = Object.keys(input).find((key) => !allowed.has(key));
  if (unknown !== undefined) return `${unknown} is not permitted`;
  const { type, data, ttl = 1800 } = input;
  if (typeof type !== "string" || !types.has(type)) return "Type is not included in the list";
  if (typeof data !== "string" || data === "") return "Data can't be blank";
  if (typeof ttl !== "number" || ttl < 30 || ttl > 2_147_483_647) return "Record TTL must be greater than 30";
  const name = nameOf(domain, input.name);
  if (name === null) return "Name is invalid";
  const numbers = numbersOf(type, input);
  if (typeof numbers === "string") return numbers;
  const fault = faultOf(type, data, numbers.tag);
  if (fault !== null) return fault;
  const record = { id, type, name, data: shownData(domain, type, data, numbers.tag), ttl, ...numbers };
  return conflictOf(domain, record) ?? record;
}

function nameOf(domain: Domain, given: unknown): string | null {
  if (given === undefined || given === null || given === "@") return "@";
  if (typeof given !== "string") return null;
  const relative = given.toLowerCase().replace(`.${domain.name}.`, "");
  if (relative.endsWith(".") || `${relative}.${domain.name}`.length > 253) return null;
  return relative.split(".").every((part) => label.test(part)) ? relative : null;
}

type Numbers = Pick<ShownRecord, "priority" | "port" | "weight" | "flags" | "tag">;

function numbersOf(type: string, input: RecordInput): Numbers | string {
  const numbers: Numbers = { priority: null, port: null, weight: null, flags: null, tag: null };
  const needed = { MX: ["priority"], SRV: ["priority", "port", "weight"], CAA: ["flags"] }[type] ?? [];
  for (const key of needed as (keyof Omit<Numbers, "tag">)[]) {
    const value = input[key];
    if (typeof value !== "number" || value < 0 || value > 65_535) return `${key} is not a number`;
    numbers[key] = value;
  }
  if (type === "SRV" && numbers.port === 0) return "Port must be greater than 0";
  if (type !== "CAA") return numbers;
  if (typeof input.tag !== "string" || !["issue", "issuewild", "iodef"].includes(input.tag))
    return "Tag is not included in the list";
  return { ...numbers, tag: input.tag };
}

/**
 * Whether a value is a host, which needs a dot at its end. The URL of CAA's `iodef` is none and is kept as it is given: Terraform's
 * provider adds the dot to `issue` and `issuewild` only (digitalocean/terraform-provider-digitalocean#421, #422, #1010).
 */
export function isHost(type: string, tag: string | null): boolean {
  return hostTypes.has(type) || (type === "CAA" && tag !== "iodef");
}

function faultOf(type: string, data: string, tag: string | null): string | null {
  if (type === "A") return isIPv4(data) ? null : "Data is not a valid IPv4 address";
  if (type === "AAAA") return isIPv6(data) ? null : "Data is not a valid IPv6 address";
  if (type === "TXT") {
    if (data.includes("\\")) return "Data contains invalid characters";
    const octets = Buffer.byteLength(data);
    const stored = octets + data.split('"').length - 1 + 3 * Math.ceil(octets / 255) - 1;
    return stored > 512 ? "Data is too long (maximum is 512 characters)" : null;
  }
  if (isHost(type, tag) && !data.endsWith(".")) return "Data needs to end with a dot (.)";
  if (type === "CAA") return /[\s;]/.test(data) ? "Data is invalid" : null;
  if (data === ".") return type === "SRV" ? null : "Data is invalid";
  return data
    .slice(0, -1)
    .split(".")
    .every((part) => label.test(part))
    ? null
    : "Data is invalid";
}

/** Hosts lose the dot at their end, and the domain itself is an at. */
function shownData(domain: Domain, type: string, data: string, tag: string | null): string {
  if (!isHost(type, tag) || data === ".") return data;
  const host = data.slice(0, -1);
  return host.toLowerCase() === domain.name && type !== "CAA" ? "@" : host;
}

function conflictOf(domain: Domain, record: ShownRecord): string | null {
  const others = [...domain.records.values()].filter(({ id, name }) => id !== record.id && name === record.name);
  if (record.type === "CNAME" && (record.name === "@" || others.length > 0)) {
    return "CNAME records cannot share a name with other records";
  }
  if (others.some(({ type }) => type === "CNAME")) return "CNAME records cannot share a name with other records";
  const same = (other: ShownRecord) =>
    (["type", "data", "priority", "port", "weight", "flags", "tag"] as const).every(
      (key) => other[key] === record[key],
    );
  return others.some(same) ? "Record already exists" : null;
}

export function zoneFileOf({ name, serial }: Domain): string {
  return `$ORIGIN ${name}.\n$TTL 1800\n${name}. IN SOA ns1.digitalocean.com. hostmaster.${name}. ${serial} 10800 3600 604800 1800\n`;
}
