import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { binary } from "../support/binaries.ts";
import { freePorts, run, startProgram } from "../support/programs.ts";
import { site } from "../support/identity/external-sign-in.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { SITE_URL: site, TRUST_PROXY: "loopback" } });
const page = fileURLToPath(new URL("../../docs/identity-providers.md", import.meta.url));
const fixtures = fileURLToPath(new URL("../net/fixtures/", import.meta.url));
let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-nginx-"));
  // Its workers give up root.
  await chmod(folder, 0o755);
  await writeFile(join(folder, "index.html"), "the front end");
  [port = 0] = await freePorts(1);
  await writeFile(join(folder, "nginx.conf"), await wholeConfiguration());
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The documented example adapted to this machine: other ports and certificates, within a complete nginx.conf. */
async function wholeConfiguration(): Promise<string> {
  const [, example = ""] = /```nginx\n(.*?)```/s.exec(await readFile(page, "utf8")) ?? [];
  const moved = example
    .replace("server 127.0.0.1:3000;", `server ${new URL(zw.url).host};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("/etc/ssl/certs/dns.example.com.pem", join(fixtures, "secure.example.pem"))
    .replace("/etc/ssl/private/dns.example.com.key", join(fixtures, "secure.example.key.pem"))
    .replace("/srv/dns.example.com", folder);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return `daemon off;
pid ${join(folder, "nginx.pid")};
error_log stderr notice;
events {}
http {
access_log ${join(folder, "access.log")};
${temporary.join("\n")}
${moved}
}
`;
}

/** A request that comes in from outside. */
async function visit(path: string): Promise<{ status: number; location: string | null; body: string }> {
  return await new Promise((resolve, reject) => {
    const headers = { host: "dns.example.com" };
    const call = request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? null, body }),
      );
    });
    call.once("error", reject).end();
  });
}

test("nginx accepts the documented configuration", async () => {
  const { exitCode, stderr } = await run(binary("nginx"), ["-t", "-c", join(folder, "nginx.conf"), "-p", folder]);
  expect(stderr).toContain("syntax is ok");
  expect(exitCode).toBe(0);
});

test("browsers returning from an identity provider reach the service through nginx, at both addresses", async () => {
  const nginx = await startProgram(
    binary("nginx"),
    ["-c", join(folder, "nginx.conf"), "-p", folder],
    /start worker process \d+/,
  );
  onTestFinished(async () => {
    await nginx.stop("SIGQUIT");
  });
  for (const path of ["/oauth/oidc", "/api/auth/oauth/github/callback"])
    expect(await visit(`${path}?code=a-secret-code&state=none`)).toMatchObject({
      status: 302,
      location: `${site}/?error=state_invalid`,
    });
  expect((await visit("/api/openapi.json")).body).toContain("/oauth/oidc");
  expect(await visit("/?error=state_invalid")).toMatchObject({ status: 200, body: "the front end" });
  const log = await readFile(join(folder, "access.log"), "utf8");
  expect(log).toContain("/api/openapi.json");
  expect(log).not.toContain("/oauth/oidc");
});
