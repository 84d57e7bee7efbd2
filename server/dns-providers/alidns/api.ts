import { z } from "zod";
import { maybe } from "../vendor-api/maybe.ts";

/** A record as returned by DescribeDomainRecords. */
const servedRecord = z.object({
  RecordId: z.string(),
  RR: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** Only on MX records. */
  Priority: maybe(z.int()),
  /** The resolvers that get this record; `default` for all. */
  Line: maybe(z.string()).transform((line) => line ?? "default"),
  Status: maybe(z.string()).transform((status) => status ?? "ENABLE"),
  /** Whether answers are chosen by weight. */
  LbaStatus: maybe(z.boolean()),
  Weight: maybe(z.int()),
});
export type AlidnsRecord = z.infer<typeof servedRecord>;

export const recordPage = z.object({
  TotalCount: z.int(),
  DomainRecords: z.object({ Record: z.array(servedRecord) }),
});

/** `PunyCode` is present for names that are not ASCII. */
export const domainPage = z.object({
  TotalCount: z.int(),
  Domains: z.object({ Domain: z.array(z.object({ DomainName: z.string(), PunyCode: maybe(z.string()) })) }),
});

/** The limits of a domain's edition. */
export const domainInfo = z.object({ DomainName: z.string(), MinTtl: maybe(z.int()) });

export const madeRecord = z.object({ RecordId: z.string() });
export const done = z.object({ RequestId: z.string() });
