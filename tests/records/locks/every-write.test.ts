import { describe, expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "../../../server/router.ts";
import { entries } from "../../audit/trail.ts";
import { verdict } from "../../change-requests/requested.ts";
import { jobOf, revertOf, started } from "../../replacements/replaced.ts";
import { website } from "../../templates/templates.ts";
import type { Answer } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { fileZone, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let count = 0;
const another = (word: string) => `${word}-${(count += 1)}`;

/** Makes a call that changes or deletes the record `old`. @param more fields to add to its body */
type Attempt = (more: object) => Promise<Answer>;

/** Prepares a way to write in a zone before its records are locked. */
type Way = (zone: Zone) => Attempt | Promise<Attempt>;

/** A record that gives the whole RRset another TTL. */
const beside = { recordType: "A", name: "old", value: "192.0.2.7", ttl: 77 };

const recordOf = async (zone: Zone): Promise<string> =>
  (await zone.records()).find(({ name }: Body) => name === "old")?.id;

async function planned(zone: Zone, path: string, body: object): Promise<object> {
  return { ...body, planHash: (await zone.post(`${path}/plan`, body)).body.planHash, force: true };
}

/** Runs the jobs. @returns the answer, or how the job changed the zone */
async function ofJob(answer: Answer, zone: Zone): Promise<Answer> {
  if (answer.status !== 202) return answer;
  await zw.services.batches.run();
  const job = await jobOf(zw.admin, answer.body.jobId);
  const { state, error } = job.domains.find(({ domainId }: Body) => domainId === zone.id);
  if (state !== "failed") return { ...answer, status: 200 };
  return { ...answer, status: 409, body: { code: "CONFIRMATION_REQUIRED", detail: error } };
}

const replacing = (zone: Zone) => ({
  recordType: "A",
  value: "192.0.2.1",
  newValue: "192.0.2.2",
  domainIds: [zone.id],
});

const address = (pointsTo: string) => ({ records: [{ type: "A", host: "old", pointsTo, ttl: 300 }] });

async function templateOf(pointsTo: string): Promise<{ id: string; serviceId: string }> {
  const serviceId = another("site");
  const { body } = await zw.admin.post("/api/templates", website(serviceId, address(pointsTo)));
  return { id: body.id, serviceId };
}

const inQuery = (more: object) =>
  new URLSearchParams(Object.entries(more).map(([key, value]) => [key, String(value)])).toString();

/** A call of every procedure that takes `unlock`, but for those that only plan. */
const ways: Record<string, Way> = {
  "records.create": (zone) => (more) => zone.create({ ...beside, ...more }),
  "records.update": async (zone) => {
    const id = await recordOf(zone);
    return (more) => zone.update(id, { value: "192.0.2.2", ...more });
  },
  "records.delete": async (zone) => {
    const id = await recordOf(zone);
    return (more) => zw.admin.delete(`${zone.path}/records/${id}?${inQuery(more)}`);
  },
  "records.bulkCreate": (zone) => (more) => zone.post("/records/bulk", { records: [beside], ...more }),
  "records.applyPlan": (zone) => async (more) => {
    const changes = [{ action: "delete", recordId: await recordOf(zone) }];
    return await zone.post("/records/apply", { ...(await planned(zone, "/records", { changes })), ...more });
  },
  "records.importZonefile": (zone) => (more) =>
    zone.post("/zonefile", { zonefile: "new 300 A 192.0.2.7\n", mode: "replace", force: true, ...more }),
  "records.revert": async (zone) => {
    const [latest] = await zone.history();
    return (more) => zone.post(`/history/${latest?.id}/revert`, { force: true, ...more });
  },
  "snapshots.rollback": async (zone) => {
    const { id } = (await zone.post("/snapshots")).body;
    await zone.update(await recordOf(zone), { ttl: 99 });
    return (more) => zone.post(`/snapshots/${id}/rollback`, { force: true, ...more });
  },
  "templates.applyPlan": async (zone) => {
    const { id } = await templateOf("192.0.2.2");
    return async (more) =>
      await zone.post(`/templates/${id}/apply`, { ...(await planned(zone, `/templates/${id}`, {})), ...more });
  },
  "templates.applyLinked": async (zone) => {
    const { id, serviceId } = await templateOf("192.0.2.2");
    await zone.post(`/templates/${id}/apply`, { ...(await planned(zone, `/templates/${id}`, {})), linked: true });
    await zw.admin.put(`/api/templates/${id}`, website(serviceId, address("192.0.2.3")));
    return async (more) => {
      const { planHash } = (await zw.admin.post(`/api/templates/${id}/linked/plan`)).body;
      const body = { planHash, force: true, ...more };
      return await ofJob(await zw.admin.post(`/api/templates/${id}/linked/apply`, body), zone);
    };
  },
  "replacements.applyPlan": (zone) => async (more) => {
    const { planHash } = (await zw.admin.post("/api/records/replace/plan", replacing(zone))).body;
    const body = { ...replacing(zone), planHash, force: true, ...more };
    return await ofJob(await zw.admin.post("/api/records/replace/apply", body), zone);
  },
  "replacements.revert": async (zone) => {
    const jobId = await started(zw.admin, replacing(zone));
    await zw.services.batches.run();
    return async (more) => await ofJob(await revertOf(zw.admin, jobId, { force: true, ...more }), zone);
  },
  "changeRequests.create": async (zone) => {
    const changes = [{ action: "update", recordId: await recordOf(zone), record: { ttl: 77 } }];
    return async (more) => {
      const answer = await zone.post("/change-requests", { title: "For a test", changes, ...more });
      return answer.status === 201 ? await verdict(zw.admin, answer.body, "apply") : answer;
    };
  },
  "v1.createRecord": (zone) => (more) => zw.admin.post(`/api/v1/domains/${zone.id}/records`, { ...beside, ...more }),
  "v1.updateRecord": async (zone) => {
    const id = await recordOf(zone);
    return (more) => zw.admin.put(`/api/v1/domains/${zone.id}/records/${id}`, { ttl: 77, ...more });
  },
  "v1.deleteRecord": async (zone) => {
    const id = await recordOf(zone);
    return (more) => zw.admin.delete(`/api/v1/domains/${zone.id}/records/${id}?${inQuery(more)}`);
  },
};

/** The ways of zones that others can change, too. */
const inFiles: Record<string, Way> = {
  ...ways,
  "domains.sync": async (zone) => {
    await zone.edit((text) => text.replace("192.0.2.1", "192.0.2.8"));
    return (more) => zone.post("/sync", { force: true, ...more });
  },
};

test("every procedure that takes `unlock` is among the ways to write, or only plans", () => {
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Record<string, { _def: { inputs: z.ZodType[] } }>,
  );
  const unlocking = procedures
    .filter(([, { _def }]) =>
      _def.inputs.some(
        (input) => "unlock" in (z.toJSONSchema(input, { io: "input", unrepresentable: "any" }).properties ?? {}),
      ),
    )
    .map(([name]) => name);
  expect(unlocking.toSorted()).toEqual([...Object.keys(inFiles), "records.plan"].toSorted());
});

/** Makes a zone with the record `old`, whose TTL was changed once, prepares a way to write, and locks every record. */
async function locked(make: (of: typeof zw) => Promise<Zone>, way: Way): Promise<{ zone: Zone; attempt: Attempt }> {
  // Not the first domain, so that a call without its id would be noticed.
  await manualZone(zw);
  const zone = await make(zw);
  const { id } = await zone.add("A", "old", "192.0.2.1", 600);
  await zone.update(id, { ttl: 300 });
  const attempt = await way(zone);
  for (const record of await zone.records()) {
    const { status, body } = await zone.update(record.id, { locked: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { locked: true } });
  }
  return { zone, attempt };
}

const state = async (zone: Zone) =>
  (await zone.records()).map(({ id, name, value, ttl, locked: isLocked }) => ({ id, name, value, ttl, isLocked }));

describe.each([
  ["without a back end", manualZone, ways],
  ["in files", fileZone, inFiles],
] as const)("in a zone %s", (_, make, those) => {
  test.each(Object.entries(those))(
    "%s changes no locked record without `unlock`, and with it leaves the locks that stay and is audited",
    async (_name, way) => {
      const { zone, attempt } = await locked(make, way);
      const before = await state(zone);
      const refused = await attempt({});
      expect(refused).toMatchObject({ status: 409, body: { code: "CONFIRMATION_REQUIRED" } });
      expect(refused.body.detail).toContain("old A 192.0.2.");
      expect(refused.body.detail).toContain("unlock: true");
      expect(await state(zone)).toEqual(before);
      const made = await attempt({ unlock: true });
      expect({ status: made.status < 300, body: made.body }).toMatchObject({ status: true });
      const after = await state(zone);
      expect(after).not.toEqual(before);
      const ids = new Set(before.map(({ id }) => id));
      expect(after.filter(({ id, isLocked }) => ids.has(id) && !isLocked)).toEqual([]);
      const trail = await entries(zw.admin, { targetId: zone.id });
      expect(trail.filter(({ after: what }) => what?.["unlocked"] === true)).toHaveLength(1);
    },
  );
});
