import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { isHost, recordOf, zoneFileOf, type Domain, type RecordInput, type ShownRecord } from "./domain.ts";

export interface DigitalOceanServer extends LoopbackVendor {
  token: string;
  /** Makes a domain as its console does. */
  addDomain(name: string): void;
  removeDomain(name: string): void;
  /** Adds a record as its console does; fields of its type as the API takes them. @returns its id */
  add(domain: string, fields: RecordInput): number;
  /** Deletes all records of a name. */
  clear(domain: string, name: string): void;
  /** A domain's records except its SOA and name servers at the apex: `name type ttl data`. */
  lines(domain: string): string[];
  /** Calls that may have changed something. */
  changes(): VendorCall[];
}

/** DigitalOcean's API v2 as its reference describes it ("Domains", "Domain Records"), for one token. */
export async function startDigitalOcean(): Promise<DigitalOceanServer> {
  const account = new Account();
  const vendor = await startLoopbackVendor((call) => account.answer(call));
  const domainOf = (name: string): Domain => {
    const domain = account.domains.get(name);
    if (!domain) throw new Error(`There is no domain ${name}.`);
    return domain;
  };
  return {
    ...vendor,
    token: account.token,
    addDomain: (name) => void account.addDomain(name),
    removeDomain: (name) => void account.domains.delete(name),
    add(name, fields) {
      const made = account.put(domainOf(name), fields, null);
      if (typeof made === "string") throw new Error(made);
      return made.id;
    },
    clear(name, owner) {
      const { records } = domainOf(name);
      for (const [id, record] of records) if (record.name === owner) records.delete(id);
    },
    lines: (name) =>
      [...domainOf(name).records.values()]
        .filter(({ type, name: owner }) => type !== "SOA" && !(type === "NS" && owner === "@"))
        .map(
          ({ name: owner, type, ttl, data, priority }) =>
            `${owner} ${type} ${ttl} ${priority === null ? "" : `${priority} `}${data}`,
        )
        .toSorted(),
    changes: () => vendor.calls.filter(({ method }) => method !== "GET"),
  };
}

const mostPerPage = 200;

class Account {
  readonly token = "dop_v1_loopback0123456789abcdef0123456789abcdef";
  readonly domains = new Map<string, Domain>();
  #ids = 1_000;

  addDomain(name: string): Domain {
    const domain: Domain = { name, serial: 1_415_982_609, records: new Map() };
    this.domains.set(name, domain);
    const id = ++this.#ids;
    const soa = {
      id,
      type: "SOA",
      name: "@",
      data: "1800",
      ttl: 1800,
      priority: null,
      port: null,
      weight: null,
      flags: null,
      tag: null,
    };
    domain.records.set(id, soa);
    for (const server of [1, 2, 3])
      this.put(domain, { type: "NS", name: "@", data: `ns${server}.digitalocean.com.` }, null);
    return domain;
  }

  /** Creates a record, or replaces `present`. @returns the reason as text if it is refused */
  put(domain: Domain, input: RecordInput, present: ShownRecord | null): ShownRecord | string {
    const record = recordOf(domain, input, present?.id ?? this.#ids + 1);
    if (typeof record === "string") return record;
    if (!present) this.#ids++;
    domain.records.set(record.id, record);
    domain.serial++;
    return record;
  }

  answer(call: VendorCall): VendorReply {
    const { method, url, headers } = call;
    if (headers.authorization !== `Bearer ${this.token}`)
      return failure(401, "unauthorized", "Unable to authenticate you");
    if (["POST", "PUT", "PATCH"].includes(method) && !/^application\/json\b/.test(headers["content-type"] ?? "")) {
      return failure(415, "unsupported_media_type", "The content type must be application/json");
    }
    const [root, version, domains, name, records, id, ...others] = url.pathname.split("/").map(decodeURIComponent);
    if (root !== "" || version !== "v2" || domains !== "domains" || others.length > 0) return missing();
    if (name === undefined) return this.#onDomains(call);
    const domain = this.domains.get(name);
    if (!domain) return missing();
    if (records === undefined) return onDomain(method, domain);
    if (records !== "records") return missing();
    return id === undefined
      ? this.#onRecords(call, domain)
      : this.#onRecord(call, domain, domain.records.get(Number(id)));
  }

  #onDomains({ method, url, body }: VendorCall): VendorReply {
    if (method === "GET") {
      const page = pageOf(url, [...this.domains.values()], []);
      const domains = page.items.map(({ name }) => ({ name, ttl: 1800, zone_file: null }));
      return json(200, { domains, links: page.links, meta: page.meta });
    }
    const input = method === "POST" ? objectIn(body) : null;
    if (!input) return missing();
    const { name, ip_address: address, ...others } = input;
    if (Object.keys(others).length > 0) return refused(`${Object.keys(others)[0]} is not permitted`);
    if (typeof name !== "string" || !/^(?:[a-z0-9_-]+\.)+[a-z0-9-]+$/i.test(name)) return refused("Name is invalid");
    if (this.domains.has(name.toLowerCase())) return refused(`Domain '${name}' already exists`);
    const domain = this.addDomain(name.toLowerCase());
    if (address !== undefined) this.put(domain, { type: "A", name: "@", data: address }, null);
    return json(201, { domain: { name: domain.name, ttl: 1800, zone_file: null } });
  }

  #onRecords({ method, url, body }: VendorCall, domain: Domain): VendorReply {
    if (method === "GET") {
      const [name, type] = [url.searchParams.get("name"), url.searchParams.get("type")];
      const matching = [...domain.records.values()].filter(
        (record) => (name === null || fullName(domain, record) === name) && (type === null || record.type === type),
      );
      const page = pageOf(url, matching, ["name", "type"]);
      return json(200, { domain_records: page.items, links: page.links, meta: page.meta });
    }
    const input = method === "POST" ? objectIn(body) : null;
    if (!input) return missing();
    const made = this.put(domain, input, null);
    return typeof made === "string" ? refused(made) : json(201, { domain_record: made });
  }

  #onRecord({ method, body }: VendorCall, domain: Domain, record: ShownRecord | undefined): VendorReply {
    if (!record || record.type === "SOA") return missing();
    if (method === "GET") return json(200, { domain_record: record });
    if (method === "DELETE") {
      domain.records.delete(record.id);
      domain.serial++;
      return { status: 204, body: "" };
    }
    const input = method === "PUT" || method === "PATCH" ? objectIn(body) : null;
    if (!input) return missing();
    if (input["type"] !== undefined && input["type"] !== record.type) return refused("Type cannot be changed");
    const made = this.put(domain, { ...asInput(domain, record), ...input }, record);
    return typeof made === "string" ? refused(made) : json(200, { domain_record: made });
  }
}

function onDomain(method: string, domain: Domain): VendorReply {
  if (method !== "GET") return missing();
  return json(200, { domain: { name: domain.name, ttl: 1800, zone_file: zoneFileOf(domain) } });
}

function fullName(domain: Domain, { name }: ShownRecord): string {
  return name === "@" ? domain.name : `${name}.${domain.name}`;
}

/** A record as it would have to be written to be what it is. */
function asInput(domain: Domain, { id: _id, data, ...record }: ShownRecord): RecordInput {
  const needsDot = isHost(record.type, record.tag) && data !== ".";
  return { ...record, data: needsDot ? `${data === "@" ? domain.name : data}.` : data };
}

function pageOf<T>(
  url: URL,
  all: readonly T[],
  filters: readonly string[],
): { items: T[]; links: object; meta: object } {
  const query = url.searchParams;
  const unknown = [...query.keys()].find((key) => !["page", "per_page", ...filters].includes(key));
  if (unknown !== undefined) throw new Error(`There is no parameter ${unknown}.`);
  const [page, size] = [Number(query.get("page") ?? 1), Math.min(mostPerPage, Number(query.get("per_page") ?? 20))];
  const last = Math.max(1, Math.ceil(all.length / size));
  // As the API has it: the filters are not in these addresses.
  const address = (to: number) => `https://api.digitalocean.com${url.pathname}?page=${to}&per_page=${size}`;
  const pages = {
    ...(page > 1 ? { first: address(1), prev: address(page - 1) } : {}),
    ...(page < last ? { next: address(page + 1), last: address(last) } : {}),
  };
  const links = last > 1 ? { pages } : {};
  return { items: all.slice((page - 1) * size, page * size), links, meta: { total: all.length } };
}

function objectIn(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function json(status: number, value: object, headers: Record<string, string> = {}): VendorReply {
  const limits = { "ratelimit-limit": "5000", "ratelimit-remaining": "4816", "ratelimit-reset": "1444931833" };
  return {
    status,
    headers: { "content-type": "application/json", ...limits, ...headers },
    body: JSON.stringify(value),
  };
}

/** An error as the API reports it. */
export function failure(
  status: number,
  id: string,
  message: string,
  headers: Record<string, string> = {},
): VendorReply {
  return json(status, { id, message, request_id: "4d9d8375-3c56-4925-a3e7-eb137fed17e9" }, headers);
}

function refused(message: string): VendorReply {
  return failure(422, "unprocessable_entity", message);
}

function missing(): VendorReply {
  return failure(404, "not_found", "The resource you requested could not be found.");
}
