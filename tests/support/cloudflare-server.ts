import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type Given, type StoredRecord } from "./cloudflare/record-forms.ts";
import { carryOut, freshId, type StoredZone } from "./cloudflare/zone-store.ts";

/** What the server does in place of the next calls that it fits, once each. */
export interface Fault {
  on: "GET" | "POST";
  /** `…After`: once the call was carried out. `refuse`: as a record that Cloudflare does not take. */
  does: "throttle" | "fail" | "failAfter" | "cut" | "cutAfter" | "refuse";
  /** So many calls pass before. */
  skip?: number;
  retryAfterSeconds?: number;
}

export interface Call {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  body: unknown;
}

interface Answered {
  status?: number;
  result: unknown;
  info?: object;
}

const base = "/client/v4";

/** Cloudflare's API as it is documented, on loopback, for one account's token. */
export class CloudflareServer {
  readonly token = `cf-${freshId()}`;
  readonly accountId = freshId();
  /** All calls that came, newest last; without a body where a fault kept it from being read. */
  readonly calls: Call[] = [];
  readonly faults: Fault[] = [];
  readonly #zones = new Map<string, StoredZone>();
  readonly #server: Server;
  #meanwhile: { on: string; left: number; act: () => void } | null = null;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${base}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Makes a zone as its owner does in the dashboard. */
  addZone(name: string, plan = "free", account = { id: this.accountId, name: "Harbour" }): StoredZone {
    const zone: StoredZone = {
      id: freshId(),
      name,
      status: "pending",
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

  /** Runs `act` once the `nth` call of that method from now was answered, as what somebody else does meanwhile. */
  afterNext(on: "GET" | "POST", nth: number, act: () => void): void {
    this.#meanwhile = { on, left: nth, act };
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const url = new URL(request.url ?? "/", "http://localhost");
    const method = request.method ?? "";
    const query = Object.fromEntries(url.searchParams);
    const call: Call = { method, path: url.pathname, query, body: null };
    this.calls.push(call);
    const fault = this.#faultFor(method);
    if (fault?.does === "cut") return void request.socket.destroy();
    if (fault && told(fault, response)) return;
    try {
      const body = bodyOf(request, text);
      call.body = body;
      this.#admit(request);
      if (fault?.does === "refuse") throw new ApiError(400, 9_999, "The harbour master does not like it.");
      const { result, info, status = 200 } = this.#route(method, url.pathname, query, body);
      if (this.#meanwhile?.on === method && --this.#meanwhile.left === 0) this.#meanwhile.act();
      if (fault?.does === "cutAfter") return void request.socket.destroy();
      if (fault?.does === "failAfter")
        return send(response, 520, "<html>Web server is returning an unknown error</html>");
      const shown = { result, success: true, errors: [], messages: [], ...(info ? { result_info: info } : {}) };
      send(response, status, shown);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, status, message } = error;
      send(response, status, { success: false, errors: [{ code, message }], messages: [], result: null });
    }
  }

  #faultFor(method: string): Fault | undefined {
    const fault = this.faults.find(({ on }) => on === method);
    if (!fault) return undefined;
    if ((fault.skip ?? 0) > 0) {
      fault.skip = (fault.skip ?? 0) - 1;
      return undefined;
    }
    this.faults.splice(this.faults.indexOf(fault), 1);
    return fault;
  }

  #admit({ headers: { authorization = "" } }: IncomingMessage): void {
    const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    if (token === undefined) throw new ApiError(400, 6003, "Invalid request headers");
    if (token !== this.token) throw new ApiError(403, 9109, `Invalid access token ${token}`);
  }

  #route(method: string, path: string, query: Readonly<Record<string, string>>, body: unknown): Answered {
    const [zones, id, records, batch, ...more] = path.slice(base.length + 1).split("/");
    if (!path.startsWith(`${base}/`) || zones !== "zones" || more.length > 0) throw noRoute(path);
    if (id === undefined) return method === "GET" ? this.#listZones(query) : this.#makeZone(body);
    const zone = this.#zones.get(id);
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

export async function startCloudflare(): Promise<CloudflareServer> {
  return await new CloudflareServer().start();
}

function shownZone({ id, name, status, account, plan }: StoredZone): object {
  const servers = ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"];
  return { id, name, status, account, plan, type: "full", paused: false, permissions: [], name_servers: servers };
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

/** @returns whether the fault is all that the call gets. */
function told({ does, retryAfterSeconds = 1 }: Fault, response: ServerResponse): boolean {
  if (does === "throttle") {
    response.setHeader("retry-after", String(retryAfterSeconds));
    const errors = [{ code: 971, message: "Please wait and consider throttling your request speed" }];
    send(response, 429, { success: false, errors, messages: [], result: null });
  }
  if (does === "fail") send(response, 503, "<html>no healthy upstream</html>");
  return does === "throttle" || does === "fail";
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const json = typeof body !== "string";
  response
    .writeHead(status, { "content-type": json ? "application/json" : "text/html" })
    .end(json ? JSON.stringify(body) : body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function bodyOf({ method, headers }: IncomingMessage, text: string): unknown {
  if (method === "GET") {
    if (text === "") return null;
    throw new ApiError(400, 6007, "A GET has no body.");
  }
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) {
    throw new ApiError(400, 6002, "Invalid Content-Type header, valid values are application/json");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 6007, "Malformed JSON in request body");
  }
}
