import { domainToASCII, domainToUnicode } from "node:url";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { escapeOctets, unescapeOctets } from "./escapes.ts";

/** The labels of a name in canonical form, and whether it was written with a trailing dot. */
export interface Labels {
  labels: string[];
  absolute: boolean;
}

/** One label, or a whole name, as it is shown in a message: quoted, control characters visible, not endless. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Octets of a canonical name on the wire without its root and first length octet, where every escape is one octet. */
export function octetLength(name: string): number {
  return name.replaceAll(/\\\d{3}|\\./g, "x").length;
}

/**
 * The A-label of one label (RFC 5890), or null where IDNA has none. An ASCII label is lower-cased and nothing more, so that
 * `_` and whatever begins with `xn--` survive.
 */
export function toALabel(label: string): string | null {
  if (/^\p{ASCII}*$/u.test(label)) return label.toLowerCase();
  // domainToASCII parses a URL's host: whatever could end the host must not reach it.
  if (/[^\P{ASCII}A-Za-z0-9_-]/u.test(label) || !label.isWellFormed()) return null;
  // The label behind it keeps a number in foreign digits from being read as an IPv4 address.
  const host = domainToASCII(`${label}.a`);
  return /^[a-z0-9_-]+\.a$/.test(host) ? host.slice(0, -2) : null;
}

/** The Unicode form of an A-label; the label itself where that fails or does not lead back to it. */
export function toULabel(label: string): string {
  const unicode = domainToUnicode(label);
  return unicode !== "" && toALabel(unicode) === label ? unicode : label;
}

/**
 * Splits a name that a person wrote, strictly: letters, digits, inner hyphens and underscores, and `0/25` (RFC 2317 §4).
 * With `wildcard` the leftmost label may be `*` (RFC 4592). A refusal is the end of a sentence: "it has an empty label".
 */
export function parseLabels(input: string, wildcard: boolean): Result<Labels> {
  if (input === "") return refuse("it is empty");
  if (!input.isWellFormed()) return refuse("it contains half of a character (a lone surrogate)");
  if (input.length > 512) return refuse("it is longer than 253 characters");
  // The other full stops that IDNA knows (UTS #46 §2.3): what East Asian keyboards type.
  const dotted = input.replaceAll(/[\u3002\uff0e\uff61]/g, ".");
  const absolute = dotted.endsWith(".");
  const labels: string[] = [];
  for (const text of (absolute ? dotted.slice(0, -1) : dotted).split(".")) {
    const label = toALabel(text);
    if (label === null) return refuse(`${shown(text)} is not a valid international label`);
    const fault = label === "*" && wildcard && labels.length === 0 ? null : faultOf(label);
    if (fault !== null) return refuse(fault);
    labels.push(label);
  }
  return ok({ labels, absolute });
}

function faultOf(label: string): string | null {
  if (label === "") return "it has an empty label (a dot too many)";
  if (label.length > 63) return `the label ${shown(label)} is longer than 63 characters`;
  if (label.includes("*")) return 'a "*" may only be the whole leftmost label of a record name, as in "*.dev"';
  if (/^\d+\/\d+$/.test(label)) return null;
  if (!/^[a-z0-9_-]+$/.test(label)) {
    return `${shown(label)} contains something other than letters, digits, hyphens and underscores`;
  }
  if (!label.includes("_") && /^-|-$/.test(label)) return `the label ${shown(label)} begins or ends with a hyphen`;
  return null;
}

/**
 * Splits a name of a master file (RFC 1035 §5.1), leniently: any octet may be in a label. Canonical labels are lower-case,
 * with `\c` before the characters that mean something in a master file and `\DDD` for octets that cannot be printed.
 * A refusal is the end of a sentence.
 */
export function readLabels(raw: string): Result<Labels> {
  // 255 octets, each four characters at most.
  if (raw.length > 1020) return refuse("it is longer than 253 octets");
  if (plainName.test(raw)) {
    const labels = raw.toLowerCase().split(".");
    const absolute = labels.at(-1) === "";
    return ok({ labels: absolute ? labels.slice(0, -1) : labels, absolute });
  }
  if (!/^(?:(?:\\[^]|[^.\\])+(?:\.|$))+$/.test(raw)) return refuse("it has an empty label or ends in a backslash");
  const labels: string[] = [];
  for (const [text] of raw.matchAll(/(?:\\[^]|[^.\\])+/g)) {
    const octets = Buffer.from((text.includes("\\") ? null : toALabel(text)) ?? unescapeOctets(text) ?? []);
    if (octets.length === 0) return refuse(`${shown(text)} has an escape that is not \\000 to \\255`);
    if (octets.length > 63) return refuse(`the label ${shown(text)} is longer than 63 octets`);
    labels.push(escapeOctets(octets.map(lowerCase), ' ".;()\\@$'));
  }
  return ok({ labels, absolute: /(?:^|[^\\])(?:\\\\)*\.$/.test(raw) });
}

// Nearly every name of a large zone, read without looking at its octets.
const plainName = /^[\w/*-]{1,63}(?:\.[\w/*-]{1,63})*\.?$/;

function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}
