import { z } from "zod";

/** A record as DescribeDomainRecords shows it. */
const servedRecord = z.object({
  RecordId: z.string(),
  RR: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** Of an MX record. */
  Priority: z.int().optional(),
  /** `default`, or those whom alone it is answered to. */
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

/** `PunyCode` comes with names that are not ASCII. */
export const domainPage = z.object({
  TotalCount: z.int(),
  Domains: z.object({ Domain: z.array(z.object({ DomainName: z.string(), PunyCode: z.string().optional() })) }),
});

/** What an edition of the product allows. */
export const domainInfo = z.object({ DomainName: z.string(), MinTtl: z.int().optional() });

export const madeRecord = z.object({ RecordId: z.string() });
export const done = z.object({ RequestId: z.string() });
