import { expect, vi } from "vitest";
import { patience } from "../../support/patience.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import type { Body } from "../../support/zones.ts";

const base = "/api/records/replace";

export const planOf = (client: RestClient, request: object): Promise<Answer> => client.post(`${base}/plan`, request);

/** Plans a replacement. */
export async function planned(client: RestClient, request: object): Promise<Body> {
  const { status, body } = await planOf(client, request);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** Plans and starts a replacement. @returns the job's id */
export async function started(client: RestClient, request: object): Promise<string> {
  const { planHash } = await planned(client, request);
  const { status, body } = await client.post(`${base}/apply`, { ...request, planHash, force: true });
  expect({ status, body }).toMatchObject({ status: 202, body: { jobId: expect.any(String) } });
  return body.jobId;
}

export const jobOf = async (client: RestClient, jobId: string): Promise<Body> =>
  (await client.get(`${base}/${jobId}?limit=100`)).body;

/** Waits for the end of a job. */
export async function ended(client: RestClient, jobId: string): Promise<Body> {
  return await vi.waitFor(async () => {
    const job = await jobOf(client, jobId);
    if (job.finishedAt === null) throw new Error(`The job goes on: ${JSON.stringify(job.progress)}`);
    return job;
  }, patience);
}

export const revertOf = (client: RestClient, jobId: string, body: object = {}): Promise<Answer> =>
  client.post(`${base}/${jobId}/revert`, body);
