import { beforeAll, expect, test } from "vitest";
import { createClient, type Fetch } from "../../client-sdk/src/index.ts";
import { takesIdempotencyKey } from "../../server/api/idempotency.ts";
import { website } from "../bulk/templates/templates.ts";
import { procedures } from "../support/access-table.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { manualZone } from "../support/zones.ts";
import { failure } from "./failure.ts";
import { recordingFetch } from "./recording-fetch.ts";

const zw = useZonewright();
const list = "/trpc/domains.list";
const create = "/trpc/domains.create";

let accessToken: string;
beforeAll(async () => {
  const { body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword });
  ({ accessToken } = body);
});

/** A service that is unavailable for the first calls, with the given headers. */
function awayFor(calls: number, status: number, headers: Record<string, string>) {
  let left = calls;
  const proxy: Fetch = async (url, init) => {
    left -= 1;
    return left < 0 ? await fetch(url, init) : Response.json({ title: "Away" }, { status, headers });
  };
  return recordingFetch(proxy);
}

function clientOver(fetch: Fetch, retries?: number) {
  return createClient({ url: zw.url, token: accessToken, fetch, ...(retries === undefined ? {} : { retries }) });
}

test.each([429, 503])("a query is retried after a %i with Retry-After", async (status) => {
  const { fetch, to } = awayFor(2, status, { "retry-after": "0" });
  expect(await clientOver(fetch).domains.list.query({})).toMatchObject({ total: 0 });
  expect(to(list).map((exchange) => exchange.status)).toEqual([status, status, 200]);
});

test("a query is retried twice by default, or as often as the client's options say", async () => {
  const first = awayFor(5, 503, { "retry-after": "0" });
  expect(await failure(clientOver(first.fetch).domains.list.query({}))).toMatchObject({ status: 503 });
  expect(first.to(list)).toHaveLength(3);
  const never = awayFor(5, 503, { "retry-after": "0" });
  await failure(clientOver(never.fetch, 0).domains.list.query({}));
  expect(never.to(list)).toHaveLength(1);
});

test.each([
  ["it does not say when", {}],
  ["the wait would be long", { "retry-after": "11" }],
])("a query's error is returned without a retry if %s", async (_case, headers: Record<string, string>) => {
  const { fetch, to } = awayFor(1, 503, headers);
  const error = await failure(clientOver(fetch).domains.list.query({}));
  expect(error.retryAfterSeconds).toBe(headers["retry-after"] === undefined ? undefined : 11);
  expect(to(list)).toHaveLength(1);
});

test("a mutation of zones is retried after a 503 with Retry-After, and executes once", async () => {
  const { fetch, to } = awayFor(2, 503, { "retry-after": "0" });
  await clientOver(fetch).domains.create.mutate({ name: "asked.example" });
  expect(to(create).map(({ status }) => status)).toEqual([503, 503, 200]);
});

test("a mutation whose response is lost is retried with the same key, and gets the first response", async () => {
  const keys: (string | null)[] = [];
  const answers: string[] = [];
  const losingTwo: Fetch = async (url, init) => {
    keys.push(new Headers(init?.headers).get("idempotency-key"));
    const response = await fetch(url, init);
    answers.push(await response.clone().text());
    if (keys.length < 3) throw new TypeError("connection reset");
    return response;
  };
  const made = await clientOver(losingTwo).domains.create.mutate({ name: "once.example" });
  expect(made.name).toBe("once.example");
  expect(keys[0]).toMatch(/^\d+(?:-\d+){3}$/);
  expect(new Set(keys).size).toBe(1);
  expect(new Set(answers).size).toBe(1);
  expect((await clientOver(fetch).domains.list.query({ search: "once" })).total).toBe(1);
});

/** A connection that loses the first response of a call, once the service has sent it. */
function losing(path: string) {
  let isLost = false;
  return recordingFetch(async (url, init) => {
    const response = await fetch(url, init);
    if (isLost || new URL(url).pathname !== path) return response;
    isLost = true;
    await response.text();
    throw new TypeError("connection reset");
  });
}

test("a mutation whose response breaks off in the middle is retried with the same key, and gets the first response", async () => {
  const keys: (string | null)[] = [];
  const breaking: Fetch = async (url, init) => {
    keys.push(new Headers(init?.headers).get("idempotency-key"));
    const { status, headers, body } = await fetch(url, init);
    if (keys.length > 1) return new Response(body, { status, headers });
    const whole = new Uint8Array(await new Response(body).arrayBuffer());
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(whole.subarray(0, 20)),
      pull: (controller) => controller.error(new TypeError("terminated")),
    });
    return new Response(broken, { status, headers });
  };
  const made = await clientOver(breaking).domains.create.mutate({ name: "broken.example" });
  expect(made.name).toBe("broken.example");
  expect(keys).toEqual([keys[0], keys[0]]);
  expect((await clientOver(fetch).domains.list.query({ search: "broken" })).total).toBe(1);
});

/** A connection that loses the first response. Then a limit refuses as many calls. */
function losingThenLimited(refusals: number, retryAfter: string) {
  const keys = new Set<string | null>();
  let calls = 0;
  const limited: Fetch = async (url, init) => {
    calls += 1;
    keys.add(new Headers(init?.headers).get("idempotency-key"));
    if (calls > 1 && calls <= 1 + refusals)
      return Response.json({ title: "Too many" }, { status: 429, headers: { "retry-after": retryAfter } });
    const response = await fetch(url, init);
    if (calls > 1) return response;
    await response.text();
    throw new TypeError("connection reset");
  };
  return { limited, keys };
}

test("a limit that refuses the retries of a lost call is waited for, with the same key, until the first response comes", async () => {
  const { limited, keys } = losingThenLimited(3, "0");
  expect(await clientOver(limited).domains.create.mutate({ name: "limited.example" })).toMatchObject({
    name: "limited.example",
  });
  expect(keys.size).toBe(1);
});

test("a call that was lost waits for a limit for longer than ten seconds", async () => {
  const leaving = new AbortController();
  const { limited } = losingThenLimited(1, "60");
  const leavingFetch: Fetch = async (url, init) => {
    const response = await limited(url, init);
    setImmediate(() => leaving.abort());
    return response;
  };
  const call = clientOver(leavingFetch).domains.create.mutate({ name: "left.example" }, { signal: leaving.signal });
  expect(await failure(call)).toMatchObject({ code: "ABORTED" });
});

test("a call that was lost is not reported as refused by a limit that lasts longer than its timeout", async () => {
  const { limited } = losingThenLimited(1, "121");
  const call = clientOver(limited).domains.create.mutate({ name: "unsure.example" });
  expect(await failure(call)).toMatchObject({ code: "NETWORK_ERROR", status: null });
  expect((await clientOver(fetch).domains.list.query({ search: "unsure" })).total).toBe(1);
});

test("a template whose response is lost is applied once, and the call returns what it did", async () => {
  const zone = await manualZone(zw);
  const { body } = await zw.admin.post("/api/templates", website("lost"));
  const { fetch: send, to } = losing("/trpc/templates.applyPlan");
  const client = clientOver(send);
  const input = { id: zone.id, templateId: body.id as string, variables: { target: "shop.example" } };
  const { planHash } = await client.templates.plan.mutate(input);
  const applied = await client.templates.applyPlan.mutate({ ...input, planHash });
  expect(applied).toMatchObject({ revision: 1, applied: { templateId: body.id } });
  expect((await zone.detail()).revision).toBe(1);
  // The lost one is not recorded.
  expect(to("/trpc/templates.applyPlan").map(({ status }) => status)).toEqual([200]);
});

test("an import whose response is lost starts one job, and the call returns that one", async () => {
  const { name } = await (await manualZone(zw)).detail();
  const client = clientOver(losing("/trpc/portfolio.startImport").fetch);
  const csv = `name,notes\n${name},Lost\n`;
  const { planHash } = await client.portfolio.import.mutate({ csv, dryRun: true });
  const { jobId } = await client.portfolio.startImport.mutate({ csv, planHash });
  const { jobs } = await client.replacements.list.query({});
  expect(jobs.map((job) => job.jobId)).toEqual([jobId]);
});

test("a mirror and watched hosts whose responses are lost are set once, and the calls return what they did", async () => {
  const zone = await manualZone(zw);
  const { body } = await zw.admin.get("/api/provider-configs");
  const id = zone.id;
  const providerConfigId = body.configs.find(({ kind }: { kind: string }) => kind === "zonefile").id as string;
  const mirrored = losing("/trpc/mirrors.create");
  await clientOver(mirrored.fetch).mirrors.create.mutate({ id, providerConfigId });
  const watched = losing("/trpc/tlsHosts.set");
  await clientOver(watched.fetch).tlsHosts.set.mutate({ id, mode: "listed", hosts: [{ host: "www" }] });
  // The lost ones are not recorded.
  expect([...mirrored.to("/trpc/mirrors.create"), ...watched.to("/trpc/tlsHosts.set")]).toMatchObject([
    { status: 200 },
    { status: 200 },
  ]);
  for (const action of ["mirror.create", "domain.change_tls_hosts"])
    expect((await zw.admin.get(`/api/audit?action=${action}`)).body.total).toBe(1);
});

/** They change nothing, so a repetition without a key does no harm. */
const planning = [
  "delegation.checkServed",
  "domains.compare",
  "domains.plan",
  "domains.previewExpiry",
  "records.planZonefile",
];

/** Why a mutation has no key: its response or input has a secret, which is not stored with a key, or the second call has no effect or is refused. */
const withoutKey: Readonly<Record<string, "secret" | "idempotent" | "nameTaken" | "planHash">> = {
  auth: "secret",
  twoFactor: "secret",
  tokens: "secret",
  feeds: "secret",
  tsigKeys: "secret",
  invitations: "secret",
  identity: "secret",
  profile: "secret",
  users: "secret",
  channels: "secret",
  identityConfigs: "secret",
  providerConfigs: "secret",
  registrarConfigs: "secret",
  sessions: "idempotent",
  "templates.create": "nameTaken",
  "templates.update": "idempotent",
  "templates.delete": "idempotent",
  "templates.linkedPlan": "idempotent",
  "templates.applyLinked": "planHash",
};

test("a mutation is repeated only if the service takes an idempotency key for it, or it changes nothing; others have a reason", async () => {
  let key: string | null = null;
  const client = clientOver((_url, init) => {
    key = new Headers(init?.headers).get("idempotency-key");
    return Promise.resolve(Response.json({}, { status: 404 }));
  }) as unknown as Record<string, Record<string, { mutate(): Promise<unknown> }>>;
  const keyed: string[] = [];
  const others = new Set<string>();
  for (const { name } of procedures.filter(({ type }) => type === "mutation")) {
    const [router = "", procedure = ""] = name.split(".");
    key = null;
    await failure(client[router]?.[procedure]?.mutate() ?? Promise.resolve());
    if (key === null) others.add(router in withoutKey ? router : name);
    else keyed.push(name);
  }
  const takeOne = procedures.filter(({ meta, type }) => type === "mutation" && takesIdempotencyKey(meta));
  expect(keyed.toSorted()).toEqual([...takeOne.map(({ name }) => name), ...planning].toSorted());
  expect([...others].toSorted()).toEqual(Object.keys(withoutKey).toSorted());
});

test("a caller's own idempotency key is used, and otherwise each mutation gets a different key", async () => {
  const keys: (string | null)[] = [];
  const noting: Fetch = async (url, init) => {
    keys.push(new Headers(init?.headers).get("idempotency-key"));
    return await fetch(url, init);
  };
  const client = clientOver(noting);
  const { id } = await client.domains.create.mutate({ name: "keys.example" });
  await client.snapshots.create.mutate({ id });
  await client.snapshots.create.mutate({ id }, { context: { headers: { "Idempotency-Key": "nightly-2027-01-01" } } });
  await client.domains.list.query({});
  expect(keys[2]).toBe("nightly-2027-01-01");
  expect(keys[0]).not.toBe(keys[1]);
  expect(keys[3]).toBeNull();
});

test("other mutations are never retried, because they may have executed", async () => {
  const { fetch, to } = awayFor(1, 503, { "retry-after": "0" });
  await failure(clientOver(fetch).sessions.delete.mutate({ id: crypto.randomUUID() }));
  expect(to("/trpc/sessions.delete")).toHaveLength(1);
});

test("an abort ends the wait for a retry", async () => {
  const leaving = new AbortController();
  const { fetch } = awayFor(1, 503, { "retry-after": "9" });
  const leavingFetch: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    setImmediate(() => leaving.abort());
    return response;
  };
  const call = clientOver(leavingFetch).domains.list.query({}, { signal: leaving.signal });
  expect(await failure(call)).toMatchObject({ code: "ABORTED" });
});
