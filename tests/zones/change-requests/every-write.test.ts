import { describe, expect, test } from "vitest";
import { appRouter } from "../../../client-sdk/app-router.ts";
import { forPeople } from "../../../web/src/ui/for-people.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { changed, website } from "../../bulk/templates/templates.ts";
import type { Answer } from "../../support/rest-client.ts";
import { forwardZone, reverseNet, set } from "../../support/reverse-zones.ts";
import {
  applyLinked,
  commonWays,
  oldRecordOf,
  planned,
  runJob,
  type Way,
} from "../../support/records/ways-to-write.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { embeddedConfig, fileZone, manualConfig, manualZone, Zone, type Body } from "../../support/zones.ts";
import { creating, requested, requireReview, verdict } from "./requested.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

const reason = { override: true, message: "The line is on fire" };
const host = { recordType: "A", name: "new", value: "192.0.2.7" };
let count = 0;
const another = (word: string) => `${word}-${(count += 1)}`;

/** Runs the jobs, and returns what a job says of the zone as if it were the answer. */
async function ofJob(answer: Answer, zone: Zone): Promise<Answer> {
  const item = await runJob(zw, answer, zone);
  if (item === null) return answer;
  const refused = item.state === "failed" && item.error.includes("requires a review");
  return {
    ...answer,
    status: refused ? 409 : 200,
    body: refused ? { code: "REVIEW_REQUIRED", detail: item.error } : item,
  };
}

async function linkedTemplate(zone: Zone): Promise<string> {
  const serviceId = another("site");
  const { id } = (await zw.admin.post("/api/templates", website(serviceId))).body;
  const body = { variables: { target: "t.example.net" } };
  await zone.post(`/templates/${id}/apply`, { ...(await planned(zone, `/templates/${id}`, body)), linked: true });
  await zw.admin.put(`/api/templates/${id}`, changed(serviceId));
  return id;
}

/** Every procedure that writes records, and a call of it. */
const ways: Record<string, Way> = {
  ...commonWays(zw, ofJob),
  "records.create": (zone) => (more) => zone.create({ ...host, ...more }),
  "records.update": async (zone) => {
    const id = await oldRecordOf(zone);
    return (more) => zone.update(id, { ttl: 77, ...more });
  },
  "records.bulkCreate": (zone) => (more) => zone.post("/records/bulk", { records: [host], ...more }),
  "records.applyPlan": async (zone) => {
    const body = await planned(zone, "/records", { changes: [{ action: "create", record: host }] });
    return (more) => zone.post("/records/apply", { ...body, ...more });
  },
  "snapshots.rollback": async (zone) => {
    const { id } = (await zone.post("/snapshots")).body;
    await zone.create(host);
    return (more) => zone.post(`/snapshots/${id}/rollback`, { force: true, ...more });
  },
  "snapshots.restore": async (zone) => {
    const { revision } = await zone.detail();
    await zone.create(host);
    return (more) => zone.post("/restore", { revision, force: true, ...more });
  },
  "templates.applyPlan": async (zone) => {
    const { id } = (await zw.admin.post("/api/templates", website(another("site")))).body;
    const body = await planned(zone, `/templates/${id}`, { variables: { target: "t.example.net" } });
    return (more) => zone.post(`/templates/${id}/apply`, { ...body, ...more });
  },
  "templates.applyLinked": async (zone) => {
    const id = await linkedTemplate(zone);
    return async (more) => await ofJob(await applyLinked(zw, id, more), zone);
  },
  "domains.update": (zone) => async (more) => {
    const { body } = await zw.admin.get(zone.path);
    const [files, manual] = [await embeddedConfig(zw), (await zw.admin.get("/api/provider-configs")).body];
    const { id } = manual.configs.find(({ kind }: Body) => kind === "manual");
    const providerConfigId = body.providerConfigId === files ? id : files;
    return await zw.admin.put(zone.path, { providerConfigId, ...more });
  },
  "v1.createRecord": (zone) => (more) => zw.admin.post(`/api/v1/domains/${zone.id}/records`, { ...host, ...more }),
};

/** Mutations near records that write none where a review is required, and why. */
const others: Record<string, string> = {
  "acme.cleanup":
    "Challenges are exempt unless the domain has `reviewAcme`: tests/dns-service/update-clients/acme.test.ts shows both.",
  "acme.present": "As `acme.cleanup`.",
  "changeRequests.applyRequest": "It writes what was approved; lifecycle.test.ts shows that it needs an approval.",
  "changeRequests.approve": "It decides on a request.",
  "changeRequests.comment": "It adds a comment.",
  "changeRequests.create": "It stores a request.",
  "changeRequests.plan": "It plans.",
  "changeRequests.planZonefile": "It plans.",
  "changeRequests.reject": "It decides on a request.",
  "changeRequests.withdraw": "It ends a request.",
  "delegation.check": "It reads name servers.",
  "delegation.checkServed": "It reads name servers.",
  "delegation.snooze": "It hides a finding.",
  "domains.checkExpiry": "It looks up a date.",
  "domains.compare": "It reads.",
  "domains.create": "A new domain has no records to protect; its zone is read.",
  "domains.delete": "It ends the management of a zone, and leaves the zone at its provider as it is.",
  "domains.plan": "It plans.",
  "domains.previewExpiry": "It looks up a date.",
  "domains.push": "It needs a provider with other records; tests/zones/records/push.test.ts shows its review.",
  "domains.setExpiry": "It sets a date.",
  "domains.setExpiryRemind": "It sets reminders.",
  "domains.sync": "It reads what the provider serves already.",
  "providerConfigs.create": "It stores credentials.",
  "providerConfigs.delete": "It deletes credentials.",
  "providerConfigs.import": "It reads zones of new domains.",
  "providerConfigs.test": "It reads.",
  "providerConfigs.update": "It stores credentials.",
  "records.plan": "It plans.",
  "records.planZonefile": "It plans.",
  "replacements.plan": "It plans.",
  "replacements.stop": "It stops a job.",
  "snapshots.create": "It stores a revision's number.",
  "templates.create": "It stores a template.",
  "templates.delete": "It deletes a template.",
  "templates.linkedPlan": "It plans.",
  "templates.plan": "It plans.",
  "templates.unlink": "It forgets a template, and leaves the records.",
  "templates.update": "It stores a template.",
};

const rooms =
  /^(?:acme|changeRequests|delegation|domains|providerConfigs|records|replacements|reverse|snapshots|templates|v1)\./;

test("every mutation of a feature with records is among the ways to write, or is known to write none", () => {
  const mutations = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
    .filter(([name, { _def }]) => _def.type === "mutation" && rooms.test(name))
    .map(([name]) => name);
  expect(mutations.toSorted()).toEqual([...Object.keys(ways), ...Object.keys(others)].toSorted());
});

describe.each([
  ["without a back end", manualZone],
  ["in files", fileZone],
] as const)("in a zone %s that requires reviews of everyone", (_, make) => {
  test.each(Object.entries(ways))(
    "%s changes nothing without an approval, and an override is audited",
    async (_, way) => {
      await manualConfig(zw);
      const zone = await make(zw);
      await zone.add("A", "old", "192.0.2.1", 300);
      const attempt = await way(zone);
      await requireReview(zw, zone, "everyone");
      const before = { records: await zone.lines(), config: (await zone.detail()).providerConfigId };
      const refused = await attempt({});
      expect(refused).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
      expect(refused.body.detail).toContain(`POST /api/domains/${zone.id}/change-requests`);
      // The console leaves out what only programs can follow.
      expect(forPeople(refused.body.detail)).not.toMatch(/\/api\/|: true/);
      expect({ records: await zone.lines(), config: (await zone.detail()).providerConfigId }).toEqual(before);
      expect((await attempt({ override: true })).status).toBe(400);
      const made = await attempt(reason);
      expect({ status: made.status < 300, body: made.body }).toMatchObject({ status: true });
      const trail = await entries(zw.admin, { targetId: zone.id });
      expect(trail.filter(({ after }) => after?.["reviewOverridden"] === true)).toMatchObject([
        { after: { message: reason.message } },
      ]);
    },
  );
});

/** A member who may write in a zone. */
const writer = async (zone: Zone): Promise<Zone> => {
  const member = await zw.member(another("writer"));
  await assign(zw, member, zone.id, "*", "write");
  return new Zone(zw, zone, member);
};

const proof = (name: string) => ({ recordType: "TXT", name, value: another("proof") });

describe("who is bound", () => {
  test("`members` binds members and owners, and lets administrators edit", async () => {
    const zone = await manualZone(zw);
    const seen = await writer(zone);
    await requireReview(zw, zone, "members");
    expect((await seen.create(host)).body).toMatchObject({ status: 409, code: "REVIEW_REQUIRED" });
    expect((await zone.create(host)).status).toBe(201);
  });

  test("a personal token is bound like its owner", async () => {
    const zone = await manualZone(zw);
    await requireReview(zw, zone, "everyone");
    const permissions = ["records:read", "records:write"];
    const { token } = (await zw.admin.post("/api/auth/me/tokens", { name: another("script"), permissions })).body;
    const client = zw.nobody;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await client.post(`/api/v1/domains/${zone.id}/records`, host, headers);
    expect(answer).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
  });

  test("only administrators override a review and set the rule", async () => {
    const zone = await manualZone(zw);
    const seen = await writer(zone);
    await requireReview(zw, zone, "members");
    expect((await seen.create({ ...host, ...reason })).body).toMatchObject({ status: 403, code: "FORBIDDEN" });
    for (const patch of [{ reviewRequired: "off" }, { reviewAcme: true }])
      expect((await seen.client.put(zone.path, patch)).status).toBe(403);
  });

  test("proofs for certificates need no review unless the domain says so", async () => {
    const zone = await manualZone(zw);
    await requireReview(zw, zone, "everyone");
    for (const name of ["_acme-challenge", "_acme-challenge.www"])
      expect((await zone.create(proof(name))).status).toBe(201);
    for (const name of ["_acme-challenges", "www._acme-challenge", "x"])
      expect((await zone.create(proof(name))).body.code).toBe("REVIEW_REQUIRED");
    expect((await zone.create({ ...host, name: "_acme-challenge" })).status).toBe(409);
    const both = [proof("_acme-challenge"), proof("x")];
    expect((await zone.post("/records/bulk", { records: both })).body.code).toBe("REVIEW_REQUIRED");
    await zw.admin.put(zone.path, { reviewAcme: true });
    expect((await zone.create(proof("_acme-challenge"))).body.code).toBe("REVIEW_REQUIRED");
  });

  test("notes of a record that publish nothing need no review, alone or beside a proof", async () => {
    const zone = await fileZone(zw);
    const { id } = await zone.add("A", "old", "192.0.2.1", 300);
    const file = await zone.readFile();
    await requireReview(zw, zone, "everyone");
    const reviewAt = "2031-03-14T00:00:00.000Z";
    const notes = { comment: "For the shop", locked: true, ownerId: await idOf(zw.admin), reviewAt };
    expect((await zone.update(id, notes)).body).toMatchObject(notes);
    expect(await zone.readFile()).toBe(file);
    const changes = [
      { action: "update", recordId: id, record: { comment: "For the blog" } },
      { action: "create", record: proof("_acme-challenge.old") },
    ];
    expect((await zone.post("/records/apply", await planned(zone, "/records", { changes }))).status).toBe(200);
    expect((await zone.update(id, { comment: null, ttl: 60, unlock: true })).body.code).toBe("REVIEW_REQUIRED");
  });

  test("a record that is locked is unlocked only with a review, which its next change would lack a warning of", async () => {
    const zone = await manualZone(zw);
    const { id } = await zone.add("A", "old", "192.0.2.1", 300);
    await zone.update(id, { locked: true });
    await requireReview(zw, zone, "everyone");
    expect((await zone.update(id, { locked: false })).body.code).toBe("REVIEW_REQUIRED");
    expect((await zone.update(id, { locked: false, unlock: true })).body.code).toBe("REVIEW_REQUIRED");
    expect((await zone.update(id, { locked: false, ...reason })).body.locked).toBe(false);
  });

  test("a sync takes what the provider serves, whatever the rule", async () => {
    const zone = await fileZone(zw, "www 300 A 192.0.2.1\n");
    await requireReview(zw, zone, "everyone");
    await zone.edit((text) => `${text}ftp 300 A 192.0.2.2\n`);
    expect((await zone.post("/sync", { force: true })).body).toMatchObject({ created: 1 });
  });

  test("PTR records do not follow into a reverse zone that requires a review, and the plan says why", async () => {
    const net = await reverseNet(zw);
    const zone = await forwardZone(zw, "follow");
    await requireReview(zw, net.zone, "everyone");
    const changes = [{ action: "create", record: { recordType: "A", name: "www", value: net.at(1) } }];
    const { body: plan } = await zone.post("/records/plan", { changes });
    expect(plan.reverse).toMatchObject([{ included: false, reason: expect.stringContaining("requires a review") }]);
    await zone.post("/records/apply", { changes, planHash: plan.planHash });
    expect(await net.zone.records()).toEqual([]);
  });

  test("PTR records follow an administrator's request into a reverse zone that binds only members", async () => {
    const net = await reverseNet(zw);
    const zone = await forwardZone(zw, "follow");
    const made = await requested(zw.admin, zone, creating("www", net.at(1)));
    expect(made.reverse).toMatchObject([{ included: true }]);
    await requireReview(zw, net.zone, "members");
    expect((await verdict(zw.admin, made, "apply")).body.state).toBe("applied");
    expect(await net.zone.records()).toHaveLength(1);
  });
});

describe("the rule of a domain", () => {
  test("a domain without a setting follows the installation, and null takes its setting away", async () => {
    const zone = await manualZone(zw);
    expect(await zone.detail()).toMatchObject({ reviewRequired: "off", reviewIsDefault: true, reviewAcme: false });
    await set(zone, { reviewRequired: "everyone" });
    expect(await zone.detail()).toMatchObject({ reviewRequired: "everyone", reviewIsDefault: false });
    await set(zone, { reviewRequired: null });
    expect(await zone.detail()).toMatchObject({ reviewRequired: "off", reviewIsDefault: true });
    expect((await zone.client.put(zone.path, { reviewRequired: "some" })).status).toBe(400);
  });
});

describe("an installation that requires reviews", () => {
  const strict = useZonewright({ env: { JOBS: "off", REVIEW_REQUIRED: "everyone" } });

  test("holds every domain to it that has no setting of its own", async () => {
    const zone = await manualZone(strict);
    expect((await zone.create(host)).body.code).toBe("REVIEW_REQUIRED");
    await set(zone, { reviewRequired: "off" });
    expect((await zone.create(host)).status).toBe(201);
  });
});
