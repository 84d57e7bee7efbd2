import { describe, expect, test } from "vitest";
import { parseAnswer, RawConnection } from "../support/raw-http.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

describe("security headers", () => {
  test.each(["/api/domains", "/api/openapi.json", "/healthz", "/api/nothing", "/trpc/domains.list"])(
    "%s sends the security headers",
    async (path) => {
      const { headers } = await zw.nobody.get(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-security-policy": "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        // Everybody may have the document, and asks whether it has changed.
        "cache-control": path === "/api/openapi.json" ? "no-cache" : "no-store",
      });
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    },
  );

  test("the API document is not sent again to somebody who has it, in whatever encoding", async () => {
    const { headers } = await zw.nobody.get("/api/openapi.json");
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/".+"$/);
    for (const [given, status] of [
      [etag, 304],
      ['"another"', 200],
    ] as const) {
      const response = await fetch(`${zw.url}/api/openapi.json`, { headers: { "if-none-match": given } });
      expect([response.status, response.headers.get("etag")]).toEqual([status, etag]);
      expect((await response.text()) === "").toBe(status === 304);
    }
  });

  test("the documentation page's policy allows only what the page needs", async () => {
    const { headers } = await zw.nobody.get("/api/docs");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'; style-src 'self'.*connect-src 'self'/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(policy).toMatch(/base-uri 'none'.*form-action 'none'.*frame-ancestors 'none'/);
  });
});

test("a connection that asks nothing is closed without a word, one that asks too slowly with 408, and others are served meanwhile", async () => {
  const silent = Array.from({ length: 20 }, () => new RawConnection(zw.url));
  // Empty lines before a request are ignored (RFC 9112 §2.2), and ask nothing.
  for (const [index, text] of ["\r\n\r\n", "\r\n", "\n\n\n"].entries()) silent[index]?.write(text);
  const slow = Array.from({ length: 100 }, () => new RawConnection(zw.url));
  for (const connection of slow) connection.write("GET /api/domains HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  const used = new RawConnection(zw.url);
  used.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  await used.receive(/"ok"/);
  used.write("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  expect((await zw.admin.get("/api/domains")).status).toBe(200);
  expect(await Promise.all(silent.map((connection) => connection.end()))).toEqual(silent.map(() => ""));
  const late = await Promise.all([...slow, used].map((connection) => connection.end()));
  for (const text of late) {
    const answer = parseAnswer(text.slice(text.lastIndexOf("HTTP/1.1 ")));
    expect(answer.status).toBe(408);
    expect(answer.headers.get("connection")).toBe("close");
    expect(answer.body).toMatchObject({
      code: "REQUEST_TIMEOUT",
      detail: "The request did not arrive in time. Try again.",
    });
  }
});

test("a request that cannot be read is answered after those before it, and never in their place", async () => {
  const connection = new RawConnection(zw.url);
  connection.write("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGET /version HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n");
  const statuses = (await connection.end()).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
});

test("nothing is added to an answer that began before the rest of its request turned out to be unreadable", async () => {
  const connection = new RawConnection(zw.url);
  connection.write("GET /version HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  await connection.receive(/"version"/);
  connection.write("nonsense\r\n");
  expect((await connection.end()).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});
