import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// A complete adapter for Zonewright: it keeps zones in a JSON file. Replace `Zones` by calls to what serves your zones.

interface Content {
  ttl: number;
  values: string[];
}
interface Change {
  name: string;
  type: string;
  before: Content | null;
  after: Content | null;
}
/** The RRsets of each zone, by name and type: `www A`. */
type Zones = Record<string, Record<string, Content>>;

const { TOKEN: token = "", FILE: file = "zones.json", HOST: host = "127.0.0.1", PORT: port = "8053" } = process.env;
if (token.length < 16) throw new Error("Set TOKEN to a secret of at least 16 characters.");

/** A call has at most 4,000,000 characters of changes. */
const mostBytes = 16_000_000;

const capabilities = {
  protocol: 1,
  recordTypes: "any",
  minTtl: 0,
  maxTtl: 2_147_483_647,
  atomic: true,
  granularity: "rrset",
};

/** A refusal: the status and the body of its answer. */
class Refusal extends Error {
  readonly status: number;
  readonly stale: number[] | undefined;

  constructor(status: number, message: string, stale?: number[]) {
    super(message);
    this.status = status;
    this.stale = stale;
  }
}

function readZones(): Zones {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Zones;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** Replaces the file at once, so that a crash leaves the old content or the new. */
function writeZones(zones: Zones): void {
  writeFileSync(`${file}.new`, JSON.stringify(zones, null, 2), { flush: true });
  renameSync(`${file}.new`, file);
}

function answer(method: string, { parts, query, body }: Call): unknown {
  const [list = "", zone, what] = parts;
  const route = [method, list, zone === undefined ? "" : "{zone}", what ?? ""].join(" ").trimEnd();
  const zones = readZones();
  if (route === "GET") return capabilities;
  if (route === "GET zones") return { zones: Object.keys(zones), next: null };
  if (route === "POST zones") {
    const { name } = body ?? {};
    if (typeof name !== "string") throw new Refusal(400, "The body needs a name.");
    if (!Object.hasOwn(zones, name)) writeZones({ ...zones, [name]: {} });
    return {};
  }
  const rrsets = zone !== undefined && Object.hasOwn(zones, zone) ? zones[zone] : undefined;
  if (zone === undefined || rrsets === undefined) throw new Refusal(404, "There is no such zone.");
  if (route === "GET zones {zone} rrsets") {
    const only = query.get("name");
    const all = Object.entries(rrsets).map(([key, { ttl, values }]) => {
      const [name, type] = key.split(" ");
      return { name, type, ttl, values };
    });
    return { rrsets: all.filter(({ name }) => only === null || name === only), next: null };
  }
  if (route === "POST zones {zone} changes") {
    const { changes } = body ?? {};
    if (!Array.isArray(changes) || !changes.every(isChange)) {
      throw new Refusal(400, "The body needs changes as the protocol describes them.");
    }
    writeZones({ ...zones, [zone]: changed(rrsets, changes) });
    return { outcomes: changes.map(() => ({ ok: true })) };
  }
  throw new Refusal(404, "There is no such call.");
}

function isChange(value: unknown): value is Change {
  const { name, type, before, after } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof type === "string" && isContent(before) && isContent(after);
}

function isContent(value: unknown): value is Content | null {
  if (value === null) return true;
  const { ttl, values } = (value ?? {}) as Record<string, unknown>;
  return typeof ttl === "number" && Array.isArray(values) && values.every((one) => typeof one === "string");
}

/** Returns the RRsets after all changes. To refuse a change, return `ok: false` and a `message` as its outcome, and write nothing. */
function changed(rrsets: Record<string, Content>, changes: Change[]): Record<string, Content> {
  const stale = changes.flatMap(({ name, type, before }, index) =>
    isSame(rrsets[`${name} ${type}`] ?? null, before) ? [] : [index],
  );
  if (stale.length > 0) throw new Refusal(409, "The zone was changed meanwhile.", stale);
  const after = { ...rrsets };
  for (const { name, type, after: content } of changes) {
    if (content) after[`${name} ${type}`] = content;
    else delete after[`${name} ${type}`];
  }
  return after;
}

function isSame(one: Content | null, other: Content | null): boolean {
  if (!one || !other) return one === other;
  const [ours, theirs] = [one, other].map(({ values }) => JSON.stringify(values.toSorted()));
  return one.ttl === other.ttl && ours === theirs;
}

/** Compares digests, which takes as long for a wrong token as for the right one. */
function isAuthorized({ headers }: IncomingMessage): boolean {
  const [given, right] = [headers.authorization ?? "", `Bearer ${token}`].map((text) =>
    createHash("sha256").update(text).digest(),
  );
  return given !== undefined && right !== undefined && timingSafeEqual(given, right);
}

/** A call whose token is right. */
interface Call {
  parts: string[];
  query: URLSearchParams;
  body: Record<string, unknown> | null;
}

async function readCall(request: IncomingMessage): Promise<Call> {
  if (!isAuthorized(request)) throw new Refusal(401, "The token is wrong.");
  const tooLarge = new Refusal(413, `The body may have ${mostBytes} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge;
  let size = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    const { pathname, searchParams: query } = new URL(`http://adapter${request.url ?? "/"}`);
    const parts = pathname.split("/").slice(1).map(decodeURIComponent);
    const body: unknown = size === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
    return { parts, query, body: body as Call["body"] };
  } catch {
    throw new Refusal(400, "The path or the body is malformed.");
  }
}

async function respond(request: IncomingMessage): Promise<[status: number, body: unknown]> {
  try {
    return [200, answer(request.method ?? "GET", await readCall(request))];
  } catch (error) {
    if (error instanceof Refusal) return [error.status, { message: error.message, stale: error.stale }];
    console.error(error);
    return [500, { message: "The adapter failed. See its log." }];
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await respond(request);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(Number(port), host, () => {
  const { address, port: own } = server.address() as AddressInfo;
  console.log(`Listening on http://${address}:${own}`);
});
