import { expect, test } from "vitest";
import { startZonewright, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("a browser gets the console at any path that is not the API's, under a policy that allows only its own files", async () => {
  for (const path of ["/", "/sign-in", "/d/example.com!internal/records", "/reset-password"]) {
    const response = await fetch(zw.url + path, { headers: html });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    expect(await response.text()).toContain('<div id="root">');
  }
});

test("its assets never change under their names, and come compressed", async () => {
  const page = await (await fetch(zw.url, { headers: html })).text();
  const scripts = [...page.matchAll(/<script type="module"[^>]* src="([^"]+)"/g)].map(([, path = ""]) => path);
  const script = scripts.at(-1) ?? "";
  expect(script).toMatch(/^\/assets\/.+\.js$/);
  for (const [accepted, encoding] of [
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const response = await fetch(zw.url + script, { headers: { "accept-encoding": accepted } });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("vary")).toContain("Accept-Encoding");
    expect(await response.text()).toContain("import");
  }
});

test("errors of the API stay problem documents, whatever the Accept header says", async () => {
  for (const path of [
    "/api/nothing",
    "/api/domains",
    "/trpc/nothing",
    "/assets/nothing.js",
    "/oauth/nothing",
    "/metrics/x",
    "/.well-known/openid-configuration",
  ]) {
    const response = await fetch(zw.url + path, { headers: html });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("content-type")).toContain("json");
  }
});

test("a check or command line without a preference gets the console, too", async () => {
  for (const headers of [{ accept: "*/*" }, { accept: "" }, { accept: "text/*" }]) {
    const response = await fetch(zw.url, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  }
});

test("a program that prefers JSON gets a problem document for an unknown path", async () => {
  for (const accept of ["application/json", "application/json, text/html;q=0.9", "application/json, */*;q=0.1"]) {
    const response = await fetch(`${zw.url}/nothing`, { headers: { accept } });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
  }
});

test("other methods than GET never reach the page", async () => {
  const response = await fetch(`${zw.url}/sign-in`, { method: "POST", headers: html });
  expect(response.status).toBe(404);
});

test("a HEAD request has the page's headers and no body", async () => {
  const response = await fetch(zw.url, { method: "HEAD", headers: html });
  expect(response.status).toBe(200);
  expect(Number(response.headers.get("content-length"))).toBeGreaterThan(100);
  expect(await response.text()).toBe("");
});

test("paths that climb out of the built files lead nowhere", async () => {
  for (const path of ["/assets/..%2f..%2fpackage.json", "/assets/%2e%2e/index.html", "//etc/passwd"]) {
    const response = await fetch(zw.url + path, { headers: html });
    expect(await response.text()).not.toContain('zonewright",');
  }
});

test("CONSOLE=off leaves only the API", async () => {
  const off = await startZonewright({ env: { CONSOLE: "off" } });
  try {
    const response = await fetch(off.url, { headers: html });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
  } finally {
    await off.stop();
  }
});

test("SITE_URL stands in the page, so that the console moves to the address that passkeys are bound to", async () => {
  const named = await startZonewright({ env: { SITE_URL: "https://dns.example.com" } });
  try {
    const page = await (await fetch(named.url, { headers: html })).text();
    expect(page).toContain('<meta name="zonewright-site" content="https://dns.example.com"');
  } finally {
    await named.stop();
  }
});
