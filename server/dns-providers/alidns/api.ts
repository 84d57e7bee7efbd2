import { z } from "zod";

/** A record as returned by DescribeDomainRecords. */
const servedRecord = z.object({
  RecordId: z.string(),
  RR: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** Only on MX records. */
  Priority: z.int().optional(),
  /** The resolvers that get this record; `default` for all. */
  Line: z.string().default("default"),
  Status: z.string().default("ENABLE"),
  /** Whether answers are chosen by weight. */
  LbaStatus: z.boolean().optional(),
  Weight: z.int().optional(),
});
export type AlidnsRecord = z.infer<typeof servedRecord>;

export const recordPage = z.object({
  TotalCount: z.int(),
  DomainRecords: z.object({ Record: z.array(servedRecord) }),
});

/** `PunyCode` is present for names that are not ASCII. */
export const domainPage = z.object({
  TotalCount: z.int(),
  Domains: z.object({ Domain: z.array(z.object({ DomainName: z.string(), PunyCode: z.string().optional() })) }),
});

/** The limits of a domain's edition. */
export const domainInfo = z.object({ DomainName: z.string(), MinTtl: z.int().optional() });

export const madeRecord = z.object({ RecordId: z.string() });
export const done = z.object({ RequestId: z.string() });
