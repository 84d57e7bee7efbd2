import { z } from "zod";

/** A record as DescribeRecordList shows it. */
const servedRecord = z.object({
  RecordId: z.int(),
  Name: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** The priority of an MX record; 0 for other types. */
  MX: z.int().nullish(),
  /** Those whom alone it is answered to. The default line has the id `0`. */
  Line: z.string().default(""),
  LineId: z.string().default("0"),
  Status: z.string().default("ENABLE"),
  /** Above 0 where answers are chosen by weight. */
  Weight: z.int().nullish(),
});
export type DnspodRecord = z.infer<typeof servedRecord>;

export const recordList = z.object({
  RecordCountInfo: z.object({ TotalCount: z.int() }),
  RecordList: z.array(servedRecord).nullish(),
});

export const domainList = z.object({
  DomainCountInfo: z.object({ DomainTotal: z.int() }),
  DomainList: z.array(z.object({ Name: z.string(), Punycode: z.string().optional() })).nullish(),
});

/** The package that a domain is in. */
export const domainInfo = z.object({ DomainInfo: z.object({ Grade: z.string() }) });

/** What packages allow. */
export const packageDetails = z.object({ Info: z.array(z.object({ DomainGrade: z.string(), MinTtl: z.int() })) });

export const madeRecord = z.object({ RecordId: z.int() });
export const done = z.object({ RequestId: z.string() });
