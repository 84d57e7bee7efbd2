import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { binary } from "../support/binaries.ts";
import { startDeployedNginx } from "../proof/high-availability.ts";
import { freePorts, run, startProgram } from "../support/programs.ts";
import { site } from "../support/identity/external-sign-in.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualZone } from "../support/zones.ts";

const zw = useZonewright({ env: { SITE_URL: site, TRUST_PROXY: "loopback" } });
const fixtures = fileURLToPath(new URL("../platform/net/fixtures/", import.meta.url));
let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-nginx-"));
  // Its workers give up root.
  await chmod(folder, 0o755);
  await writeFile(join(folder, "index.html"), "the front end");
  [port = 0] = await freePorts(1);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The example of a page adapted to this machine: other ports and certificates, within a complete nginx.conf. */
async function configurationOf(page: string): Promise<string> {
  const text = await readFile(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), "utf8");
  const [, example = ""] = /```nginx\n(.*?)```/s.exec(text) ?? [];
  const moved = example
    .replace("server 127.0.0.1:3000;", `server ${new URL(zw.url).host};`)
    .replace(/^ +listen 443/m, `listen 127.0.0.1:${port}`)
    .replace("/etc/ssl/certs/dns.example.com.pem", join(fixtures, "secure.example.pem"))
    .replace("/etc/ssl/private/dns.example.com.key", join(fixtures, "secure.example.key.pem"))
    .replace("/srv/dns.example.com", folder);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off;
pid ${join(folder, "nginx.pid")};
error_log stderr notice;
events {}
http {
access_log ${join(folder, "access.log")};
${temporary.join("\n")}
${moved}
}
`,
  );
  return file;
}

/** Runs nginx with the example of a page during a test. */
async function startNginx(page: string): Promise<void> {
  const file = await configurationOf(page);
  const ready = /start worker process \d+/;
  const nginx = await startProgram(binary("nginx"), ["-c", file, "-p", folder], ready);
  onTestFinished(async () => {
    await nginx.stop("SIGQUIT");
  });
}

interface Visit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request that comes in from outside. */
async function visit(
  path: string,
  { method = "GET", headers = {}, body: sent }: Visit = {},
): Promise<{ status: number; location: string | null; body: string }> {
  return await new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, rejectUnauthorized: false };
    const call = request({ ...options, headers: { host: "dns.example.com", ...headers } }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? null, body }),
      );
    });
    call.once("error", reject).end(sent);
  });
}

test.for(["operations/deployment.md", "identity-providers.md"])(
  "nginx accepts the configuration in %s",
  async (page) => {
    const file = await configurationOf(page);
    const { exitCode, stderr } = await run(binary("nginx"), ["-t", "-c", file, "-p", folder]);
    expect(stderr).toContain("syntax is ok");
    expect(exitCode).toBe(0);
  },
);

test("browsers returning from an identity provider reach the service through nginx, at both addresses", async () => {
  await startNginx("identity-providers.md");
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

test("behind the documented nginx, the console and zone files of 16 MiB work, streams are live, and internal paths are closed", async () => {
  await startNginx("operations/deployment.md");
  const { status, body } = await visit("/", { headers: { accept: "text/html" } });
  expect({ status, isConsole: body.includes('<div id="root">') }).toEqual({ status: 200, isConsole: true });
  for (const path of ["/healthz", "/readyz", "/version", "/metrics"]) expect((await visit(path)).status).toBe(404);

  const token = { authorization: `Bearer ${zw.admin.token}` };
  const zone = await manualZone(zw);
  const zonefile = `www A 192.0.2.1\n${`; ${"x".repeat(1_000)}\n`.repeat(3_000)}`;
  const imported = await visit(`/api/domains/${zone.id}/zonefile`, {
    method: "POST",
    headers: { ...token, "content-type": "application/json" },
    body: JSON.stringify({ zonefile }),
  });
  expect(imported.status).toBe(200);
  expect(await zone.lines()).toEqual(["www A 192.0.2.1"]);

  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ":path": `/api/notifications/stream?token=${zw.admin.token}`,
    ":authority": "dns.example.com",
  });
  const [first] = (await once(stream, "data")) as [Buffer];
  expect(first.toString()).toContain("connected");
  expect(session.alpnProtocol).toBe("h2");
  expect(await readFile(join(folder, "access.log"), "utf8")).not.toContain("token=");
});

test("the nginx of the highly available installation sends a change to one instance only, and a read to the other too", async () => {
  const received: string[] = [];
  /** Carries out what it gets, and ends before it answers. */
  const instances = [0, 1].map(() =>
    createServer((call) => {
      const parts: Buffer[] = [];
      call.on("data", (part: Buffer) => parts.push(part));
      call.once("end", () => {
        received.push(`${call.method} ${Buffer.concat(parts).toString()}`);
        call.socket.destroy();
      });
    }).listen(0, "127.0.0.1"),
  );
  await Promise.all(instances.map((instance) => once(instance, "listening")));
  // They stay in use after a failure, so the rest of the line is a comment.
  const addresses = instances.map((instance) => `127.0.0.1:${(instance.address() as AddressInfo).port} max_fails=0; #`);
  const nginx = await startDeployedNginx(folder, `127.0.0.1:${port}`, addresses);
  onTestFinished(async () => {
    await nginx.stop("SIGQUIT");
    for (const instance of instances) instance.close();
  });
  for (const method of ["PUT", "DELETE", "POST", "PATCH", "GET"]) {
    const body = method === "GET" ? undefined : `{"sent":"${method}"}`;
    const { status } = await fetch(`http://127.0.0.1:${port}/api/domains`, { method, body });
    expect(status).toBe(502);
  }
  expect(received).toEqual([
    'PUT {"sent":"PUT"}',
    'DELETE {"sent":"DELETE"}',
    'POST {"sent":"POST"}',
    'PATCH {"sent":"PATCH"}',
    "GET ",
    "GET ",
  ]);
});
