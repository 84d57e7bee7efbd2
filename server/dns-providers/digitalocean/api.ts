import { z } from "zod";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { maybe, messageIn, parsedJson } from "../vendor-api/text.ts";
import { readPages } from "../vendor-api/pages.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment, type VendorRequest } from "../vendor-api/calls.ts";

// The parts of DigitalOcean's API v2 in use (reference, "Domains" and "Domain Records"). Other fields are ignored.

const number = z.int().nullish();

const domainRecord = z.object({
  /** Missing on the SOA. */
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

/** A record as DigitalOcean returns it. */
export type DomainRecord = z.infer<typeof domainRecord>;

/** The fields of a record to write; those that its type lacks are left out. */
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
  links: maybe(z.object({ pages: maybe(z.object({ next: maybe(z.string()) })) })),
  meta: maybe(z.object({ total: z.int() })),
};
const recordPage = z.object({ domain_records: z.array(domainRecord), ...paged });
/** Read for its id, which later deletes the record. */
const madeRecord = z.object({ domain_record: z.object({ id: z.int() }) }).transform((made) => made.domain_record);
const nothing = z.literal("");
const domainPage = z.object({ domains: z.array(z.object({ name: z.string() })), ...paged });
const madeDomain = z.object({ domain: z.object({ name: z.string() }) });
const oneDomain = z.object({ domain: z.object({ name: z.string(), zone_file: z.string().nullish() }) });

/** The API calls in use. @throws ProviderError from all of them */
export interface DigitalOceanApi {
  readonly name: string;
  domains(): AsyncIterable<string[]>;
  /** Returns a domain; null if the account does not have it. */
  domain(name: string): Promise<{ zoneFile: string | null } | null>;
  createDomain(name: string): Promise<Result<unknown>>;
  /** Lists a domain's records. @param fullName limits them to one full name. @throws ProviderError with `zoneMissing` */
  records(domain: string, fullName?: string): AsyncIterable<DomainRecord[]>;
  create(domain: string, fields: RecordFields): Promise<Result<{ id: number }>>;
  update(domain: string, id: string, fields: RecordFields): Promise<Result<unknown>>;
  delete(domain: string, id: string): Promise<Result<unknown>>;
}

const largestPage = 200;
export const digitalOceanAddress = "https://api.digitalocean.com";
/** Slightly below 5,000 an hour and 250 a minute (reference, "Rate Limit"), because other users of the token share these. */
export const digitalOceanLimits = [
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
    quotas: { address: digitalOceanAddress, limits: digitalOceanLimits },
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
    throw calls.failure(
      `rejects the token of this provider configuration. Check the token and its scopes. It says: ${said(answer)}`,
      "none",
    );
  }

  /** Returns the message of an answer above 300. */
  function said({ status, text }: VendorAnswer): string {
    return `${calls.plain(messageIn(text))} (${status})`.trimStart();
  }

  function read<T>(answer: VendorAnswer, schema: z.ZodType<T>, effect: "none" | "unknown"): T {
    const parsed = schema.safeParse(answer.text === "" ? "" : parsedJson(answer.text));
    if (parsed.success) return parsed.data;
    throw calls.notItsApi(effect, parsed.error);
  }

  /** Makes a call and returns its parsed answer, or the refusal. */
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

  function pages<Entry, T extends z.infer<z.ZodObject<typeof paged>>>(
    path: string,
    list: {
      name: string;
      schema: z.ZodType<T>;
      entriesOf: (page: T) => Entry[];
      idOf: (entry: Entry) => string | number;
    },
  ): AsyncGenerator<Entry[]> {
    const { name, schema, entriesOf, idOf } = list;
    return readPages({ vendor: calls.name, name, pageSize: largestPage, idOf }, async (page) => {
      // The links to next pages lose the filter, so the addresses are built here.
      const answer = await call("GET", `${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=${largestPage}`);
      if (answer.status === 404) throw calls.failure("has no such domain.", "none", { zoneMissing: true });
      if (answer.status >= 300) throw calls.error(said(answer), "none");
      const value = read(answer, schema, "none");
      const isLast = value.links?.pages?.next === undefined;
      return { entries: entriesOf(value), total: value.meta?.total ?? null, isLast };
    });
  }

  return {
    name: calls.name,
    async *domains() {
      const list = {
        name: "The list of domains",
        schema: domainPage,
        entriesOf: namesIn,
        idOf: (name: string) => name,
      };
      yield* pages("", list);
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
      yield* pages(`/${encodeURIComponent(domain)}/records${filter}`, {
        name: `The domain ${domain}`,
        schema: recordPage,
        entriesOf: ({ domain_records: records }) => records,
        idOf: ({ id, type }) => id ?? type,
      });
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

function namesIn({ domains }: z.infer<typeof domainPage>): string[] {
  return domains.map(({ name }) => name);
}
