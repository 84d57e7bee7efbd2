import { domainToASCII, domainToUnicode } from "node:url";
import { isIP } from "node:net";
import { escapeOctets, unescapeOctets } from "./escapes.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { zonesOfNetwork, type NetworkZones } from "./networks.ts";

// A canonical name is lower-case A-labels without a trailing dot. `parse…` is strict, for user input; `read…` accepts everything that a
// master file may contain (RFC 1035 §5.1) and leaves escapes in the text. Names are compared in canonical form and shown as first written
// (RFC 4343 §3, §4): functions with `AsWritten` in their name, and `writtenName`, keep the capitals of ASCII labels.

/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters without the trailing dot. */
const longestName = 253;

/** Replaces the dots of East Asian keyboards, which separate labels, too (RFC 3490 §3.1). */
export function withAsciiDots(text: string): string {
  return text.replaceAll(/[\u3002\uff0e\uff61]/g, ".");
}

/** Returns the canonical form of a name as written, which is ASCII: non-ASCII octets are escaped, and are never folded (RFC 4343 §2.1). */
export function foldName(written: string): string {
  return written.toLowerCase();
}

/** An owner relative to its zone. */
export interface OwnerName {
  /** Canonical. */
  name: string;
  /** As written, if that has capitals. */
  writtenName?: string | undefined;
}

function ownerName(written: string): OwnerName {
  const name = foldName(written);
  return name === written ? { name } : { name, writtenName: written };
}

/**
 * Parses a user-supplied zone name: at least two labels, and neither an IP address nor a network. Drops blanks around it and one trailing
 * dot, and converts Unicode to A-labels.
 */
export function parseZoneName(given: string): Result<string> {
  const input = given.trim();
  const network = zonesOfNetwork(input);
  if (network) return refuse(`The domain name must look like "example.com", but ${reverseAdvice(input, network)}.`);
  const parsed = folded(parseFullName(input));
  if (parsed.ok && parsed.value.includes(".")) return parsed;
  const reason = parsed.ok ? "it has only one label" : parsed.message;
  return refuse(`The domain name must look like "example.com", but ${reason}.`);
}

function reverseAdvice(network: string, { count, first, last }: NetworkZones): string {
  return count === 1
    ? `${network} is a network. Its reverse zone is ${first}`
    : `${network} is a network. Its reverse zones are the ${count} from ${first} to ${last}; add those that you need`;
}

/**
 * Parses a user-supplied owner and returns it relative to `zone` (canonical), `@` for the apex. Accepts `@`, the empty string, a relative
 * name and a fully qualified name with or without the trailing dot. A name that ends in the zone's name is fully qualified.
 */
export function parseOwner(input: string, zone: string): Result<string> {
  const owner = parseOwnerName(input, zone);
  return owner.ok ? ok(owner.value.name) : owner;
}

/** {@link parseOwner}, with the owner as written. */
export function parseOwnerName(given: string, zone: string): Result<OwnerName> {
  const input = given.trim();
  if (input === "" || input === "@") return ok({ name: "@" });
  const parsed = anyLabelsAsWritten(input);
  if (!parsed.ok) return refuse(`The record name must look like "www", "*.dev" or "@", but ${parsed.message}.`);
  const name = parsed.value.labels.join(".");
  const relative = writtenWithin(name, zone);
  if (relative === null && parsed.value.absolute) {
    return refuse(
      `The name ${shown(input)} is outside the zone ${zone}: leave out the trailing dot, or end it in "${zone}."`,
    );
  }
  const owner = relative ?? name;
  return octetLength(absoluteName(owner, zone)) > longestName
    ? refuse(`The record name is too long: together with ".${zone}" it must be at most ${longestName} characters.`)
    : ok(ownerName(owner));
}

/**
 * Reads an owner from a master file and returns it relative to `zone`. `@` is the origin, which also completes a name without a
 * trailing dot. `origin` and `zone` are canonical and absolute. Refuses a name outside the zone.
 */
export function readOwner(raw: string, origin: string, zone: string): Result<OwnerName> {
  const name = readHostAsWritten(raw, origin);
  if (!name.ok) return name;
  const owner = ownerNameWithin(name.value, zone);
  return owner === null ? refuse(`The name ${shown(name.value)} is outside the zone ${zone}.`) : ok(owner);
}

/** Returns a relative owner in `zone` if it has no escapes and is not too long; null for any other, which `readHostAsWritten` reads. */
export function plainOwner(raw: string, zone: string): OwnerName | null {
  const isPlain = raw.length + 1 + zone.length <= longestName && !raw.endsWith(".") && plainName.test(raw);
  return isPlain ? ownerName(raw) : null;
}

/** Returns the full name, without a trailing dot, of an owner relative to `zone`. */
export function absoluteName(relative: string, zone: string): string {
  return relative === "@" ? zone : `${relative}.${zone}`;
}

/**
 * Parses a user-supplied host name (CNAME, NS, MX and SRV targets). It is always a full name, with or without the trailing
 * dot. Wildcards and IP addresses are refused: the last label must not be a number (RFC 1123 §2.1).
 * @param subject begins a refusal's sentence
 */
export function parseHost(input: string, subject?: string): Result<string> {
  return folded(parseHostAsWritten(input, subject));
}

/** {@link parseHost}, as written. */
export function parseHostAsWritten(input: string, subject = "The value"): Result<string> {
  const parsed = parseFullName(input);
  return parsed.ok
    ? parsed
    : refuse(`${subject} must be a valid domain name such as "www.example.com", but ${parsed.message}.`);
}

/**
 * Parses a user-supplied domain name that need not be that of a host (targets of CNAME, DNAME and PTR; RFC 2181 §11). As
 * {@link parseHostAsWritten}, but it may be the root (`.`), begin with a wildcard label, and have escapes (RFC 1035 §5.1).
 * @param subject begins a refusal's sentence
 */
export function parseDomainNameAsWritten(input: string, subject = "The value"): Result<string> {
  if (input === ".") return ok(".");
  const isAny = input.includes("\\") || /^\*(?:\.|$)/.test(input);
  const parsed = isAny ? anyLabelsAsWritten(input) : parseFullName(input, "any");
  if (!parsed.ok)
    return refuse(`${subject} must be a valid domain name such as "www.example.com", but ${parsed.message}.`);
  const name = typeof parsed.value === "string" ? parsed.value : parsed.value.labels.join(".");
  return octetLength(name) > longestName
    ? refuse(
        `${subject} must be a valid domain name such as "www.example.com", but it is longer than ${longestName} octets.`,
      )
    : ok(name);
}

/** Reads a host name from RDATA in a master file, completed by `origin` (canonical; empty for the root). The root is `.`. */
export function readHost(raw: string, origin: string): Result<string> {
  return folded(readHostAsWritten(raw, origin));
}

/** {@link readHost}, as written. `origin` may be as written, too. */
export function readHostAsWritten(raw: string, origin: string): Result<string> {
  const base = origin === "." ? "" : origin;
  if (raw === ".") return ok(".");
  if (raw === "@") return ok(base === "" ? "." : base);
  const read = readLabels(raw);
  if (!read.ok) return refuse(`${shown(raw)} is not a valid domain name: ${read.message}.`);
  const own = read.value.labels.join(".");
  const name = read.value.absolute || base === "" ? own : `${own}.${base}`;
  return octetLength(name) > longestName
    ? refuse(`${shown(name)} is not a valid domain name: it is longer than ${longestName} octets.`)
    : ok(name);
}

function folded(name: Result<string>): Result<string> {
  return name.ok ? ok(foldName(name.value)) : name;
}

/** Returns the name for display: A-labels in Unicode, except those that do not round-trip. */
export function toUnicodeName(name: string): string {
  return name.replaceAll(/(?<=^|[^\\]\.)xn--[a-z0-9-]+(?=\.|$)/g, toULabel);
}

function parseFullName(given: string, hyphens: Hyphens = "inner"): Result<string> {
  const input = given.trim();
  if (isIP(input.replaceAll(/^\[|\]$/g, "")) !== 0) {
    return refuse(`${shown(input)} is an IP address, which belongs in an A or AAAA record`);
  }
  const parsed = labelsAsWritten(input, false, hyphens);
  if (!parsed.ok) return parsed;
  const name = parsed.value.labels.join(".");
  if (name.length > longestName) return refuse(`it is longer than ${longestName} characters`);
  if (/^\d+(?:\/\d+)?$/.test(parsed.value.labels.at(-1) ?? "")) {
    return refuse(`${shown(input)} ends in a number like an IP address, which belongs in an A or AAAA record`);
  }
  return ok(name);
}

/** Returns a canonical name relative to `zone`: `@` for the zone itself, null for a name outside it. */
export function ownerWithin(name: string, zone: string): string | null {
  if (name === zone) return "@";
  if (!name.endsWith(`.${zone}`)) return null;
  const relative = name.slice(0, -zone.length - 1);
  // An odd number of backslashes makes the dot part of a label.
  return relative.endsWith("\\") && /(?:^|[^\\])(?:\\\\)*\\$/.test(relative) ? null : relative;
}

/** Returns a name as written relative to `zone`, which is canonical: `@` for the zone itself, null for a name outside it. */
function writtenWithin(name: string, zone: string): string | null {
  const owner = ownerWithin(foldName(name), zone);
  return owner === null || owner === "@" ? owner : name.slice(0, owner.length);
}

/** Returns the owner of a name as written within `zone`, which is canonical; null for a name outside it. */
export function ownerNameWithin(name: string, zone: string): OwnerName | null {
  const owner = writtenWithin(name, zone);
  return owner === null ? null : ownerName(owner);
}

/** The labels of a name, and whether it had a trailing dot. */
interface Labels {
  labels: string[];
  absolute: boolean;
}

/** Formats a label or name for a message: quoted, control characters escaped, truncated to 80 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Returns a canonical name's length on the wire in octets, without the first length octet and the root. Every escape is one octet. */
function octetLength(name: string): number {
  return !name.includes("\\") ? name.length : name.replaceAll(/\\\d{3}|\\./g, "x").length;
}

/**
 * Returns the A-label of a label (RFC 5890), or null if IDNA does not allow it. ASCII labels are only lower-cased, which preserves
 * `_` and existing `xn--` labels.
 */
export function toALabel(label: string): string | null {
  const written = aLabelAsWritten(label);
  return written === null ? null : foldName(written);
}

/** Returns the A-label of a label. IDNA folds labels that are not ASCII; others stay as written. */
function aLabelAsWritten(label: string): string | null {
  if (/^\p{ASCII}*$/u.test(label)) return label;
  // domainToASCII parses a URL's host, so characters that could end the host must not reach it.
  if (/[^\P{ASCII}A-Za-z0-9_-]/u.test(label) || !label.isWellFormed()) return null;
  // The trailing label stops numbers in non-ASCII digits from parsing as an IPv4 address.
  const host = domainToASCII(`${label}.a`);
  return /^[a-z0-9_-]+\.a$/.test(host) ? host.slice(0, -2) : null;
}

/** Returns the Unicode form of an A-label, or the label unchanged if the conversion fails or does not round-trip. */
function toULabel(label: string): string {
  const unicode = domainToUnicode(label);
  return unicode !== "" && toALabel(unicode) === label ? unicode : label;
}

/**
 * Parses a user-supplied name strictly: letters, digits, inner hyphens and underscores, and `0/25` (RFC 2317 §4).
 * With `wildcard` the leftmost label may be `*` (RFC 4592). Refusal messages end a sentence: "it has an empty label".
 */
export function parseLabels(input: string, wildcard: boolean): Result<Labels> {
  const parsed = labelsAsWritten(input, wildcard);
  return parsed.ok ? ok({ ...parsed.value, labels: parsed.value.labels.map(foldName) }) : parsed;
}

/** Where a label may have hyphens: that of a host only within it (RFC 1123 §2.1), any other anywhere (RFC 2181 §11). */
type Hyphens = "inner" | "any";

function labelsAsWritten(given: string, wildcard: boolean, hyphens: Hyphens = "inner"): Result<Labels> {
  const input = given.trim();
  if (input === "") return refuse("it is empty");
  if (!input.isWellFormed()) return refuse("it contains half of a character (a lone surrogate)");
  if (input.length > 512) return refuse("it is longer than 253 characters");
  // The other full stops that IDNA maps to a dot (UTS #46 §2.3), as typed on East Asian keyboards.
  const dotted = withAsciiDots(input);
  const absolute = dotted.endsWith(".");
  const labels: string[] = [];
  for (const text of (absolute ? dotted.slice(0, -1) : dotted).split(".")) {
    const label = aLabelAsWritten(text);
    if (label === null) return refuse(`${shown(text)} is not a valid international label`);
    const fault = label === "*" && wildcard && labels.length === 0 ? null : faultOf(label, hyphens);
    if (fault !== null) return refuse(fault);
    labels.push(label);
  }
  return ok({ labels, absolute });
}

/**
 * Parses a user-supplied name with the escapes of a master file (RFC 1035 §5.1), which can hold any octet (RFC 2181 §11). Without escapes,
 * and in everything else, as {@link labelsAsWritten} with a wildcard.
 */
function anyLabelsAsWritten(input: string): Result<Labels> {
  if (!input.includes("\\")) {
    const plain = labelsAsWritten(input, true, "any");
    return plain.ok || !input.includes(" ") ? plain : refuse(`${plain.message}; write a space as \\032`);
  }
  const parsed = readLabels(withAsciiDots(input));
  if (!parsed.ok) return parsed;
  const [first, ...others] = parsed.value.labels;
  return [first === "*" ? "" : first, ...others].some((label) => label?.includes("*")) ? refuse(wildcardFault) : parsed;
}

/**
 * Returns a canonical name in a form that {@link parseOwner} and {@link parseDomainNameAsWritten} accept: with escapes for whatever a client might
 * have mistyped, such as the colon of an address on the web.
 */
export function withEscapes(name: string): string {
  if (/^(?:[\w*-](?:[\w/-]*[\w-])?(?:\.|$))+$/.test(name)) return name;
  return name.replaceAll(/\\\d{3}|\\.|[^\w.*-]/g, (part) =>
    part.startsWith("\\") ? part : `\\${String(part.charCodeAt(0)).padStart(3, "0")}`,
  );
}

const wildcardFault = 'a "*" may only be the whole leftmost label of a record name, as in "*.dev"';

function faultOf(label: string, hyphens: Hyphens): string | null {
  if (label === "") return "it has an empty label (an extra dot)";
  if (label.length > 63) return `the label ${shown(label)} is longer than 63 characters`;
  if (label.includes("*")) return wildcardFault;
  if (/^\d+\/\d+$/.test(label)) return null;
  if (!/^[a-z0-9_-]+$/i.test(label)) {
    return `${shown(label)} contains something other than letters, digits, hyphens and underscores`;
  }
  if (hyphens === "inner" && !label.includes("_") && /^-|-$/.test(label))
    return `the label ${shown(label)} begins or ends with a hyphen`;
  return null;
}

/**
 * Parses a name from a master file (RFC 1035 §5.1) leniently: a label may contain any octet. Labels are as written,
 * with `\c` for characters special in a master file and `\DDD` for non-printable octets.
 * Refusal messages end a sentence.
 */
function readLabels(raw: string): Result<Labels> {
  // 255 octets of at most four characters each.
  if (raw.length > 1020) return refuse("it is longer than 253 octets");
  if (plainName.test(raw)) {
    const labels = raw.split(".");
    const absolute = labels.at(-1) === "";
    return ok({ labels: absolute ? labels.slice(0, -1) : labels, absolute });
  }
  if (!/^(?:(?:\\[^]|[^.\\])+(?:\.|$))+$/.test(raw)) return refuse("it has an empty label or ends in a backslash");
  const labels: string[] = [];
  for (const [text] of raw.matchAll(/(?:\\[^]|[^.\\])+/g)) {
    const octets = Buffer.from((text.includes("\\") ? null : aLabelAsWritten(text)) ?? unescapeOctets(text) ?? []);
    if (octets.length === 0) return refuse(`${shown(text)} has an escape that is not \\000 to \\255`);
    if (octets.length > 63) return refuse(`the label ${shown(text)} is longer than 63 octets`);
    labels.push(escapeOctets(octets, ' ".;()\\@$'));
  }
  return ok({ labels, absolute: /(?:^|[^\\])(?:\\\\)*\.$/.test(raw) });
}

// Fast path: nearly every name of a large zone needs no octet-by-octet parsing.
const plainName = /^[\w/*-]{1,63}(?:\.[\w/*-]{1,63})*\.?$/;

/** Returns whether a host matches a pattern, both canonical. Searches each part once, after the previous one, so there is no backtracking. */
export function matchesHost(pattern: string, host: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return host === pattern;
  if (!host.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = host.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return host.length - last.length >= from && host.endsWith(last);
}

/*
 * Zones of one name that different clients see, such as an internal and a public one, are views of that name. A domain is identified by
 * its name and view, written `example.com!internal`. The default view is the empty text, and is written as the bare name. Where a bare name
 * could mean another view, `example.com!default` says it.
 */

const defaultView = "default";

/** Matches a view other than the default. */
const viewForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns `example.com!internal`, or `example.com` in the default view. */
export function qualifiedName({ name, view }: { name: string; view: string }): string {
  return view === "" ? name : `${name}!${view}`;
}

/** Splits a qualified name. The parts are not validated. */
export function splitQualified(qualified: string): { name: string; view: string | null } {
  const at = qualified.lastIndexOf("!");
  return at < 0 ? { name: qualified, view: null } : { name: qualified.slice(0, at), view: qualified.slice(at + 1) };
}

/** Returns the zone name of a qualified name: `example.com` for `example.com!internal`. */
export function zoneNameOf(qualified: string): string {
  return splitQualified(qualified).name;
}

/** Parses a user-supplied view; capitals become small. The empty text and `default` are the default view. */
export function parseView(input: string): Result<string> {
  const view = input.trim().toLowerCase();
  if (view === defaultView) return ok("");
  return view === "" || viewForm.test(view)
    ? ok(view)
    : refuse("A view must be 1 to 63 of a-z, 0-9 and -, and must not begin or end with -.");
}

/** Parses what follows the exclamation mark of a user-supplied name. */
export function parseNamedView(view: string): Result<string> {
  return view === ""
    ? refuse("Name the view after the exclamation mark, as in example.com!internal, or leave the mark out.")
    : parseView(view);
}

/** Parses a user-supplied name of a domain, with or without its view. `view` is null if the name has none. */
export function parseQualified(input: string): Result<{ name: string; view: string | null }> {
  const given = splitQualified(input);
  const name = parseZoneName(given.name);
  if (!name.ok) return name;
  if (given.view === null) return ok({ name: name.value, view: null });
  const view = parseNamedView(given.view);
  return view.ok ? ok({ name: name.value, view: view.value }) : view;
}
