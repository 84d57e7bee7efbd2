import { shortened } from "../records/rdata/field.ts";
import { readHost } from "../names/names.ts";
import type { RdataField } from "../records/values/value-rule.ts";
import { ok, refuse, type Result } from "../result.ts";
import { nextSerial } from "./serial.ts";
import { parseTtl } from "./ttl.ts";

/** The start of authority (RFC 1035 §3.3.13). Names are absolute, lower-case, without a trailing dot; times are seconds. */
export interface Soa {
  /** The primary name server. */
  mname: string;
  /** Mailbox of whoever answers for the zone, its `@` written as the first dot. */
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  /** How long "no such name" may be cached (RFC 2308 §4). */
  minimum: number;
  ttl: number;
}

/**
 * Stands for the name server of a zone that lists none: a server loads no zone without an apex NS, and `.invalid` (RFC 2606) is nobody's.
 */
export const placeholderNameServer = "placeholder.invalid";

/**
 * The SOA of a zone that never had one. `hostmaster` is a mailbox in DNS form or with `@`; without it `hostmaster.<zone>`, or nobody's where
 * that would be too long for a name.
 */
export function initialSoa(zone: string, now: Date, hostmaster?: string): Soa {
  return {
    mname: placeholderNameServer,
    rname: hostmaster === undefined ? zoneMailbox(zone) : mailboxName(hostmaster),
    serial: nextSerial(0, now),
    refresh: 3600,
    retry: 900,
    expire: 1_209_600,
    minimum: 300,
    ttl: 3600,
  };
}

/** Reads the seven RDATA fields of an SOA. The times may carry units (`1h30m`). */
export function readSoa(fields: readonly RdataField[], origin: string): Result<Omit<Soa, "ttl">> {
  const [mnameField, rnameField, serialField, ...times] = fields;
  if (!mnameField || !rnameField || !serialField || times.length !== 4) {
    return refuse("An SOA needs seven fields: primary server, mailbox, serial, refresh, retry, expire and minimum.");
  }
  const mname = readHost(mnameField.raw, origin);
  if (!mname.ok) return mname;
  const rname = readHost(rnameField.raw, origin);
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
    return refuse(`"${shortened(raw)}" is not a serial: write a number from 0 to 4294967295.`);
  }
  return ok(serial);
}

function zoneMailbox(zone: string): string {
  const mailbox = readHost("hostmaster", zone);
  return mailbox.ok ? mailbox.value : `hostmaster.${placeholderNameServer}`;
}

/** `john.doe@example.com` → `john\.doe.example.com` (RFC 1035 §8). */
function mailboxName(mailbox: string): string {
  const at = mailbox.lastIndexOf("@");
  if (at === -1) return mailbox;
  return `${mailbox.slice(0, at).replaceAll(".", "\\.")}.${mailbox.slice(at + 1)}`;
}
