import { randomBytes } from "node:crypto";
import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { ApiError, type Given, type StoredRecord } from "./record-forms.ts";
import { carryOut, freshId, type StoredZone } from "./zone-store.ts";

/** The fault of a call. `…After`: after it was carried out. `refuse`: as for a record that Cloudflare does not accept. */
const faults = {
  throttle: {
    after: false,
    reply: {
      ...refusal(429, 971, "Please wait and consider throttling your request speed"),
      headers: { "retry-after": "1" },
    },
  },
  fail: { after: false, reply: { status: 503, body: "<html>no healthy upstream</html>" } },
  failAfter: { after: true, reply: { status: 520, body: "<html>Web server is returning an unknown error</html>" } },
  cut: { after: false, reply: null },
  cutAfter: { after: true, reply: null },
  refuse: { after: false, reply: refusal(400, 9_999, "The harbour master does not like it.") },
  deny: { after: false, reply: refusal(403, 10_000, "Authentication error") },
};

export interface Call {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  body: unknown;
}

interface Answered {
  result: unknown;
  info?: object;
}

const base = "/client/v4";

/** Cloudflare's API as it is documented, on loopback, for one account's token. */
export class CloudflareServer {
  readonly token = `cf-${freshId()}`;
  readonly accountId = freshId();
  readonly #zones = new Map<string, StoredZone>();
  #vendor: LoopbackVendor | undefined;
  #printsNulls = false;

  async start(): Promise<this> {
    this.#vendor = await startLoopbackVendor((call) => this.#answer(call));
    return this;
  }

  /** Calls as received, and their faults. */
  get vendor(): LoopbackVendor {
    if (!this.#vendor) throw new Error("The server is not running yet.");
    return this.#vendor;
  }

  get url(): string {
    return `${this.vendor.url}${base}`;
  }

  stop(): Promise<void> {
    return this.vendor.stop();
  }

  /** All calls received, newest last. */
  get calls(): Call[] {
    return this.vendor.calls.map(({ method, url, body }) => {
      const query = Object.fromEntries(url.searchParams);
      return { method, path: url.pathname, query, body: body === "" ? null : (JSON.parse(body) as unknown) };
    });
  }

  /** Prints null from now on for what a zone or a record does not have. */
  printNulls(): void {
    this.#printsNulls = true;
  }

  forgetCalls(): void {
    this.vendor.calls.length = 0;
  }

  /** Makes a call of that method fail once, after `skip` others. */
  fault(method: "GET" | "PATCH" | "POST", does: keyof typeof faults, skip = 0): void {
    let left = skip;
    this.vendor.failNext(faults[does], 1, (call) => call.method === method && left-- === 0);
  }

  /** Creates a zone as its owner does in the dashboard. */
  addZone(name: string, plan = "free", account = { id: this.accountId, name: "Harbour" }): StoredZone {
    const zone: StoredZone = {
      id: freshId(),
      name,
      status: "pending",
      type: "full",
      account,
      plan: { id: freshId(), name: `${plan} plan`, legacy_id: plan },
      records: new Map(),
    };
    this.#zones.set(zone.id, zone);
    return zone;
  }

  /** Makes a record as its owner does in the dashboard, or as a service of Cloudflare's does. */
  addRecord(zone: string, record: Given, meta: StoredRecord["meta"] = {}): StoredRecord {
    const made = carryOut(this.zone(zone), { posts: [record] })["posts"]?.[0];
    if (!made) throw new Error("The record was not made.");
    made.meta = meta;
    return made;
  }

  /** Makes many of them at once. */
  addRecords(zone: string, records: readonly Given[]): void {
    for (let at = 0; at < records.length; at += 200) carryOut(this.zone(zone), { posts: records.slice(at, at + 200) });
  }

  removeZone(name: string): void {
    this.#zones.delete(this.zone(name).id);
  }

  removeRecord(zone: string, id: string): void {
    this.zone(zone).records.delete(id);
  }

  changeRecord(zone: string, change: Given): void {
    carryOut(this.zone(zone), { patches: [change] });
  }

  zone(name: string): StoredZone {
    const found = [...this.#zones.values()].find((zone) => zone.name === name);
    if (!found) throw new Error(`There is no zone ${name}.`);
    return found;
  }

  records(zone: string): StoredRecord[] {
    return [...this.zone(zone).records.values()];
  }

  #answer(call: VendorCall): VendorReply {
    try {
      const body = bodyOf(call);
      this.#admit(call);
      const query = Object.fromEntries(call.url.searchParams);
      const { result, info } = this.#route(call.method, call.url.pathname, query, body);
      const answer = { result, success: true, errors: [], messages: [], ...(info ? { result_info: info } : {}) };
      return json(200, this.#printsNulls ? withNulls(answer) : answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return refusal(error.status, error.code, error.message);
    }
  }

  #admit({ headers: { authorization = "" } }: VendorCall): void {
    const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    if (token === undefined) throw new ApiError(400, 6003, "Invalid request headers");
    if (token !== this.token) throw new ApiError(403, 9109, `Invalid access token ${token}`);
  }

  #route(method: string, path: string, query: Readonly<Record<string, string>>, body: unknown): Answered {
    const [zones, id, records, batch, ...more] = path.slice(base.length + 1).split("/");
    if (!path.startsWith(`${base}/`) || zones !== "zones" || more.length > 0) throw noRoute(path);
    if (id === undefined) return method === "GET" ? this.#listZones(query) : this.#makeZone(body);
    const zone = this.#zones.get(id);
    if (zone?.account.id === this.accountId && records === "dnssec" && batch === undefined)
      return { result: dnssecOf(zone, method, body as Given | null) };
    if (!zone || zone.account.id !== this.accountId || records !== "dns_records") throw noRoute(path);
    if (method === "GET" && batch === undefined) return listRecords(zone, query);
    if (method === "POST" && batch === "batch") return { result: carryOut(zone, body as Given) };
    throw noRoute(path);
  }

  #listZones(query: Readonly<Record<string, string>>): Answered {
    knownOnly(query, ["name", "account.id", "page", "per_page"]);
    const { name, "account.id": account } = query;
    const zones = [...this.#zones.values()].filter((zone) => {
      return zone.account.id === (account ?? this.accountId) && (name ?? zone.name) === zone.name;
    });
    const shown = zones.map(shownZone);
    return pageOf(shown, query, { usual: 20, least: 5, most: 50 });
  }

  #makeZone(body: unknown): Answered {
    const { name, account, type, ...others } = body as Given;
    const { id } = (account ?? {}) as Given;
    if (Object.keys(others).length > 0 || typeof name !== "string" || (type ?? "full") !== "full") {
      throw new ApiError(400, 1001, "Invalid zone fields.");
    }
    if (id !== this.accountId) throw new ApiError(403, 1002, "Invalid account: no permission to create zones in it.");
    if ([...this.#zones.values()].some((zone) => zone.name === name && zone.account.id === id)) {
      throw new ApiError(400, 1061, `${name} already exists`);
    }
    return { result: shownZone(this.addZone(name)) };
  }
}

/** "Edit DNSSEC status", "DNSSEC details": the DS record waits in `pending` until the parent zone has it. */
function dnssecOf(zone: StoredZone, method: string, body: Given | null): object {
  if (method === "PATCH") {
    const status = body?.["status"];
    if (status !== "active" && status !== "disabled") throw new ApiError(400, 1004, "Invalid DNSSEC status.");
    zone.signingKey = status === "active" ? (zone.signingKey ?? randomBytes(64).toString("base64")) : null;
  } else if (method !== "GET") throw new ApiError(405, 10_000, "Method not allowed");
  const { signingKey = null } = zone;
  if (signingKey === null) return { status: "disabled", modified_on: null };
  return {
    status: "pending",
    flags: 257,
    algorithm: "13",
    key_type: "ECDSAP256SHA256",
    public_key: signingKey,
    modified_on: "2026-11-28T00:00:00Z",
  };
}

export async function startCloudflare(): Promise<CloudflareServer> {
  return await new CloudflareServer().start();
}

function shownZone({ id, name, status, type, account, plan }: StoredZone): object {
  const servers = ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"];
  return { id, name, status, account, plan, type, paused: false, permissions: [], name_servers: servers };
}

/** Fields that are null where there is nothing to show; octoDNS and DNSControl guard against each. */
const nullable = new Set(["plan", "status", "priority", "data", "tags", "settings", "comment", "meta", "content"]);

/** Prints what is empty as null, and adds the fields that a type does not have, as null. */
function withNulls({ result, ...others }: { result: unknown }): object {
  return { ...others, result: Array.isArray(result) ? result.map(entryWithNulls) : entryWithNulls(result) };
}

function entryWithNulls(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null || !("name" in entry)) return entry;
  const bare = Object.entries(entry).filter(([field, value]) => !nullable.has(field) || !isEmpty(value));
  const nulls = [...nullable].map((field) => [field, null] as const);
  return { ...Object.fromEntries(nulls), ...Object.fromEntries(bare), plan: null };
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && (value === null || Object.keys(value).length === 0));
}

function noRoute(path: string): ApiError {
  return new ApiError(404, 7003, `Could not route to ${path}, perhaps your object identifier is invalid?`);
}

function knownOnly(query: Readonly<Record<string, string>>, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ApiError(400, 1004, `Unknown parameter ${unknown}.`);
}

function listRecords(zone: StoredZone, query: Readonly<Record<string, string>>): Answered {
  knownOnly(query, ["name.exact", "order", "direction", "page", "per_page"]);
  const name = query["name.exact"]?.toLowerCase();
  const records = [...zone.records.values()].filter((record) => name === undefined || record.name === name);
  if (query["order"] === "name")
    records.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  return pageOf(records, query, { usual: 100, least: 5, most: 5_000 });
}

function pageOf(
  items: readonly unknown[],
  query: Readonly<Record<string, string>>,
  { usual, least, most }: { usual: number; least: number; most: number },
): Answered {
  const page = Number(query["page"] ?? 1);
  const size = Number(query["per_page"] ?? usual);
  if (!Number.isInteger(page) || page < 1 || !Number.isInteger(size) || size < least || size > most) {
    throw new ApiError(400, 1004, "Invalid page or per_page.");
  }
  const result = items.slice((page - 1) * size, page * size);
  const total = items.length;
  const info = { page, per_page: size, count: result.length, total_count: total, total_pages: Math.ceil(total / size) };
  return { result, info };
}

/** A refusal in the API's form. */
export function refusal(status: number, code: number, message: string): VendorReply {
  return json(status, { success: false, errors: [{ code, message }], messages: [], result: null });
}

function json(status: number, body: unknown): VendorReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function bodyOf({ method, headers, body }: VendorCall): unknown {
  if (method === "GET") {
    if (body === "") return null;
    throw new ApiError(400, 6007, "A GET has no body.");
  }
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) {
    throw new ApiError(400, 6002, "Invalid Content-Type header, valid values are application/json");
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new ApiError(400, 6007, "Malformed JSON in request body");
  }
}
