import { jobOf, revertOf, started } from "../../bulk/replacements/replaced.ts";
import type { Answer } from "../rest-client.ts";
import type { Zonewright } from "../zonewright.ts";
import type { Body, Zone } from "../zones.ts";

/** Makes a call that writes records. @param more fields to add to its body */
export type Attempt = (more: object) => Promise<Answer>;

/** Prepares a way to write in a zone, before the zone gets the rule under test. It has the record `old` A 192.0.2.1. */
export type Way = (zone: Zone) => Attempt | Promise<Attempt>;

/** Returns the id of the record `old`. */
export async function oldRecordOf(zone: Zone): Promise<string> {
  return (await zone.records()).find(({ name }: Body) => name === "old")?.id;
}

/** Returns what applies a plan of a body. */
export async function planned(zone: Zone, path: string, body: object): Promise<object> {
  return { ...body, planHash: (await zone.post(`${path}/plan`, body)).body.planHash, force: true };
}

/** Runs the jobs. @returns what the job that the answer names says of the zone; null if the call started none */
export async function runJob(zw: Zonewright, answer: Answer, zone: Zone): Promise<Body> {
  if (answer.status !== 202) return null;
  await zw.services.batches.run();
  const job = await jobOf(zw.admin, answer.body.jobId);
  return job.domains.find(({ domainId }: Body) => domainId === zone.id);
}

const inQuery = (more: object) =>
  new URLSearchParams(Object.entries(more).map(([key, value]) => [key, String(value)])).toString();

const replacing = (zone: Zone) => ({
  recordType: "A",
  value: "192.0.2.1",
  newValue: "192.0.2.2",
  domainIds: [zone.id],
});

/**
 * The procedures whose calls do not depend on the rule under test.
 * @param ofJob returns the answer of a call, and what its job says as if it were the answer
 */
export function commonWays(
  zw: Zonewright,
  ofJob: (answer: Answer, zone: Zone) => Promise<Answer>,
): Readonly<Record<string, Way>> {
  return {
    "records.delete": async (zone) => {
      const id = await oldRecordOf(zone);
      return (more) => zw.admin.delete(`${zone.path}/records/${id}?${inQuery(more)}`);
    },
    "records.importZonefile": (zone) => (more) =>
      zone.post("/zonefile", { zonefile: "new 300 A 192.0.2.7\n", mode: "replace", force: true, ...more }),
    "records.revert": async (zone) => {
      const [latest] = await zone.history();
      return (more) => zone.post(`/history/${latest?.id}/revert`, { force: true, ...more });
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
    "v1.updateRecord": async (zone) => {
      const id = await oldRecordOf(zone);
      return (more) => zw.admin.put(`/api/v1/domains/${zone.id}/records/${id}`, { ttl: 77, ...more });
    },
    "v1.deleteRecord": async (zone) => {
      const id = await oldRecordOf(zone);
      return (more) => zw.admin.delete(`/api/v1/domains/${zone.id}/records/${id}?${inQuery(more)}`);
    },
  };
}

/** Makes a call that applies a template's change to the domains linked to it. */
export async function applyLinked(zw: Zonewright, templateId: string, more: object): Promise<Answer> {
  const { planHash } = (await zw.admin.post(`/api/templates/${templateId}/linked/plan`)).body;
  return await zw.admin.post(`/api/templates/${templateId}/linked/apply`, { planHash, force: true, ...more });
}
