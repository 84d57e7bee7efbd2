import { describe, expect, test } from "vitest";
import { parseAnswer, RawConnection } from "../support/raw-http.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

describe("security headers", () => {
  test.each(["/api/domains", "/api/openapi.json", "/healthz", "/nothing", "/trpc/domains.list"])(
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
        "cache-control": "no-store",
      });
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    },
  );

  test("the documentation page's policy allows only what the page needs", async () => {
    const { headers } = await zw.nobody.get("/api/docs");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'self'/);
    expect(policy).not.toMatch(/unsafe-eval|script-src|https?:/);
    expect(policy).toMatch(/base-uri 'none'.*form-action 'none'.*frame-ancestors 'none'/);
  });
});

test("a hundred connections that never finish their headers are closed while others are served", async () => {
  const slow = Array.from({ length: 100 }, () => new RawConnection(zw.url));
  for (const connection of slow) connection.write("GET /api/domains HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  expect((await zw.admin.get("/api/domains")).status).toBe(200);
  const answers = await Promise.all(slow.map(async (connection) => parseAnswer(await connection.end())));
  for (const answer of answers) {
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toBe("The request did not arrive in time. Try again.");
  }
});
