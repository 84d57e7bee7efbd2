import { z } from "zod";
import { maybe } from "../vendor-api/text.ts";

// The parts of Cloudflare's API in use (https://developers.cloudflare.com/api/resources/dns/subresources/records/). Other fields
// are ignored.

const paging = z.object({ total_count: maybe(z.int()), total_pages: maybe(z.int()) });

export type Paging = z.infer<typeof paging>;

const zone = z.object({
  id: z.string(),
  name: z.string(),
  status: maybe(z.string()),
  /** `full`; `partial`: a CNAME set-up; `secondary`: transferred from a primary server; `internal`. */
  type: maybe(z.string()),
  plan: maybe(z.object({ legacy_id: maybe(z.string()) })),
});

export type ServedZone = z.infer<typeof zone>;

export const zonePage = z.object({ result: z.array(zone), result_info: maybe(paging) });
export const madeZone = z.object({ result: zone });

const record = z.object({
  id: z.string(),
  /** Absolute, without a trailing dot, in A-labels. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  content: maybe(z.string()).transform((content) => content ?? ""),
  priority: maybe(z.number()),
  data: maybe(z.record(z.string(), z.unknown())),
  proxied: maybe(z.boolean()).transform((proxied) => proxied ?? false),
  comment: maybe(z.string()),
  tags: maybe(z.array(z.string())),
  settings: maybe(z.record(z.string(), z.unknown())),
  private_routing: maybe(z.boolean()),
  meta: maybe(z.object({ read_only: maybe(z.boolean()) })),
});

/** A record as Cloudflare returns it. */
export type ServedRecord = z.infer<typeof record>;

export const recordPage = z.object({ result: z.array(record), result_info: maybe(paging) });

const done = maybe(z.array(z.object({ id: z.string() })));
export const batchResult = z.object({ result: z.object({ deletes: done, patches: done, posts: done }) });

/** The fields of a record to write. Comments and tags are left out, so that a patch preserves them. */
export interface RecordBody {
  name: string;
  type: string;
  ttl: number;
  content?: string;
  data?: Readonly<Record<string, unknown>>;
  priority?: number;
  proxied?: boolean;
  comment?: string;
  tags?: readonly string[];
  settings?: Readonly<Record<string, unknown>>;
  private_routing?: boolean;
}

/** Changes that Cloudflare makes in one database transaction: deletes, then patches, then posts. */
export interface Batch {
  deletes: { id: string }[];
  patches: (RecordBody & { id: string })[];
  posts: RecordBody[];
}
