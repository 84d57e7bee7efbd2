import { Client } from "pg";
import type { Environment } from "./support/environment.ts";
import { timed } from "./support/measure.ts";
import { underLimit, type Figure } from "./support/report.ts";
import type { RestClient } from "../tests/support/rest-client.ts";

const zones = 1_000;
const recordsPerZone = 20;
const base = "/api/records/replace";
const request = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.2" };

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;
const limit = (value: number) => ({ value: value / 1_000, most: 20, unit: "s" });

/** Replaces an address in many zones without a back end, and takes it back: from the call until the job's last zone. */
export async function measureReplacement({ databaseUrl, manualConfig, client }: Environment): Promise<Figure[]> {
  await addZones(databaseUrl, manualConfig);
  let plan: { domains: unknown[]; planHash: string } = { domains: [], planHash: "" };
  const planning = await timed(async () => {
    plan = (await succeeded(client.post(`${base}/plan`, request))) as typeof plan;
  });
  if (plan.domains.length !== zones) throw new Error(`The plan has ${plan.domains.length} zones.`);
  let jobId = "";
  const applying = await timed(async () => {
    ({ jobId } = await succeeded(client.post(`${base}/apply`, { ...request, planHash: plan.planHash })));
    await ended(client, jobId);
  });
  const reverting = await timed(async () => {
    const { jobId: reverted } = await succeeded(client.post(`${base}/${jobId}/revert`));
    await ended(client, reverted);
  });
  const what = `an address in ${zones} zones of ${recordsPerZone} records, kind manual`;
  return [
    underLimit(
      `plan and apply the replacement of ${what}`,
      `plan ${seconds(planning)}, job ${seconds(applying)}`,
      limit(planning + applying),
    ),
    underLimit(`revert the replacement of ${what}`, `job ${seconds(reverting)}`, limit(reverting)),
  ];
}

async function succeeded(call: ReturnType<RestClient["post"]>) {
  const { status, body } = await call;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body;
}

/** Waits until a job has changed every zone. @throws Error if any failed */
async function ended(client: RestClient, jobId: string): Promise<void> {
  for (;;) {
    const { body } = await client.get(`${base}/${jobId}`);
    if (body.finishedAt !== null) {
      if (body.progress.done !== zones) throw new Error(JSON.stringify(body.progress));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function addZones(databaseUrl: string, config: string): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(
    `insert into domains (id, name, provider_zone, provider_config_id, expiry_remind_days, auto_check_expiry, record_count, revision)
     select gen_random_uuid(), 'moved' || z || '.example', 'moved' || z || '.example', $1, '{}', false, $3, 1 from generate_series(0, $2::int - 1) z`,
    [config, zones, recordsPerZone],
  );
  await database.query(
    `insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
     select gen_random_uuid(), 1, d.id, 1, 'A', case i when 0 then '@' when 1 then 'www' else 'h' || i end,
       case when i < 2 then '192.0.2.1' else '10.0.0.' || i end, 300, false, 'active', now(), now()
     from domains d cross join generate_series(0, $1::int - 1) i where d.name like 'moved%'`,
    [recordsPerZone],
  );
  await database.query("vacuum analyze");
  await database.end();
}
