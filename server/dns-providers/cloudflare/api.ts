import { z } from "zod";

// The parts of Cloudflare's API in use (https://developers.cloudflare.com/api/resources/dns/subresources/records/). Other fields
// are ignored.

const paging = z.object({ total_count: z.int().optional(), total_pages: z.int().optional() });

export type Paging = z.infer<typeof paging>;

const zone = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  plan: z.object({ legacy_id: z.string().optional() }).optional(),
});

export type ServedZone = z.infer<typeof zone>;

export const zonePage = z.object({ result: z.array(zone), result_info: paging.optional() });
export const madeZone = zone;

const record = z.object({
  id: z.string(),
  /** Absolute, without a trailing dot, in A-labels. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  content: z.string().default(""),
  priority: z.number().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  proxied: z.boolean().default(false),
  comment: z.string().nullish(),
  tags: z.array(z.string()).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  private_routing: z.boolean().optional(),
  meta: z.object({ read_only: z.boolean().optional() }).optional(),
});

/** A record as Cloudflare returns it. */
export type ServedRecord = z.infer<typeof record>;

export const recordPage = z.object({ result: z.array(record), result_info: paging.optional() });

const done = z.array(z.object({ id: z.string() })).nullish();
export const batchResult = z.object({ deletes: done, patches: done, posts: done });

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
