import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publish as publishNotice } from "../notifications/publish.ts";
import { binary } from "../support/binaries.ts";
import { installPackedClient, type ClientProject } from "../support/packed-client.ts";
import { adminPassword, startZonewright } from "../support/zonewright.ts";

/** What a front end does: signs in, works, and resumes from the cookie as after a reload. */
const program = (url: string) => `
import { createClient, isZonewrightError } from "@zonewright/client";
const url = ${JSON.stringify(url)};
const fetch = (address, init) => globalThis.fetch(address, { ...init, credentials: "include" });
async function work() {
  const client = createClient({ url, session: "cookie", fetch });
  const { user } = await client.signIn({ username: "admin", password: ${JSON.stringify(adminPassword)} });
  const { id } = await client.domains.create.mutate({ name: "browser.example", expiresAt: new Date("2030-01-31") });
  await client.records.create.mutate({ id, recordType: "TXT", name: "@", value: "from a browser" });
  const refused = await client.domains.create.mutate({ name: "browser.example" }).catch((error) => error);
  const reloaded = createClient({ url, session: "cookie", fetch });
  const values = [];
  for await (const record of reloaded.eachRecord({ id })) values.push(record.value);
  const reported = [];
  const onConnected = () => void fetch("/tell");
  for await (const { title, createdAt } of reloaded.watchNotifications({ onConnected })) {
    reported.push(title, createdAt instanceof Date);
    break;
  }
  const { expiresAt } = await reloaded.domains.get.query({ id });
  return { user: user.username, refused: isZonewrightError(refused) && refused.code, values, reported, year: expiresAt.getFullYear() };
}
work().catch((error) => ({ failed: String(error?.stack ?? error) }))
  .then((result) => globalThis.fetch("/result", { method: "POST", body: JSON.stringify(result) }));
`;

let project: ClientProject;
let profile: string;
let site: Server;
let browser: ChildProcess | undefined;
let zw: Awaited<ReturnType<typeof startZonewright>>;
let script = "";
let publish: (result: unknown) => void;
const result = new Promise((resolve) => {
  publish = resolve;
});

async function tellReader(): Promise<void> {
  await publishNotice(zw, { administrators: true }, "Told");
}

beforeAll(async () => {
  project = await installPackedClient();
  profile = await mkdtemp(join(tmpdir(), "zonewright-browser-"));
  site = createServer((req, res) => {
    if (req.url === "/result") {
      let body = "";
      req.setEncoding("utf8").on("data", (text: string) => (body += text));
      req.on("end", () => {
        publish(JSON.parse(body));
        res.end();
      });
    } else if (req.url === "/tell") {
      void tellReader().then(() => res.end());
    } else if (req.url === "/page.js") {
      res.setHeader("content-type", "text/javascript").end(script);
    } else {
      res.setHeader("content-type", "text/html").end('<!doctype html><script type="module" src="/page.js"></script>');
    }
  });
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  zw = await startZonewright({ env: { CORS_ORIGINS: origin } });
  ({ code: script } = await project.bundle(program(zw.url)));
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    `--user-data-dir=${profile}`,
    "--remote-debugging-port=0",
  ];
  browser = spawn(binary("chromium-headless-shell"), [...flags, `${origin}/`], { stdio: "ignore" });
});
afterAll(async () => {
  if (browser && browser.exitCode === null) {
    const ended = new Promise((resolve) => browser?.once("exit", resolve));
    browser.kill();
    await ended;
  }
  site.close();
  await zw.stop();
  await project.remove();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
});

test("the packed client works in a browser, from another origin, with its session in the cookie", async () => {
  expect(await result).toEqual({
    user: "admin",
    refused: "CONFLICT",
    values: ["from a browser"],
    reported: ["Told", true],
    year: 2030,
  });
});
