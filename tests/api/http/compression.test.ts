import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { stringify } from "superjson";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { compressedProcedures } from "../../../server/app.ts";
import { appRouter } from "../../../client-sdk/app-router.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

let zone: Zone;
beforeAll(async () => {
  zone = await manualZone(zw);
  const lines = Array.from({ length: 3_000 }, (_, index) => `h${index} A 192.0.2.1\n`);
  await zone.post("/zonefile", { zonefile: lines.join("") });
});

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

/** Calls without a library that decompresses. */
async function raw(path: string, encoding?: string, { method = "GET", body = "" } = {}): Promise<Raw> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${zw.admin.token}`,
      ...(encoding === undefined ? {} : { "accept-encoding": encoding }),
      ...(body === "" ? {} : { "content-type": "application/json" }),
    };
    const call = request(new URL(path, zw.url), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
      answer.on("error", reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}

const encodingOf = async (...args: Parameters<typeof raw>) => (await raw(...args)).headers["content-encoding"];

const trpcInput = () => encodeURIComponent(stringify({ id: zone.id, limit: 500 }));
const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe.each(["br", "gzip"] as const)("a response compressed with %s", (encoding) => {
  const paths: [string, () => string][] = [
    ["a page of records over REST", () => `${zone.path}/records?limit=500`],
    ["a page of records over tRPC", () => `/trpc/records.list?input=${trpcInput()}`],
    ["the API document", () => "/api/openapi.json"],
  ];

  test.each(paths)("%s has the same content as uncompressed, in a fraction of the size", async (_what, path) => {
    const plain = await raw(path());
    const { status, headers, bytes } = await raw(path(), encoding);
    expect({ status, encoding: headers["content-encoding"] }).toEqual({ status: 200, encoding });
    expect(decoders[encoding](bytes).equals(plain.bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect([plain.headers["vary"], headers["vary"]]).toEqual([
      expect.stringContaining("Accept-Encoding"),
      expect.stringContaining("Accept-Encoding"),
    ]);
    // Only what is compressed once has a length.
    expect(headers["content-length"]).toBe(path() === "/api/openapi.json" ? String(bytes.length) : undefined);
  });

  test("a response that is sent in pieces arrives whole, over REST and tRPC", async () => {
    const { id } = (await zone.post("/snapshots")).body;
    const rest = await raw(`${zone.path}/snapshots/${id}`, encoding);
    expect(JSON.parse(decoders[encoding](rest.bytes).toString()).records).toHaveLength(3_000);
    const input = encodeURIComponent(stringify({ id: zone.id, snapshotId: id }));
    const trpc = await raw(`/trpc/snapshots.get?input=${input}`, encoding);
    expect(trpc.headers["content-encoding"]).toBe(encoding);
    expect(JSON.parse(decoders[encoding](trpc.bytes).toString()).result.data.json.records).toHaveLength(3_000);
  });

  test("a large error is compressed, too", async () => {
    const changes = Array.from({ length: 60 }, () => ({ action: "delete", recordId: zone.id }));
    const body = JSON.stringify({ changes });
    const { status, headers, bytes } = await raw(`${zone.path}/records/plan`, encoding, { method: "POST", body });
    expect({ status, encoding: headers["content-encoding"] }).toEqual({ status: 400, encoding });
    expect(JSON.parse(decoders[encoding](bytes).toString())).toMatchObject({ code: "BAD_REQUEST" });
  });
});

test("the API document is printed and compressed once, however often it is requested", async () => {
  const texts = [await raw("/api/openapi.json"), await raw("/api/openapi.json", "br")];
  const print = vi.spyOn(JSON, "stringify");
  onTestFinished(() => print.mockRestore());
  const again = [await raw("/api/openapi.json"), await raw("/api/openapi.json", "br")];
  expect(again.map(({ bytes }) => bytes)).toEqual(texts.map(({ bytes }) => bytes));
  const printed = print.mock.calls.filter(
    ([value]) => typeof value === "object" && value !== null && "openapi" in value,
  );
  expect(printed).toEqual([]);
});

describe("which responses are compressed", () => {
  test("a response is compressed only as the request accepts it", async () => {
    const path = `${zone.path}/records`;
    expect(await encodingOf(path)).toBeUndefined();
    expect(await encodingOf(path, "identity")).toBeUndefined();
    expect(await encodingOf(path, "br;q=0, gzip;q=0")).toBeUndefined();
    expect(await encodingOf(path, "zstd, deflate")).toBeUndefined();
    expect(await encodingOf(path, "br;q=0, gzip")).toBe("gzip");
    expect(await encodingOf(path, "gzip, deflate, br, zstd")).toBe("br");
    expect(await encodingOf(path, "*")).toBe("br");
    expect(await encodingOf(path, ";;,,=q")).toBeUndefined();
  });

  test("a response up to 1 KiB is sent as it is, with its length", async () => {
    const { headers, bytes } = await raw(`${zone.path}/records?limit=1`, "br");
    expect(headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(bytes.toString())).toMatchObject({ total: 3_000 });
  });

  test("HEAD has the headers of GET and no body", async () => {
    const { headers, bytes } = await raw(`${zone.path}/records`, "br", { method: "HEAD" });
    expect({ encoding: headers["content-encoding"], octets: bytes.length }).toEqual({ encoding: "br", octets: 0 });
  });

  test("a zone file, the metrics and a record with its ETag are not compressed", async () => {
    const value = "x".repeat(2_000);
    const { body } = await zone.create({ recordType: "TXT", name: "long", value });
    const update = { method: "PUT", body: JSON.stringify({ value: `${value}y` }) };
    const record = await raw(`${zone.path}/records/${body.id}`, "br", update);
    expect({ status: record.status, body: record.bytes.toString().slice(0, 300) }).toMatchObject({ status: 200 });
    expect(record.headers).toMatchObject({ etag: '"2"' });
    expect(record.headers["content-encoding"]).toBeUndefined();
    for (const path of [`${zone.path}/zonefile`, "/metrics"]) expect(await encodingOf(path, "br")).toBeUndefined();
  });

  test("an answer with tokens is not compressed, however long it is", async () => {
    const body = JSON.stringify({ username: "admin", password: adminPassword });
    const { status, headers } = await raw("/api/auth/login", "br", { method: "POST", body });
    expect(status).toBe(200);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  test("no procedure whose answer has a token, code or secret is compressed", () => {
    const secrets =
      /^(?:access|refresh|temp|pending)?token$|^(?:secret|code|recoveryCodes|otpauthUrl|password|challenge)$/i;
    const all = appRouter._def.procedures as unknown as Record<string, { _def: { output?: z.ZodType } }>;
    const named = Object.entries(all).filter(
      ([, { _def }]) => _def.output && fieldsOf(_def.output).some((field) => secrets.test(field)),
    );
    expect(named.map(([name]) => name)).toEqual(
      expect.arrayContaining(["auth.login", "tokens.create", "invitations.create"]),
    );
    const compressed = compressedProcedures(appRouter);
    // The code of a finding or fault names its kind; `tokens.current` describes a token and does not have it.
    const secret = named.filter(
      ([name]) =>
        !/^(?:delegation\.|dnssec\.|registrations\.|portfolio\.|records\.health$|tokens\.current$)/.test(name),
    );
    expect(secret.filter(([name]) => compressed.has(name)).map(([name]) => name)).toEqual([]);
  });
});

function isFlag(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "type" in schema && schema.type === "boolean";
}

/** The names of all fields of a schema but flags. */
function fieldsOf(schema: z.ZodType): string[] {
  const names: string[] = [];
  JSON.stringify(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }), (key, value: unknown) => {
    if (key === "properties")
      names.push(...Object.entries(value as object).flatMap(([name, field]) => (isFlag(field) ? [] : [name])));
    return value;
  });
  return names;
}
