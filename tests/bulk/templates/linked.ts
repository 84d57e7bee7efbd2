import { expect } from "vitest";
import { jobOf } from "../replacements/replaced.ts";
import type { Answer } from "../../support/rest-client.ts";
import type { Zonewright } from "../../support/zonewright.ts";
import type { Body, Zone } from "../../support/zones.ts";
import { website } from "./templates.ts";

export const target = { type: "CNAME", host: "www", pointsTo: "%target%", ttl: 600 };
export const proof = { type: "TXT", host: "@", data: "proof=%target%", essential: "OnApply" };

/** Returns the body of an answer with the expected status. */
function bodyOf(answer: Answer, status: number): Body {
  expect(answer).toMatchObject({ status });
  return answer.body;
}

/** A template of its own for each test, and what is linked to it. */
export class LinkedTemplate {
  readonly #zw: Zonewright;
  readonly id: string;
  readonly serviceId: string;

  private constructor(zw: Zonewright, id: string, serviceId: string) {
    this.#zw = zw;
    this.id = id;
    this.serviceId = serviceId;
  }

  static async of(zw: Zonewright, serviceId: string): Promise<LinkedTemplate> {
    const { body } = await zw.admin.post("/api/templates", website(serviceId, { records: [target, proof] }));
    return new LinkedTemplate(zw, body.id, serviceId);
  }

  /** Applies it to a zone. */
  async link(zone: Zone, more: object = {}, linked = true): Promise<Body> {
    const body = { variables: { target: "t.example.net" }, ...more };
    const { planHash } = (await zone.post(`/templates/${this.id}/plan`, body)).body;
    const answer = await zone.post(`/templates/${this.id}/apply`, { ...body, planHash, linked, force: true });
    return bodyOf(answer, 200).applied;
  }

  async change(records: object[], more: object = {}): Promise<void> {
    bodyOf(await this.#zw.admin.put(`/api/templates/${this.id}`, website(this.serviceId, { records, ...more })), 200);
  }

  async plan(): Promise<Body> {
    return bodyOf(await this.#zw.admin.post(`/api/templates/${this.id}/linked/plan`), 200);
  }

  apply(body: object): Promise<Answer> {
    return this.#zw.admin.post(`/api/templates/${this.id}/linked/apply`, body);
  }

  /** Plans and starts the change of all linked zones. @returns the job's id */
  async start(): Promise<string> {
    const { planHash } = await this.plan();
    return bodyOf(await this.apply({ planHash, force: true }), 202).jobId;
  }

  /** Brings all linked zones up to date. The service's own jobs must be off. */
  async follow(): Promise<Body> {
    return await this.ended(await this.start());
  }

  async ended(jobId: string): Promise<Body> {
    await this.#zw.services.batches.run();
    return await jobOf(this.#zw.admin, jobId);
  }

  /** What a zone remembers of it. */
  async remembered(zone: Zone): Promise<Body> {
    const { templates } = (await zone.get("/templates")).body;
    return templates.find(({ templateId }: Body) => templateId === this.id);
  }
}
