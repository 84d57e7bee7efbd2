import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Clock, day } from "../support/clock.ts";
import { RestClient } from "../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";
import { titlesOf } from "./publish.ts";
import { createOf, leavePending } from "../zones/changes/left-open.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { TRUST_PROXY: "loopback" } });

async function signInFrom(username: string, ip: string, userAgent: string): Promise<RestClient> {
  const client = new RestClient(zw.url);
  const headers = { "x-forwarded-for": ip, "user-agent": userAgent };
  const { body } = await client.post("/api/auth/login", { username, password: memberPassword }, headers);
  client.token = body.accessToken;
  return client;
}

async function notificationsOf(client: RestClient, event: string) {
  const { body } = await client.get("/api/notifications");
  return body.notifications.filter((one: { event: string }) => one.event === event);
}

describe("security.new_sign_in", () => {
  test("a sign-in from another address or user agent sends security.new_sign_in, but the first one does not", async () => {
    const user = await zw.member("traveller");
    expect(await titlesOf(user)).toEqual([]);
    await signInFrom("traveller", "203.0.113.7", "Browser A");
    await signInFrom("traveller", "203.0.113.7", "Browser A");
    await signInFrom("traveller", "203.0.113.7", "Browser B");
    await signInFrom("traveller", "203.0.113.8", "Browser B");
    const reported = await notificationsOf(user, "security.new_sign_in");
    expect(reported.map(({ metadata }: { metadata: unknown }) => metadata)).toEqual([
      { ip: "203.0.113.8", userAgent: "Browser B" },
      { ip: "203.0.113.7", userAgent: "Browser B" },
      { ip: "203.0.113.7", userAgent: "Browser A" },
    ]);
    expect(reported[0]).toMatchObject({ level: "warning", content: expect.stringContaining("203.0.113.8") });
  });
});

describe("zone.drift", () => {
  test("zone.drift is sent once to the owner and the administrators, and to no other member", async () => {
    const [owner] = await Promise.all([zw.member("owner"), zw.member("bystander")]);
    const { configs } = (await zw.admin.get("/api/provider-configs")).body;
    const zonefile = configs.find(({ kind }: { kind: string }) => kind === "zonefile");
    await zw.admin.put(`/api/provider-configs/${zonefile.id}`, { membersMayUse: true });
    const { body: domain } = await owner.post("/api/domains", { name: "drifting.example" });
    const file = join(zw.dataDir, "zones", "drifting.example.zone");
    await writeFile(file, `${await readFile(file, "utf8")}www 300 A 192.0.2.9\n`);
    clock.advance(2 * day);
    await zw.services.drift.runOnce();
    await zw.services.drift.runOnce();
    const readers = [await zw.signIn("owner", memberPassword), await zw.signIn("admin", adminPassword)];
    for (const client of readers) {
      expect(await notificationsOf(client, "zone.drift")).toMatchObject([
        {
          level: "warning",
          title: "drifting.example differs from what its provider serves",
          metadata: { domainId: domain.id, domainName: "drifting.example", created: 1, updated: 0, deleted: 0 },
        },
      ]);
    }
    const other = await zw.signIn("bystander", memberPassword);
    expect(await titlesOf(other)).toEqual([]);
  });
});

describe("record.change_failed", () => {
  test("record.change_failed is sent to the author of a pending change that turns out to have failed", async () => {
    const admin = await zw.signIn("admin", adminPassword);
    const { body: domain } = await admin.post("/api/domains", { name: "broken.example" });
    // A crash leaves the intent, and nothing at the provider.
    await leavePending(zw, domain.id, { changes: [createOf("www")] });
    await zw.services.repair.runOnce();
    expect(await notificationsOf(admin, "record.change_failed")).toMatchObject([
      {
        level: "error",
        title: "1 of 1 changes to broken.example failed",
        content: expect.stringMatching(/^create A www: .+\.$/),
        metadata: { domainId: domain.id, domainName: "broken.example", failed: 1 },
      },
    ]);
  });
});
