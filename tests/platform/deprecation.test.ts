import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createApp } from "../../server/app.ts";
import type { ErrorCode } from "../../server/platform/errors.ts";
import { openApiDocument } from "../../server/api/openapi/document.ts";
import { alias, open } from "../../server/api/procedures.ts";
import { router } from "../../server/api/trpc.ts";
import { problemOf } from "../support/problems.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const siteUrl = "https://dns.example.com";
const zw = useZonewright({ env: { SITE_URL: siteUrl } });

const input = z.object({ id: z.string().describe("Which one.") });
const output = input.meta({ id: "Thing", description: "A thing." });

/** A changed API: things were renamed to items. */
const things = router({
  old: open({
    method: "GET",
    path: "/things/{id}",
    operationId: "getThing",
    tag: "Things",
    summary: "One thing",
    description: "As it is now.",
    deprecated: { since: "2027-03-01", sunset: "2027-12-31", instead: "things.get" },
  })
    .input(input)
    .output(output)
    .query(({ input: { id } }) => ({ id })),
  oldest: open({
    method: "POST",
    path: "/things",
    operationId: "makeThing",
    tag: "Things",
    summary: "Make a thing",
    deprecated: { since: "2027-03-01", instead: "things.get" },
  })
    .input(input)
    .output(output)
    .mutation(({ input: { id } }) => ({ id })),
  named: open({ method: "GET", path: "/things/named", operationId: "n", tag: "Things", summary: "Named" })
    .input(z.object({}))
    .output(output)
    .query(() => ({ id: "named" })),
  get: open({ method: "GET", path: "/items/{id}", operationId: "getItem", tag: "Things", summary: "One" })
    .input(input)
    .output(output)
    .query(({ input: { id } }) => ({ id })),
});
const api = router({ things });

let server: Server;
let nobody: RestClient;
beforeAll(async () => {
  server = createServer(createApp(zw.services, api));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  nobody = new RestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  server.close();
});

function announced(headers: Headers) {
  return { since: headers.get("deprecation"), sunset: headers.get("sunset"), link: headers.get("link") };
}

const nothing = { since: null, sunset: null, link: null };
const readOn = `<${siteUrl}/api/docs>; rel="deprecation"; type="text/html"`;

describe("responses of deprecated operations", () => {
  test("a deprecated operation sends its deprecation date, sunset, documentation and successor", async () => {
    const { status, body, headers } = await nobody.get("/api/things/7");
    expect({ status, body }).toEqual({ status: 200, body: { id: "7" } });
    expect(announced(headers)).toEqual({
      since: `@${Date.UTC(2027, 2, 1) / 1000}`,
      sunset: "Fri, 31 Dec 2027 00:00:00 GMT",
      link: `${readOn}, <${siteUrl}/api/items/7>; rel="successor-version"`,
    });
  });

  test("a deprecated operation omits an undecided sunset and an unknown successor URL", async () => {
    const { status, headers } = await nobody.post("/api/things", { id: "8" });
    expect(status).toBe(200);
    expect(announced(headers)).toEqual({ since: `@${Date.UTC(2027, 2, 1) / 1000}`, sunset: null, link: readOn });
  });

  test("a deprecated operation sends its headers with errors, too: invalid fields, unreadable bodies, wrong content types", async () => {
    const since = `@${Date.UTC(2027, 2, 1) / 1000}`;
    const refusals: [Answer, number, ErrorCode][] = [
      [await nobody.post("/api/things", {}), 400, "BAD_REQUEST"],
      [await nobody.post("/api/things", "{"), 400, "BAD_REQUEST"],
      [await nobody.post("/api/things", "{}", { "content-type": "text/plain" }), 415, "UNSUPPORTED_MEDIA_TYPE"],
    ];
    for (const [answer, status, code] of refusals) {
      problemOf(answer, status, code);
      expect(announced(answer.headers)).toEqual({ since, sunset: null, link: readOn });
    }
  });

  test("no URL can end the successor link early", async () => {
    const { headers } = await nobody.get('/api/things/a%22b%3E;c"');
    expect(announced(headers).link).toBe(`${readOn}, <${siteUrl}/api/items/a%22b%3E%3Bc%22>; rel="successor-version"`);
  });
});

test("an operation that is not deprecated sends no deprecation headers, even if its path resembles a deprecated one", async () => {
  expect(announced((await nobody.get("/api/items/7")).headers)).toEqual(nothing);
  expect((await nobody.get("/api/things/named")).body).toEqual({ id: "named" });
  expect(announced((await nobody.get("/api/things/named")).headers)).toEqual(nothing);
  expect(announced((await nobody.send("DELETE", "/api/things/7")).headers)).toEqual(nothing);
});

test("the API document marks deprecated operations and names their replacement", async () => {
  const { paths } = (await nobody.get("/api/openapi.json")).body;
  expect(paths["/things/{id}"].get).toMatchObject({
    deprecated: true,
    description:
      "Deprecated since 2027-03-01, may be removed from 2027-12-31 on. Use `GET /items/{id}` instead.\n\nAs it is now.\n\n" +
      "No authentication required.",
  });
  expect(paths["/things"].post).toMatchObject({ deprecated: true });
  expect(paths["/items/{id}"].get).not.toHaveProperty("deprecated");
});

test("a deprecation cannot name a replacement that does not exist", () => {
  const lost = open({
    method: "GET",
    path: "/lost",
    operationId: "lost",
    tag: "Things",
    summary: "Lost",
    deprecated: { since: "2027-03-01", instead: "things.found" },
  })
    .input(z.object({}))
    .output(output)
    .query(() => ({ id: "" }));
  const options = { version: "0.1.0", siteUrl };
  expect(() => openApiDocument(router({ lost }), options)).toThrow("The procedure things.found");
});

test("deprecating an alias does not deprecate its original, and otherwise both have the same documentation", () => {
  const { old } = things;
  const route = { path: "/v1/things/{id}", operationId: "v1GetThing", tag: "Things" } as const;
  const deprecated = { since: "2027-04-01", instead: "kept" } as const;
  const later = { ...route, path: "/v2/things/{id}", operationId: "v2GetThing" } as const;
  const aliases = router({ things, kept: alias(old, route), leaving: alias(old, { ...later, deprecated }) });
  const { paths } = openApiDocument(aliases, { version: "0.1.0", siteUrl });
  const [kept, leaving] = [paths["/v1/things/{id}"]?.["get"], paths["/v2/things/{id}"]?.["get"]];
  expect(kept).not.toHaveProperty("deprecated");
  expect(kept?.summary).toBe(paths["/things/{id}"]?.["get"]?.summary);
  expect(leaving?.description).toMatch(/^Deprecated since 2027-04-01. Use `GET \/v1\/things\/\{id\}` instead\./);
});
