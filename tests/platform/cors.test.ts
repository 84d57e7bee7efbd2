import { describe, expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { CORS_ORIGINS: "https://app.example.com" } });

describe("pages of other origins", () => {
  test("a page of an origin in CORS_ORIGINS may call with credentials and read the response headers it needs", async () => {
    const origin = "https://app.example.com";
    const preflight = await zw.nobody.send("OPTIONS", "/api/domains", undefined, {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,content-type,if-match",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-credentials")).toBe("true");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT");
    for (const header of ["authorization", "content-type", "if-match"])
      expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(header);
    const { headers } = await zw.admin.get("/api/domains", { origin });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-expose-headers")).toMatch(/ETag.*X-Request-Id/);
    expect(headers.get("vary")).toContain("Origin");
  });

  test("a page of an origin in CORS_ORIGINS can read errors", async () => {
    const { status, headers } = await zw.nobody.get("/api/domains", { origin: "https://app.example.com" });
    expect(status).toBe(401);
    expect(headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(headers.get("access-control-expose-headers")).toMatch(
      /Deprecation, .*RateLimit, RateLimit-Policy, Retry-After, Sunset/,
    );
  });

  test("a page of an origin not in CORS_ORIGINS gets no CORS headers", async () => {
    const { headers } = await zw.admin.get("/api/domains", { origin: "https://evil.example" });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
    const preflight = await zw.nobody.send("OPTIONS", "/api/domains", undefined, {
      origin: "https://evil.example",
      "access-control-request-method": "PUT",
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    expect(preflight.headers.get("access-control-allow-methods")).toBeNull();
  });
});
