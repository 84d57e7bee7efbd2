import { z } from "zod";
import { maybe } from "../vendor-api/maybe.ts";

/** A record as returned by DescribeRecordList. */
const servedRecord = z.object({
  RecordId: z.int(),
  Name: z.string(),
  Type: z.string(),
  Value: z.string(),
  TTL: z.int(),
  /** The priority of an MX record; 0 for other types. */
  MX: z.int().nullish(),
  /** The resolvers that get this record. The default line has the id `0`. */
  Line: maybe(z.string()).transform((line) => line ?? ""),
  LineId: maybe(z.string()).transform((id) => id ?? "0"),
  Status: maybe(z.string()).transform((status) => status ?? "ENABLE"),
  /** Above 0 if answers are chosen by weight. */
  Weight: z.int().nullish(),
});
export type DnspodRecord = z.infer<typeof servedRecord>;

export const recordList = z.object({
  RecordCountInfo: z.object({ TotalCount: z.int() }),
  RecordList: z.array(servedRecord).nullish(),
});

export const domainList = z.object({
  DomainCountInfo: z.object({ DomainTotal: z.int() }),
  DomainList: z.array(z.object({ Name: z.string(), Punycode: maybe(z.string()) })).nullish(),
});

/** A domain's package. */
export const domainInfo = z.object({ DomainInfo: z.object({ Grade: z.string() }) });

/** The limits of packages. */
export const packageDetails = z.object({ Info: z.array(z.object({ DomainGrade: z.string(), MinTtl: z.int() })) });

export const madeRecord = z.object({ RecordId: z.int() });
export const done = z.object({ RequestId: z.string() });
