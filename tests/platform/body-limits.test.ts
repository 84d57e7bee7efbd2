import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { stringify } from "superjson";
import { beforeAll, describe, expect, test } from "vitest";
import { largeInputs } from "../../server/composition/large-worker.ts";
import { appRouter } from "../../client-sdk/app-router.ts";
import { problemOf } from "../support/problems.ts";
import { RawConnection, parseAnswer } from "../support/raw-http.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualZone, type Zone } from "../support/zones.ts";

const zw = useZonewright();
const kibibyte = 1_024;
const mebibyte = 1_048_576;
const zipped = { "content-type": "application/json", "content-encoding": "gzip" };

let zone: Zone;
let reader: RestClient;
beforeAll(async () => {
  zone = await manualZone(zw);
  const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "reader", permissions: ["records:read"] });
  reader = new RestClient(zw.url, body.token);
});

async function sendBytes(path: string, bytes: Uint8Array<ArrayBuffer>, token: string | null): Promise<Answer> {
  const headers = new Headers(zipped);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(zw.url + path, { method: "POST", headers, body: bytes });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const login = (octets: number) => JSON.stringify({ username: "admin", password: "x".repeat(octets) });

describe("an unauthenticated body may have at most 64 KiB", () => {
  test.each(["/api/auth/login", "/api/domains", "/trpc/auth.login", "/api/nothing"])(
    "an unauthenticated body over 64 KiB is refused at %s",
    async (path) => {
      const answer = await zw.nobody.post(path, login(64 * kibibyte));
      expect(problemOf(answer, 413, "PAYLOAD_TOO_LARGE").detail).toMatch(/64 KiB.*unauthenticated/);
    },
  );

  test("an unauthenticated body is limited by its decompressed size", async () => {
    const bytes = gzipSync(login(64 * kibibyte));
    expect(bytes.length).toBeLessThan(kibibyte);
    expect(await sendBytes("/api/auth/login", bytes, null)).toBeProblem(413, "PAYLOAD_TOO_LARGE");
  });

  test("the limit for unauthenticated bodies also applies to plans and zone files", async () => {
    const answer = await zw.nobody.post(`${zone.path}/zonefile`, { zonefile: "x".repeat(64 * kibibyte) });
    expect(answer).toBeProblem(413, "PAYLOAD_TOO_LARGE");
  });

  test("an unauthenticated body of up to 64 KiB is read", async () => {
    const { issues } = problemOf(await zw.nobody.post("/api/auth/login", login(63 * kibibyte)), 400, "BAD_REQUEST");
    expect(issues).toMatchObject([{ path: ["password"] }]);
  });

  test("a larger body with invalid credentials gets 401, so that clients refresh them", async () => {
    const stranger = new RestClient(zw.url, "a.b.c");
    expect(await stranger.post("/api/domains", login(mebibyte))).toBeProblem(401, "UNAUTHORIZED");
    expect(await stranger.post(`${zone.path}/zonefile`, login(2 * mebibyte))).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a body that declares too large a size is refused before any of it is sent", async () => {
    const connection = new RawConnection(zw.url);
    const head = ["POST /api/auth/login HTTP/1.1", "Host: a", "Content-Type: application/json", "Expect: 100-continue"];
    connection.write([...head, `Content-Length: ${16 * mebibyte}`, "Connection: close", "", ""].join("\r\n"));
    connection.write(" ".repeat(10));
    const answer = parseAnswer(await connection.receive(/"requestId"/));
    expect(answer.status).toBe(413);
  });
});

describe("an authenticated body may have at most 1 MiB", () => {
  test("an authenticated body is limited by its decompressed size", async () => {
    const bytes = gzipSync(JSON.stringify({ name: "x".repeat(mebibyte) }));
    const answer = await sendBytes("/api/domains", bytes, zw.admin.token);
    expect(problemOf(answer, 413, "PAYLOAD_TOO_LARGE").detail).toMatch(/1 MiB/);
  });

  test("plans, applied plans and imports may have 16 MiB, over REST and tRPC", async () => {
    const comments = `; ${"x".repeat(998)}\n`.repeat(2_000);
    const zonefile = `${comments}www 300 IN A 192.0.2.1\n`;
    const rest = await zone.post("/zonefile", { zonefile, dryRun: true });
    expect({ status: rest.status, created: rest.body.created }).toEqual({ status: 200, created: 1 });
    const input = { id: zone.id, zonefile, mode: undefined, dryRun: true };
    const trpc = await zw.admin.post("/trpc/records.importZonefile", stringify(input));
    expect({ status: trpc.status, created: trpc.body.result.data.json.created }).toEqual({ status: 200, created: 1 });
    const changes = Array.from({ length: 1_000 }, (_, index) => ({
      action: "create",
      record: { recordType: "TXT", name: `t${index}`, value: "x".repeat(2_000) },
    }));
    const plan = await zone.post("/records/plan", { changes });
    expect({ status: plan.status, creates: plan.body.creates.length }).toEqual({ status: 200, creates: 1_000 });
    const applied = await zone.post("/records/apply", { changes, planHash: plan.body.planHash });
    expect({ status: applied.status, results: applied.body.results.length }).toEqual({ status: 200, results: 1_000 });
  });

  test("plans, applied plans and imports over 16 MiB of decompressed size are refused", async () => {
    const bytes = gzipSync(JSON.stringify({ zonefile: " ".repeat(16 * mebibyte) }));
    const answer = await sendBytes(`${zone.path}/zonefile`, bytes, zw.admin.token);
    expect(problemOf(answer, 413, "PAYLOAD_TOO_LARGE").detail).toMatch(/16 MiB/);
  });

  test("a token without the permission is refused before its large body is read", async () => {
    const answer = await reader.post(`${zone.path}/zonefile`, { zonefile: " ".repeat(2 * mebibyte) });
    expect(problemOf(answer, 403, "FORBIDDEN").detail).toMatch(/records:write/);
  });

  test("large bodies are refused with the same messages as small ones", async () => {
    const padding = " ".repeat(2 * mebibyte);
    const cases: [body: string, path: (string | number)[] | undefined][] = [
      ['{"changes":[{"action":"make"}]}', ["changes", 0, "action"]],
      ['{"changes":[{"action":"create","more":1}]}', ["changes", 0, "record"]],
      [`{"id":"${zone.id}","changes":[]}`, ["id"]],
      ['{"changes":[{"action":"create","record":{"__proto__":1}}]}', ["changes", 0, "record", "__proto__"]],
      [`{"changes":${"[".repeat(100)}${"]".repeat(100)}}`, ["changes"]],
      ['{"changes":[', undefined],
      ["[]", undefined],
    ];
    for (const [body, path] of cases) {
      const small = problemOf(await zone.post("/records/plan", body), 400, "BAD_REQUEST");
      const large = problemOf(await zone.post("/records/plan", body + padding), 400, "BAD_REQUEST");
      expect({ ...large, requestId: "" }).toEqual({ ...small, requestId: "" });
      expect(large.issues?.[0]?.path.slice(0, path?.length)).toEqual(path);
    }
    const broken = Buffer.concat([Buffer.from('{"zonefile":"'), Buffer.alloc(2 * mebibyte, 0xff), Buffer.from('"}')]);
    const answer = await sendBytes(`${zone.path}/zonefile`, gzipSync(broken), zw.admin.token);
    expect(problemOf(answer, 400, "BAD_REQUEST").detail).toMatch(/UTF-8/);
  });
});

test("every procedure with a large body is validated in the worker as in the procedure", () => {
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Record<
      string,
      { _def: { meta?: { largeBody?: boolean }; inputs: unknown[] } }
    >,
  );
  const large = procedures.flatMap(([name, { _def }]) => (_def.meta?.largeBody ? [[name, _def.inputs[0]]] : []));
  expect(Object.fromEntries(large)).toEqual(largeInputs);
  for (const [name, schema] of large) expect(largeInputs[name as string]).toBe(schema);
});

test("the worker that checks large bodies loads schemas, and nothing that reaches a database", () => {
  const worker = join(import.meta.dirname, "../../server/composition/large-worker.ts");
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });`;
  const hooked = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, worker];
  const loaded = execFileSync(process.execPath, hooked, { encoding: "utf8", timeout: 60_000 }).split("\n");
  expect(loaded.filter((url) => url.endsWith("schemas.ts")).length).toBeGreaterThan(3);
  expect(loaded.filter((url) => /server\/database\/|kysely|mikro-orm|pg-boss/.test(url))).toEqual([]);
});

describe("a body with too many values is refused before it is parsed", () => {
  test.each([
    ["unknown fields", () => `{${Array.from({ length: 95_000 }, (_, index) => `"f${index}":1`).join()}}`],
    ["items of a list", () => `{"tags":[${"0,".repeat(500_000)}0]}`],
    ["lists within a list", () => `{"tags":[${"[],".repeat(300_000)}0]}`],
    ["objects within an object", () => `{"config":{${Array.from({ length: 60_000 }, (_, i) => `"${i}":{}`).join()}}}`],
  ])("a body with too many %s is refused before it is parsed", async (_what, body) => {
    const { detail } = problemOf(await zw.admin.post("/api/provider-configs", body()), 400, "BAD_REQUEST");
    expect(detail).toBe("The body has more than 10000 fields and list items. Send it in parts.");
  });
});

describe("at most twenty issues", () => {
  test("unknown fields are reported as at most twenty issues, with long names truncated", async () => {
    const fields = Array.from({ length: 300 }, (_, index) => [`${"f".repeat(100)}${index}`, 1]);
    const answer = await zw.admin.post("/api/domains", Object.fromEntries([["name", "a.example"], ...fields]));
    const { detail, issues } = problemOf(answer, 400, "BAD_REQUEST");
    expect(issues).toHaveLength(21);
    expect(issues?.at(-1)).toEqual({ path: [], message: "and 280 more" });
    expect(issues?.[0]?.path).toEqual([`${"f".repeat(64)}…`]);
    expect(detail).toMatch(/^f{64}…: This field is unknown.*\(and 299 more, see issues\)$/);
    expect(JSON.stringify(answer.body).length).toBeLessThan(8_000);
  });

  test("items of bulk calls and plans each keep their issue", async () => {
    const records = Array.from({ length: 50 }, () => ({ recordType: "A", name: "x" }));
    const { body } = await zone.post("/records/bulk", { records });
    expect(body.results).toHaveLength(50);
    const changes = records.map((record) => ({ action: "create", record: { ...record, value: "no address" } }));
    const { issues } = problemOf(await zone.post("/records/plan", { changes }), 400, "BAD_REQUEST");
    expect(issues).toHaveLength(50);
  });
});
