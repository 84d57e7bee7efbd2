import { shortened } from "../rdata/field.ts";
import { foldName, readHost, readHostAsWritten } from "../names/names.ts";
import { isMailbox } from "../server-rules/host-names.ts";
import type { RdataField } from "../values/value-rule.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { parseTtl } from "./ttl.ts";

/** The start of authority (RFC 1035 §3.3.13). Names are absolute, as written, without a trailing dot; times are seconds. */
export interface Soa {
  /** The primary name server. */
  mname: string;
  /** Mailbox of the person responsible for the zone, with its `@` written as a dot. */
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  /** Negative-caching TTL in seconds (RFC 2308 §4). */
  minimum: number;
  ttl: number;
}

/**
 * Placeholder name server for a zone without one. Servers do not load a zone without an apex NS, and `.invalid` is reserved (RFC 2606).
 */
export const placeholderNameServer = "placeholder.invalid";

/** Options for the mailbox of generated SOAs. */
interface MailboxChoice {
  /** A mailbox in DNS form or with `@`. Default: `hostmaster.<zone>`. */
  hostmaster?: string | undefined;
  /** Whether the servers refuse a zone whose mailbox is not at a host name, like BIND's `check-names`. Default: true. */
  checkNames?: boolean;
}

/** Returns the SOA of a zone that never had one. Uses the placeholder mailbox if the chosen one is too long or would be refused. */
export function initialSoa(zone: string, now: Date, choice: MailboxChoice = {}): Soa {
  return {
    mname: placeholderNameServer,
    rname: loadableMailbox(chosenMailbox(zone, choice), choice),
    serial: nextSerial(0, now),
    refresh: 3600,
    retry: 900,
    expire: 1_209_600,
    minimum: 300,
    ttl: 3600,
  };
}

/** Replaces a mailbox that an earlier version generated and servers refuse. */
export function withLoadableMailbox(soa: Soa, zone: string, choice: MailboxChoice): Soa {
  const ours = [chosenMailbox(zone, choice), chosenMailbox(zone, {})].map(foldName);
  const isOurs = ours.includes(foldName(soa.rname));
  return isOurs ? { ...soa, rname: loadableMailbox(soa.rname, choice) } : soa;
}

/** Reads the seven RDATA fields of an SOA. The times may carry units (`1h30m`). */
export function readSoa(fields: readonly RdataField[], origin: string): Result<Omit<Soa, "ttl">> {
  const [mnameField, rnameField, serialField, ...times] = fields;
  if (!mnameField || !rnameField || !serialField || times.length !== 4) {
    return refuse(
      "An SOA must have seven fields: primary server, mailbox, serial, refresh, retry, expire and minimum.",
    );
  }
  const mname = readHostAsWritten(mnameField.raw, origin);
  if (!mname.ok) return mname;
  const rname = readHostAsWritten(rnameField.raw, origin);
  if (!rname.ok) return rname;
  const serial = readSerial(serialField.raw);
  if (!serial.ok) return serial;
  const seconds: number[] = [];
  for (const field of times) {
    const time = parseTtl(field.raw);
    if (!time.ok) return time;
    seconds.push(time.value);
  }
  const [refresh = 0, retry = 0, expire = 0, minimum = 0] = seconds;
  return ok({ mname: mname.value, rname: rname.value, serial: serial.value, refresh, retry, expire, minimum });
}

function readSerial(raw: string): Result<number> {
  const serial = Number(raw);
  if (!/^\d{1,10}$/.test(raw) || serial >= 2 ** 32) {
    return refuse(`"${shortened(raw)}" is not a serial; use a number from 0 to 4294967295.`);
  }
  return ok(serial);
}

const placeholderMailbox = `hostmaster.${placeholderNameServer}`;

function chosenMailbox(zone: string, { hostmaster }: MailboxChoice): string {
  if (hostmaster !== undefined) return mailboxName(hostmaster);
  const mailbox = readHost("hostmaster", zone);
  return mailbox.ok ? mailbox.value : placeholderMailbox;
}

function loadableMailbox(mailbox: string, { checkNames = true }: MailboxChoice): string {
  return checkNames && !isMailbox(mailbox) ? placeholderMailbox : mailbox;
}

/** `john.doe@example.com` → `john\.doe.example.com` (RFC 1035 §8). */
export function mailboxName(mailbox: string): string {
  const at = mailbox.lastIndexOf("@");
  if (at === -1) return mailbox;
  return `${mailbox.slice(0, at).replaceAll(".", "\\.")}.${mailbox.slice(at + 1)}`;
}

const modulus = 2 ** 32;

/**
 * Returns the serial after `current`: `YYYYMMDD00` of `now` (UTC) if that is an increase by RFC 1982 §3.2, otherwise `current` + 1,
 * wrapping after 2^32-1. Never returns 0, which some servers read as "none".
 */
export function nextSerial(current: number, now: Date): number {
  const dated = ((now.getUTCFullYear() * 100 + now.getUTCMonth() + 1) * 100 + now.getUTCDate()) * 100;
  if (dated < modulus && isAdvance(current, dated)) return dated;
  const next = (current + 1) % modulus;
  return next === 0 ? 1 : next;
}

/** Returns whether a secondary at serial `from` considers `to` newer. */
function isAdvance(from: number, to: number): boolean {
  const distance = (to - from + modulus) % modulus;
  return distance > 0 && distance < modulus / 2;
}
