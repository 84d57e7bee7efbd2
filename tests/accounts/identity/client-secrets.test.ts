import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../server/ops/config/config.ts";
import { queries } from "../../../server/database/database.ts";
import { startServer } from "../../../server/start.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { authorize, browserFor, comeBack, site } from "../../support/identity/external-sign-in.ts";
import { vendorClient } from "../../support/identity/vendors.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { useLoopbackProviders } from "./loopback-providers.ts";

const older = "the-older-key-of-at-least-32-characters";
const newer = "the-newer-key-of-at-least-32-characters";
const zw = useZonewright({ env: { SITE_URL: site, SECRET_KEYS: older } });
const providers = useLoopbackProviders(zw);

/** The table of configurations, as text. */
async function stored() {
  const { rows } = await sql<{ row: string; secret: string }>`
      select identity_configs::text as row, client_secret as secret from identity_configs`.execute(
    queries(zw.services.database.fork()),
  );
  return rows;
}

/** Starts the service again on the same database, as after a restart with other keys. */
async function restarted(secretKeys: string) {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const env = {
    PORT: "0",
    DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
    SITE_URL: site,
    SECRET_KEYS: secretKeys,
    JOBS: "off",
  };
  const server = await startServer(loadConfig({ ...env, ADMIN_PASSWORD: adminPassword }), {
    announce: () => undefined,
    database: zw.services.database,
  });
  onTestFinished(() => server.stop());
  const client = new RestClient(server.url);
  const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
  client.token = body.accessToken;
  return { ...zw, url: server.url, admin: client, nobody: new RestClient(server.url) };
}

describe("client secrets", () => {
  test("a client secret is not readable in the table, the audit trail or responses", async () => {
    const created = await providers.configured(providers.github());
    const changed = await zw.admin.put(`/api/oauth/providers/${created.body.id}`, {
      clientSecret: "a secret of its own",
    });
    const trail = await entries(zw.admin, { targetId: created.body.id });
    expect(trail.map(({ action, after }) => [action, after?.["secretChanged"] ?? null])).toEqual([
      ["identity_config.update", true],
      ["identity_config.create", null],
    ]);
    const texts = [
      created.body,
      changed.body,
      trail,
      await stored(),
      (await zw.admin.get("/api/oauth/providers")).body,
    ];
    for (const text of texts.map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(vendorClient.clientSecret);
      expect(text).not.toContain("a secret of its own");
    }
  });

  test("a client secret is re-encrypted with the newest key at the next start, and works without the older key", async () => {
    await providers.configured(providers.github());
    const [before] = await stored();
    const rotated = await restarted(`${newer},${older}`);
    const [after] = await stored();
    expect(after?.secret.split(".")[1]).not.toBe(before?.secret.split(".")[1]);
    const browser = browserFor(rotated);
    expect(await comeBack(browser, providers.vendor.agree(await authorize(browser, "github")))).toHaveProperty(
      "pending_token",
    );
    const forgetful = await restarted(newer);
    const again = browserFor(forgetful);
    expect(await comeBack(again, providers.vendor.agree(await authorize(again, "github")))).toHaveProperty(
      "pending_token",
    );
  });

  test("a client secret that no key decrypts stops only sign-ins with its provider, until it is entered again", async () => {
    const { body } = await providers.configured(providers.github());
    const other = await restarted("a-key-that-has-sealed-nothing-of-it-all");
    const at = `/api/oauth/providers/${body.id}`;
    const { location } = await browserFor(other).get(`${site}/api/auth/oauth/github/authorize`);
    expect(location?.searchParams.get("error")).toBe("provider_error");
    expect((await other.admin.get("/api/oauth/providers")).status).toBe(200);
    const { issues } = problemOf(await other.admin.put(at, { clientSecret: "" }), 409, "CONFLICT");
    expect(issues).toMatchObject([{ path: ["clientSecret"] }]);
    expect((await other.admin.put(at, { enabled: false })).body.enabled).toBe(false);
    expect(await other.admin.put(at, { enabled: true })).toBeProblem(409, "CONFLICT");
    const { clientSecret } = vendorClient;
    expect((await other.admin.put(at, { enabled: true, clientSecret })).status).toBe(200);
    expect(await authorize(browserFor(other), "github")).toMatchObject({ origin: providers.vendor.url });
  });
});

test("the tables of flows contain nothing that grants access", async () => {
  await providers.configured(providers.github());
  const browser = browserFor(zw);
  const url = await authorize(browser, "github");
  const cookies = browser.cookiesFor(new URL(site)).map(([, { value }]) => value);
  const other = browserFor(zw);
  const { pending_token: pending = "" } = await comeBack(
    other,
    providers.vendor.agree(await authorize(other, "github")),
  );
  const em = zw.services.database.fork();
  const { rows } = await sql<{ row: string }>`
    select identity_flows::text as row from identity_flows
    union all select pending_identities::text from pending_identities`.execute(queries(em));
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const secret of [...cookies, pending, url.searchParams.get("state") ?? ""]) {
    expect(secret).not.toBe("");
    for (const { row } of rows) expect(row).not.toContain(secret);
  }
});
