import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createClient, type Client, type Plan } from "../../client-sdk/src/index.ts";
import { content, startPrivateRoot, zoneName } from "../registry/delegation/private-root.ts";
import { publish } from "../notifications/publish.ts";
import { patience } from "../support/patience.ts";
import { codeAt } from "../support/second-factors/authenticator-app.ts";
import { Clock, minute } from "../support/clock.ts";
import { page, type CodeBlock } from "../support/markdown.ts";
import { appUser } from "../support/second-factors/app-user.ts";
import { adminPassword, memberPassword, startZonewright, useZonewright } from "../support/zonewright.ts";
import { narrowedToken } from "../dns-service/update-clients/narrowed.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const sdk = join(import.meta.dirname, "../../client-sdk/src/index.ts");

let blocks: CodeBlock[];
/** The examples that have run. */
const ran = new Set<string>();
let folder: string;
let programs = 0;
beforeAll(async () => {
  ({ blocks } = await page("client-sdk/README.md"));
  folder = await mkdtemp(join(import.meta.dirname, "readme-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the only example that contains the text. */
function exampleWith(text: string): string {
  const found = blocks.filter(({ code }) => code.includes(text));
  expect(found).toHaveLength(1);
  const [{ code } = { code: "" }] = found;
  ran.add(code);
  return code;
}

/** Runs examples in sequence as one program, with the given variables, and returns the requested ones. */
async function run(examples: string[], given: object, results: string[]): Promise<Record<string, unknown>> {
  const program = [
    'import { createClient, isZonewrightError } from "@zonewright/client";',
    `export async function example({ ${Object.keys(given).join(", ")} }: any) {`,
    ...examples.map((code) => code.replaceAll(/^import .*\n/gm, "")),
    `return { ${results.join(", ")} };\n}`,
  ].join("\n");
  const own = program.replaceAll("https://dns.example.com", zw.url).replaceAll('"@zonewright/client"', `"${sdk}"`);
  const file = join(folder, `example-${programs++}.ts`);
  await writeFile(file, own);
  const loaded = (await import(file)) as { example(given: object): Promise<Record<string, unknown>> };
  return await loaded.example(given);
}

test("the README example signs in, creates a domain and a record, and edits the record conditionally", async () => {
  const examples = [exampleWith('createClient({ url: "https')];
  const { id, record } = await run(examples, { password: adminPassword }, ["id", "record"]);
  expect(record).toMatchObject({ name: "www", value: "192.0.2.1", version: 1 });
  const { body } = await zw.admin.get(`/api/domains/${String(id)}/records`);
  expect(body.records).toEqual([expect.objectContaining({ value: "192.0.2.2", version: 2 })]);
});

test("the README example reads the named types of results", async () => {
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const { id } = await client.domains.create.mutate({ name: "typed.example" });
  const { id: recordId } = await client.records.create.mutate({ id, recordType: "A", name: "www", value: "192.0.2.1" });
  const plan = await client.records.plan.mutate({ id, changes: [{ action: "update", recordId, record: { ttl: 60 } }] });
  const example = await run([exampleWith("FieldChanges")], {}, ["summary", "newTtl"]);
  const { summary, newTtl } = example as {
    summary: (given: Plan) => string[];
    newTtl: (given: unknown) => number | null;
  };
  expect(summary(plan)).toEqual(["www: ttl"]);
  expect(newTtl(plan.updates[0]?.changes)).toBe(60);
});

test("the README example completes a sign-in with a second factor", async () => {
  const { username, secret } = await appUser(zw, clock, "reader");
  const client = createClient({ url: zw.url });
  const given = { client, username, password: memberPassword, code: codeAt(secret, clock.now()) };
  await run([exampleWith('method: "totp"')], given, []);
  expect((await client.auth.me.query({})).username).toBe("reader");
});

test("the README example confirms the user when a call requires it", async () => {
  await zw.member("confirming");
  // The session is too old to count as confirmed as soon as the example has signed in.
  const late = exampleWith("onReauthentication").replace("const { token }", "passTime();\nconst { token }");
  let asked = 0;
  const askForPassword = () => {
    asked += 1;
    return memberPassword;
  };
  const passTime = () => clock.advance(11 * minute);
  const given = { username: "confirming", password: memberPassword, askForPassword, passTime };
  const { token } = await run([late], given, ["token"]);
  clock.advance(-11 * minute);
  expect([asked, String(token).startsWith("zw_pt_")]).toEqual([1, true]);
});

test("the README example uses a script's token and iterates over all records", async () => {
  const { body: domain } = await zw.admin.post("/api/domains", { name: "script.example" });
  await zw.admin.post(`/api/domains/${domain.id}/records`, { recordType: "TXT", name: "note", value: "hello" });
  const permissions = ["records:read"];
  const { body: made } = await zw.admin.post("/api/auth/me/tokens", { name: "script", permissions });
  vi.stubEnv("ZONEWRIGHT_TOKEN", made.token);
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await run([exampleWith("ZONEWRIGHT_TOKEN")], { url: zw.url, id: domain.id }, []);
    expect(printed.mock.calls).toEqual([["note", "hello"]]);
  } finally {
    vi.unstubAllEnvs();
    printed.mockRestore();
  }
});

test("the README example publishes a certificate challenge by its host name", async () => {
  await zw.admin.post("/api/domains", { name: "example.com" });
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const { challenge } = await run([exampleWith("ensureRecord({")], { client }, ["challenge"]);
    expect(challenge).toMatchObject({ name: "_acme-challenge.www" });
    expect(printed.mock.calls).toEqual([["created"]]);
  } finally {
    printed.mockRestore();
  }
});

test("the README example publishes a challenge and waits until the name servers serve it", async () => {
  const world = await startPrivateRoot();
  onTestFinished(() => world.internet.stop());
  const env = { RESOLVER_ROOTS: world.roots, EGRESS_ALLOW: "127.53.0.0/16", JOBS: "off" };
  const own = await startZonewright({ env });
  onTestFinished(() => own.stop());
  const challenge = { name: "_acme-challenge.www", value: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" };
  for (const server of [world.first, world.second])
    server.zones = { [zoneName]: [...content(), `${challenge.name}.${zoneName} TXT ${challenge.value}`] };
  await own.admin.post("/api/domains", { name: zoneName });
  const permissions = ["records:read", "records:write"];
  vi.stubEnv("ACME_TOKEN", await narrowedToken(own.admin, { permissions, recordTypes: ["TXT"] }));
  try {
    const example = exampleWith("acme.present").replaceAll("example.com", zoneName);
    expect(await run([example], { url: own.url }, ["name", "value"])).toEqual(challenge);
  } finally {
    vi.unstubAllEnvs();
  }
  const [{ id }] = (await own.admin.get("/api/domains")).body.domains;
  expect((await own.admin.get(`/api/domains/${id}/records?type=TXT`)).body.total).toBe(0);
});

test("the README example watches the user's notifications", async () => {
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const leave = exampleWith("watchNotifications").replace("{ id });", "{ id });\n  break;");
    const ran = run([leave], { client }, []);
    await vi.waitUntil(() => zw.services.streams.openStreams === 1, patience);
    await publish(zw, { administrators: true }, "Look here", { domainName: "a.example" });
    await ran;
    expect(printed.mock.calls).toEqual([["Look here", { domainName: "a.example" }]]);
    const { notifications } = await client.notifications.list.query();
    expect(notifications.find(({ title }) => title === "Look here")?.read).toBe(true);
  } finally {
    printed.mockRestore();
  }
});

test("the README example watches the changes of a domain", async () => {
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const { id } = await client.domains.create.mutate({ name: "watched.example" });
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const leave = exampleWith("domains.watch").replace("watch.unsubscribe();", "");
    const { watch } = (await run([leave], { client, id }, ["watch"])) as { watch: { unsubscribe(): void } };
    await vi.waitUntil(() => printed.mock.calls.length === 1, patience);
    await client.records.create.mutate({ id, recordType: "A", name: "www", value: "192.0.2.1" });
    await vi.waitUntil(() => printed.mock.calls.length === 2, patience);
    watch.unsubscribe();
    expect(printed.mock.calls).toEqual([[0], [1]]);
  } finally {
    printed.mockRestore();
  }
});

test("the README example handles every failure as one kind of error", async () => {
  const client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  try {
    const name = "no name at all";
    await run([exampleWith("isZonewrightError(error)")], { client, name }, []);
    expect(printed.mock.calls[0]?.slice(0, 2)).toEqual(["BAD_REQUEST", 400]);
  } finally {
    printed.mockRestore();
  }
});

test("the README example uses a session in the browser's cookie", async () => {
  const shown: boolean[] = [];
  const given = { location: { origin: zw.url }, showUserMenu: (signedIn: boolean) => shown.push(signedIn) };
  const { client } = await run([exampleWith('session: "cookie"')], given, ["client"]);
  await (client as Client).signIn({ username: "admin", password: adminPassword });
  await (client as Client).signOut();
  expect(shown).toEqual([true, false]);
});

test("every README example is run by one of these tests", () => {
  expect(blocks.filter(({ language, code }) => language === "ts" && !ran.has(code))).toEqual([]);
});
