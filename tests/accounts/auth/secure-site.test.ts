import { expect, test } from "vitest";
import { problemOf } from "../../support/problems.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { SITE_URL: "https://dns.example.com" } });

test("the refresh cookie of a site with TLS is Secure, and only the site itself may use it", async () => {
  const { headers, body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword });
  const [cookie = ""] = headers.getSetCookie();
  expect(cookie.split("; ").toSorted()).toEqual([
    "HttpOnly",
    "Path=/api",
    "SameSite=Lax",
    "Secure",
    `refresh_token=${body.refreshToken}`,
  ]);
  const refresh = (origin: string) =>
    zw.nobody.post("/api/auth/refresh", undefined, { cookie: `refresh_token=${body.refreshToken}`, origin });
  expect(problemOf(await refresh("http://dns.example.com"), 403, "FORBIDDEN").detail).toContain("CORS_ORIGINS");
  expect(await refresh(zw.url)).toBeProblem(403, "FORBIDDEN");
  expect((await refresh("https://dns.example.com")).status).toBe(200);
});

test("a site with TLS sends Strict-Transport-Security", async () => {
  const { headers } = await zw.nobody.get("/healthz");
  expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
});
