import { describe, expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "../../../../client-sdk/app-router.ts";
import { entries } from "../../../notifications/audit/trail.ts";
import { verdict } from "../../change-requests/requested.ts";
import { website } from "../../../bulk/templates/templates.ts";
import type { Answer } from "../../../support/rest-client.ts";
import {
  applyLinked,
  commonWays,
  oldRecordOf,
  planned,
  runJob,
  type Attempt,
  type Way,
} from "../../../support/records/ways-to-write.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { fileZone, manualZone, type Zone } from "../../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let count = 0;
const another = (word: string) => `${word}-${(count += 1)}`;

/** A record that gives the whole RRset another TTL. */
const beside = { recordType: "A", name: "old", value: "192.0.2.7", ttl: 77 };

/** Runs the jobs. @returns the answer, or how the job changed the zone */
async function ofJob(answer: Answer, zone: Zone): Promise<Answer> {
  const item = await runJob(zw, answer, zone);
  if (item === null) return answer;
  if (item.state !== "failed") return { ...answer, status: 200 };
  return { ...answer, status: 409, body: { code: "CONFIRMATION_REQUIRED", detail: item.error } };
}

const address = (pointsTo: string) => ({ records: [{ type: "A", host: "old", pointsTo, ttl: 300 }] });

async function templateOf(pointsTo: string): Promise<{ id: string; serviceId: string }> {
  const serviceId = another("site");
  const { body } = await zw.admin.post("/api/templates", website(serviceId, address(pointsTo)));
  return { id: body.id, serviceId };
}

/** A call of every procedure that takes `unlock`, but for those that only plan. */
const ways: Record<string, Way> = {
  ...commonWays(zw, ofJob),
  "records.create": (zone) => (more) => zone.create({ ...beside, ...more }),
  "records.update": async (zone) => {
    const id = await oldRecordOf(zone);
    return (more) => zone.update(id, { value: "192.0.2.2", ...more });
  },
  "records.bulkCreate": (zone) => (more) => zone.post("/records/bulk", { records: [beside], ...more }),
  "records.applyPlan": (zone) => async (more) => {
    const changes = [{ action: "delete", recordId: await oldRecordOf(zone) }];
    return await zone.post("/records/apply", { ...(await planned(zone, "/records", { changes })), ...more });
  },
  "snapshots.rollback": async (zone) => {
    const { id } = (await zone.post("/snapshots")).body;
    await zone.update(await oldRecordOf(zone), { ttl: 99 });
    return (more) => zone.post(`/snapshots/${id}/rollback`, { force: true, ...more });
  },
  "snapshots.restore": async (zone) => {
    const { revision } = await zone.detail();
    await zone.update(await oldRecordOf(zone), { ttl: 99 });
    return (more) => zone.post("/restore", { revision, force: true, ...more });
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
    return async (more) => await ofJob(await applyLinked(zw, id, more), zone);
  },
  "changeRequests.create": async (zone) => {
    const changes = [{ action: "update", recordId: await oldRecordOf(zone), record: { ttl: 77 } }];
    return async (more) => {
      const answer = await zone.post("/change-requests", { title: "For a test", changes, ...more });
      return answer.status === 201 ? await verdict(zw.admin, answer.body, "apply") : answer;
    };
  },
  "v1.createRecord": (zone) => (more) => zw.admin.post(`/api/v1/domains/${zone.id}/records`, { ...beside, ...more }),
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
  // The DS records of a signed zone: tests/zones/signing/signing.test.ts. What leaves the records as they are: tests/zones/records/push.test.ts.
  const elsewhere = ["dnssec.publishDs", "domains.push"];
  const plans = ["changeRequests.plan", "domains.plan", "records.plan"];
  plans.push("changeRequests.planZonefile", "records.planZonefile");
  expect(unlocking.toSorted()).toEqual([...Object.keys(inFiles), ...elsewhere, ...plans].toSorted());
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
