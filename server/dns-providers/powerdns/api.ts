import { z } from "zod";

// The parts of PowerDNS's API in use (https://doc.powerdns.com/authoritative/http-api/zone.html). Other fields are ignored.

const record = z.object({ content: z.string(), disabled: z.boolean().default(false) });

const rrset = z.object({
  /** Absolute, with a trailing dot. */
  name: z.string(),
  type: z.string(),
  ttl: z.int().default(0),
  records: z.array(record).default([]),
});

/** An RRset on the server. Its comments are left out, because the server keeps what is not sent. */
export type ServedRrset = z.infer<typeof rrset>;

export const zoneList = z.array(z.object({ name: z.string() }));

export const zoneState = z.object({
  kind: z.string(),
  serial: z.int(),
  /** How the server raises the serial when the API changes the zone; empty: not at all. */
  soa_edit_api: z.string().default(""),
  /** Whether it has keys, or signatures from elsewhere. */
  dnssec: z.boolean().default(false),
});

/** `["1"]` if set, otherwise `[]`. */
export const zoneMetadata = z.object({ metadata: z.array(z.string()) });

export const zoneWithRrsets = zoneState.extend({ rrsets: z.array(rrset) });

/** An RRset that replaces the present one as a whole. */
export interface RrsetReplacement {
  name: string;
  type: string;
  ttl: number;
  changetype: "REPLACE";
  records: { content: string; disabled: boolean }[];
}

/**
 * Returns a zone's id for use in paths: its name with a trailing dot, and `=XX` for all but letters, digits, dots and hyphens, so
 * that a slash (RFC 2317) does not split the path.
 */
export function zoneId(zone: string): string {
  return `${zone.replaceAll(/[^a-z0-9.-]+/gi, encoded)}.`;
}

function encoded(part: string): string {
  return [...Buffer.from(part)].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
