import { isIP } from "node:net";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { octetLength, parseLabels, readLabels, shown, toULabel } from "./labels.ts";

// A canonical name is lower-case A-labels without a trailing dot. `parse…` holds people to what a name should be, `read…`
// takes what a master file may hold (RFC 1035 §5.1), with its escapes left in the text.

/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters without the trailing dot. */
const longestName = 253;

/**
 * The canonical name of a zone from what a person typed: at least two labels, and not an IP address.
 * One trailing dot is dropped and Unicode becomes A-labels.
 */
export function parseZoneName(input: string): Result<string> {
  const parsed = parseFullName(input);
  if (parsed.ok && parsed.value.includes(".")) return parsed;
  const reason = parsed.ok ? "it has only one label" : parsed.message;
  return refuse(`The domain name must look like "example.com", but ${reason}.`);
}

/**
 * A record's owner as a client gave it, relative to `zone` (canonical), `@` for the apex. `@`, nothing, a relative name and a
 * fully qualified one, with or without the trailing dot, are understood; one that ends in the zone's name is fully qualified.
 */
export function parseOwner(input: string, zone: string): Result<string> {
  if (input === "" || input === "@") return ok("@");
  const parsed = parseLabels(input, true);
  if (!parsed.ok) return refuse(`The record name must look like "www", "*.dev" or "@", but ${parsed.message}.`);
  const name = parsed.value.labels.join(".");
  const relative = ownerWithin(name, zone);
  if (relative === null && parsed.value.absolute) {
    return refuse(
      `The name ${shown(input)} is outside the zone ${zone}: leave out the trailing dot, or end it in "${zone}."`,
    );
  }
  const owner = relative ?? name;
  return absoluteName(owner, zone).length > longestName
    ? refuse(
        `The record name must leave the whole name at most ${longestName} characters long with "${zone}" behind it.`,
      )
    : ok(owner);
}

/**
 * An owner as written in a master file, relative to `zone`. `@` is the origin, which also completes a name without a
 * trailing dot. `origin` and `zone` are canonical and absolute. A name outside the zone is refused.
 */
export function readOwner(raw: string, origin: string, zone: string): Result<string> {
  const name = readHost(raw, origin);
  if (!name.ok) return name;
  const owner = ownerWithin(name.value, zone);
  return owner === null ? refuse(`The name ${shown(name.value)} is outside the zone ${zone}.`) : ok(owner);
}

/** The full name, without a trailing dot, of an owner that is relative to `zone`. */
export function absoluteName(relative: string, zone: string): string {
  return relative === "@" ? zone : `${relative}.${zone}`;
}

/**
 * A host name that a person gave as a value (CNAME, NS, MX and SRV targets). It is always taken as a full name, trailing
 * dot or not. No wildcard, and no IP address: the last label must not be a number (RFC 1123 §2.1). `subject` begins the
 * sentence of a refusal.
 */
export function parseHost(input: string, subject = "The value"): Result<string> {
  const parsed = parseFullName(input);
  return parsed.ok
    ? parsed
    : refuse(`${subject} must be a valid domain name such as "www.example.com", but ${parsed.message}.`);
}

/** A host name within the RDATA of a master file, completed by `origin` (canonical; empty for the root); the root is `.`. */
export function readHost(raw: string, origin: string): Result<string> {
  const base = origin === "." ? "" : origin;
  if (raw === ".") return ok(".");
  if (raw === "@") return ok(base === "" ? "." : base);
  const read = readLabels(raw);
  if (!read.ok) return refuse(`The name ${shown(raw)} cannot be a domain name: ${read.message}.`);
  const own = read.value.labels.join(".");
  const name = read.value.absolute || base === "" ? own : `${own}.${base}`;
  return octetLength(name) > longestName
    ? refuse(`The name ${shown(name)} cannot be a domain name: it is longer than ${longestName} octets.`)
    : ok(name);
}

/** The name for people: A-labels in Unicode, except those whose Unicode form does not lead back to them. */
export function toUnicodeName(name: string): string {
  return name.replaceAll(/(?<=^|[^\\]\.)xn--[a-z0-9-]+(?=\.|$)/g, toULabel);
}

function parseFullName(input: string): Result<string> {
  if (isIP(input.replaceAll(/^\[|\]$/g, "")) !== 0) {
    return refuse(`${shown(input)} is an IP address, which belongs in an A or AAAA record`);
  }
  const parsed = parseLabels(input, false);
  if (!parsed.ok) return parsed;
  const name = parsed.value.labels.join(".");
  if (name.length > longestName) return refuse(`it is longer than ${longestName} characters`);
  if (/^\d+$/.test(parsed.value.labels.at(-1) ?? "")) {
    return refuse(`${shown(input)} ends in a number like an IP address, which belongs in an A or AAAA record`);
  }
  return ok(name);
}

/** A canonical name without `zone` at its end, `@` where they are the same, null where it is not within the zone. */
export function ownerWithin(name: string, zone: string): string | null {
  if (name === zone) return "@";
  if (!name.endsWith(`.${zone}`)) return null;
  const relative = name.slice(0, -zone.length - 1);
  // An odd number of backslashes makes the dot part of a label.
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(relative) ? null : relative;
}
