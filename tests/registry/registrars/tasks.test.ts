import { expect, test } from "vitest";
import { RegistrarTasks } from "../../../server/registry/registrars/tasks.ts";
import { hour } from "../../support/clock.ts";
import { adminPassword } from "../../support/zonewright.ts";
import type { Body } from "../../support/zones.ts";
import { zoneName } from "../delegation/private-root.ts";
import { ds, useRegisteredDomain } from "./registered-domain.ts";

/** What becomes of changes that OVHcloud and Amazon accepted, and carry out by a task. */

const at = useRegisteredDomain();

test("a change that failed at a registrar that no longer knows its task can be sent again with force", async () => {
  const { ovh } = at.accounts;
  at.signZone();
  ovh.slow.add(zoneName);
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["ovh"] });
  const before = { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [] };
  for (const wanted of [{ ds: [ds] }, { nameServers: ["ns1.one.tld"] }]) {
    const [field = ""] = Object.keys(wanted);
    expect((await at.changed(wanted)).body).toMatchObject({ applied: true });
    ovh.forgetTasks();
    expect(await at.changed(wanted)).toMatchObject({
      plan: {
        changes: [{ field, before: before[field as keyof typeof before], after: Object.values(wanted)[0] }],
        warnings: [expect.stringContaining("This is the same change.")],
      },
      status: 409,
      body: { code: "CONFIRMATION_REQUIRED" },
    });
    expect((await at.changed(wanted, { force: true })).body).toMatchObject({ applied: true });
    ovh.carryOut();
    expect(ovh.domains.get(zoneName)).toMatchObject(wanted);
    expect((await at.changed(wanted)).body).toMatchObject({ changes: [], applied: false });
  }
  ovh.slow.clear();
});

test.each(["ovh", "route53domains"] as const)(
  "a change that fails after %s accepted it is shown with the reason, and can be sent again without force",
  async (kind) => {
    at.signZone();
    const { ovh, route53domains: amazon } = at.accounts;
    const [reason, own] = ["The registry refuses the key.", at.accounts[kind]];
    own.slow.add(zoneName);
    await at.zw.admin.put(at.path, { registrarConfigId: at.configs[kind] });
    expect((await at.changed({ ds: [ds] })).body).toMatchObject({ applied: true });
    const failures = async () =>
      (await at.zw.admin.get(`${at.path}/registration`)).body.findings.filter(
        ({ code }: { code: string }) => code === "change_failed",
      );
    // Still open, also after more than a day.
    for (const hours of [1, 23, 23]) {
      at.clock.advance(hours * hour);
      at.zw.admin.token = (await at.zw.signIn("admin", adminPassword)).token;
      await at.zw.admin.post(`${at.path}/check-expiry`);
    }
    expect(await failures()).toEqual([]);
    expect((await at.put({ ds: [ds], dryRun: true })).body.warnings).toEqual([
      expect.stringContaining("This is the same change."),
    ]);
    ovh.failTasks(reason);
    amazon.failOperations(reason);
    await at.zw.admin.post(`${at.path}/check-expiry`);
    expect(await failures()).toEqual([
      {
        code: "change_failed",
        severity: "error",
        message: expect.stringMatching(
          new RegExp(`^The registrar accepted the change of DS records of ${zoneName} of .* It says: ${reason} `),
        ),
      },
    ]);
    const ofPortfolio = async () =>
      (await at.zw.admin.get("/api/domains/findings")).body.findings.map(({ code, severity }: Body) => [
        code,
        severity,
      ]);
    expect(await ofPortfolio()).toContainEqual(["change_failed", "error"]);
    expect(await at.changed({ ds: [ds] })).toMatchObject({ plan: { warnings: [] }, status: 200 });
    expect(await failures()).toEqual([]);
    expect(await ofPortfolio()).not.toContainEqual(["change_failed", "error"]);
    own.carryOut();
    await at.zw.admin.post(`${at.path}/check-expiry`);
    expect((await at.zw.admin.get(`${at.path}/registration`)).body.registrar.ds).toEqual([ds]);
    expect(await failures()).toEqual([]);
    own.slow.clear();
  },
);

test("a user at Amazon who may not read operations keeps the registration, and the change is waited for", async () => {
  at.signZone();
  const { route53domains: amazon } = at.accounts;
  amazon.denied.add("GetOperationDetail");
  amazon.slow.add(zoneName);
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs["route53domains"] });
  expect((await at.changed({ ds: [ds] })).body).toMatchObject({ applied: true });
  amazon.failOperations("No");
  await at.zw.admin.post(`${at.path}/check-expiry`);
  const { registrar, findings } = (await at.zw.admin.get(`${at.path}/registration`)).body;
  expect([registrar.error, registrar.ds, findings.map(({ code }: { code: string }) => code)]).toEqual([null, [], []]);
  expect((await at.put({ ds: [ds], dryRun: true })).body.warnings).toHaveLength(1);
  amazon.denied.clear();
  amazon.slow.clear();
});

const failedEvent = "domain.registration_change_failed";

/** What the administrator, and the audit trail, have of failed changes. */
async function failures(): Promise<{ notices: Body[]; audited: Body[] }> {
  at.zw.admin.token = (await at.zw.signIn("admin", adminPassword)).token;
  const { notifications } = (await at.zw.admin.get("/api/notifications?limit=100")).body;
  const { entries } = (await at.zw.admin.get(`/api/audit?action=${failedEvent}&limit=100`)).body;
  return { notices: notifications.filter(({ event }: Body) => event === failedEvent), audited: entries };
}

/** Runs the job that follows tasks, as a process does that has just started. */
async function follow(): Promise<void> {
  const { database, registrarConfigs, notifications } = at.zw.services;
  const job = new RegistrarTasks({ database, registrarConfigs, notifications, now: at.clock.now });
  await job.work({}, new AbortController().signal);
}

/** Lets a registrar accept a change that it does not carry out yet. @returns what had failed before */
async function acceptChange(
  kind: "ovh" | "route53domains",
  wanted: object,
): Promise<{ notices: number; audited: number }> {
  at.accounts[kind].slow.add(zoneName);
  await at.zw.admin.put(at.path, { registrarConfigId: at.configs[kind] });
  expect((await at.changed(wanted)).body).toMatchObject({ applied: true });
  const { notices, audited } = await failures();
  return { notices: notices.length, audited: audited.length };
}

test.each([
  ["ovh", { nameServers: ["ns1.one.tld"] }],
  ["route53domains", { ds: [ds] }],
  ["route53domains", { locked: false }],
] as const)(
  "a change that %s accepts and does not carry out is audited, and notified of once: %o",
  async (kind, wanted) => {
    at.signZone();
    const [field = "", after] = Object.entries(wanted)[0] ?? [];
    const before = await acceptChange(kind, wanted);
    // It is open.
    await follow();
    expect((await failures()).notices).toHaveLength(before.notices);
    const reason = "The registry says no.";
    at.accounts.ovh.failTasks(reason);
    at.accounts.route53domains.failOperations(reason);
    // Two instances and a person ask at the same time, and later ones again.
    await Promise.all([follow(), follow(), at.zw.admin.post(`${at.path}/check-expiry`)]);
    await at.zw.admin.post(`${at.path}/check-expiry`);
    await follow();
    const { notices, audited } = await failures();
    expect([notices.length - before.notices, audited.length - before.audited]).toEqual([1, 1]);
    const was = { nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [], locked: true }[field];
    const change = { field, before: was, after, acceptedAt: expect.any(String), reason };
    expect(notices[0]).toMatchObject({
      title: "A change of the registration of one.tld failed",
      content: expect.stringMatching(
        /^The registrar accepted the change of .*, and did not carry it out\. It says: The reg/,
      ),
      level: "error",
      metadata: { domainName: zoneName, changes: [change] },
    });
    expect(audited[0]).toMatchObject({
      targetName: zoneName,
      before: { [field]: was },
      after: { [field]: after, error: reason },
    });
    at.accounts[kind].slow.clear();
  },
);

test("a change that failed is reported although the domain's expiry is set by hand", async () => {
  const { ovh } = at.accounts;
  const before = await acceptChange("ovh", { nameServers: ["ns1.one.tld"] });
  await at.zw.admin.put(`${at.path}/expiry`, { expiresAt: "2030-01-01T00:00:00Z" });
  ovh.failTasks();
  await follow();
  const { notices, audited } = await failures();
  expect([notices.length - before.notices, audited.length - before.audited]).toEqual([1, 1]);
  expect(notices[0]?.content).toContain("It gave no reason.");
  await at.zw.admin.put(`${at.path}/expiry`, { expiresAt: null });
  ovh.slow.clear();
});

test("a change that failed is reported when another one replaces it, before any lookup saw it", async () => {
  const { ovh } = at.accounts;
  const before = await acceptChange("ovh", { nameServers: ["ns1.one.tld"] });
  ovh.failTasks("No.");
  expect((await at.changed({ nameServers: ["ns2.one.tld"] })).body).toMatchObject({ applied: true });
  ovh.carryOut();
  await follow();
  const { notices, audited } = await failures();
  expect([notices.length - before.notices, audited.length - before.audited]).toEqual([1, 1]);
  expect(audited[0]).toMatchObject({ after: { nameServers: ["ns1.one.tld"], error: "No." } });
  ovh.slow.clear();
});
