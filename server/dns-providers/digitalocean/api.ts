import { z } from "zod";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { PageTurner } from "../vendor-api/page-turner.ts";
import { messageIn, parsedJson } from "../vendor-api/text.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment, type VendorRequest } from "../vendor-api/calls.ts";

// The parts of DigitalOcean's API v2 that are used (reference, "Domains" and "Domain Records"). Fields beyond them are let be.

const number = z.int().nullish();

const domainRecord = z.object({
  /** The SOA has none. */
  id: number,
  type: z.string(),
  /** Relative to the domain, `@` for the apex. */
  name: z.string(),
  data: z.string().nullish(),
  priority: number,
  port: number,
  ttl: number,
  weight: number,
  flags: number,
  tag: z.string().nullish(),
});

/** A record as DigitalOcean has it. */
export type DomainRecord = z.infer<typeof domainRecord>;

/** What a record is to be; fields that its type does not have are left out. */
export interface RecordFields {
  type: string;
  name: string;
  data: string;
  ttl: number;
  priority?: number;
  port?: number;
  weight?: number;
  flags?: number;
  tag?: string;
}

const paged = {
  links: z.object({ pages: z.object({ next: z.string().optional() }).optional() }).optional(),
  meta: z.object({ total: z.int() }).optional(),
};
const recordPage = z.object({ domain_records: z.array(domainRecord), ...paged });
/** The id is what it takes to delete the record again. */
const madeRecord = z.object({ domain_record: z.object({ id: z.int() }) }).transform((made) => made.domain_record);
const nothing = z.literal("");
const domainPage = z.object({ domains: z.array(z.object({ name: z.string() })), ...paged });
const madeDomain = z.object({ domain: z.object({ name: z.string() }) });
const oneDomain = z.object({ domain: z.object({ name: z.string(), zone_file: z.string().nullish() }) });

/** The calls of the API that are used. @throws ProviderError from all of them */
export interface DigitalOceanApi {
  readonly name: string;
  domains(): AsyncIterable<string[]>;
  /** Null where the account has none of this name. */
  domain(name: string): Promise<{ zoneFile: string | null } | null>;
  createDomain(name: string): Promise<Result<unknown>>;
  /** @param fullName only those of this full name. @throws ProviderError with `zoneMissing` */
  records(domain: string, fullName?: string): AsyncIterable<DomainRecord[]>;
  create(domain: string, fields: RecordFields): Promise<Result<{ id: number }>>;
  update(domain: string, id: number, fields: RecordFields): Promise<Result<unknown>>;
  delete(domain: string, id: number): Promise<Result<unknown>>;
}

const largestPage = 200;
export const digitalOceanAddress = "https://api.digitalocean.com";
/** A little less than 5,000 an hour and 250 a minute (reference, "Rate Limit"), which others with the token share. */
const limits = [
  { calls: 4_800, seconds: 3_600 },
  { calls: 240, seconds: 60 },
];

export function digitalOceanApi(
  { token, endpoint }: { token: string; endpoint: string },
  environment: VendorEnvironment,
): DigitalOceanApi {
  const calls = new VendorCalls({
    name: "DigitalOcean",
    address: endpoint,
    environment,
    secrets: [token],
    quotas: { address: digitalOceanAddress, limits },
  });
  const base = `${endpoint.replace(/\/+$/, "").replace(/\/v2$/, "")}/v2/domains`;

  async function call(
    method: VendorRequest["method"],
    path: string,
    body?: RecordFields | { name: string },
  ): Promise<VendorAnswer> {
    const answer = await calls.send({
      method,
      url: `${base}${path}`,
      headers: { authorization: `Bearer ${token}`, accept: "application/json", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      changes: method !== "GET",
    });
    if (answer.status !== 401 && answer.status !== 403) return answer;
    throw calls.error(
      `it refuses the token of this provider configuration; check the token and its scopes. It says: ${said(answer)}`,
      "none",
    );
  }

  /** What an answer above 300 says. */
  function said({ status, text }: VendorAnswer): string {
    return `${calls.plain(messageIn(text))} (${status})`.trimStart();
  }

  function read<T>(answer: VendorAnswer, schema: z.ZodType<T>, effect: "none" | "unknown"): T {
    const parsed = schema.safeParse(answer.text === "" ? "" : parsedJson(answer.text));
    if (parsed.success) return parsed.data;
    throw calls.notItsApi(effect, parsed.error);
  }

  /** An answer below 300 in its form, else the refusal in its words. */
  async function send<T>(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    body: RecordFields | { name: string } | undefined,
    schema: z.ZodType<T>,
  ): Promise<Result<T>> {
    const answer = await call(method, path, body);
    if (answer.status >= 300) return refuse(said(answer));
    return ok(read(answer, schema, "unknown"));
  }

  /** @param markOf what a page begins with; nothing where it is empty. */
  async function* pages<T extends z.infer<z.ZodObject<typeof paged>>>(
    path: string,
    schema: z.ZodType<T>,
    markOf: (page: T) => string | undefined,
  ): AsyncGenerator<T> {
    // The addresses of the next pages leave filters out, so they are made here.
    let total = 0;
    const turner = new PageTurner(calls.name);
    for (let page = 1; ; page++) {
      const answer = await call("GET", `${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=${largestPage}`);
      if (answer.status === 404) throw calls.error("it has no such domain.", "none", { zoneMissing: true });
      if (answer.status >= 300) throw calls.error(said(answer), "none");
      const value = read(answer, schema, "none");
      // What goes meanwhile moves the others to earlier pages, where they would be missed.
      const before = total;
      total = value.meta?.total ?? total;
      if (total < before || (page - 1) * largestPage > total)
        throw calls.error("it was changed while it was read; try again.", "none");
      yield value;
      if (value.links?.pages?.next === undefined) return;
      const mark = markOf(value);
      if (mark === undefined || value.meta === undefined || page * largestPage >= total)
        throw calls.error("it promises more of a list than it shows; try again later.", "none");
      turner.turn(mark, Math.ceil(total / largestPage));
    }
  }

  return {
    name: calls.name,
    async *domains() {
      const listed = pages("", domainPage, ({ domains: [first] }) => first?.name);
      for await (const { domains } of listed) yield domains.map(({ name }) => name);
    },
    async domain(name) {
      const answer = await call("GET", `/${encodeURIComponent(name)}`);
      if (answer.status === 404) return null;
      if (answer.status >= 300) throw calls.error(said(answer), "none");
      return { zoneFile: read(answer, oneDomain, "none").domain.zone_file ?? null };
    },
    async createDomain(name) {
      return await send("POST", "", { name }, madeDomain);
    },
    async *records(domain, fullName) {
      const filter = fullName === undefined ? "" : `?name=${encodeURIComponent(fullName)}`;
      const path = `/${encodeURIComponent(domain)}/records${filter}`;
      const listed = pages(path, recordPage, ({ domain_records: [first] }) => first && JSON.stringify(first));
      for await (const page of listed) yield page.domain_records;
    },
    async create(domain, fields) {
      return await send("POST", `/${encodeURIComponent(domain)}/records`, fields, madeRecord);
    },
    async update(domain, id, fields) {
      return await send("PUT", `/${encodeURIComponent(domain)}/records/${id}`, fields, madeRecord);
    },
    async delete(domain, id) {
      return await send("DELETE", `/${encodeURIComponent(domain)}/records/${id}`, undefined, nothing);
    },
  };
}
