import { sql } from "kysely";
import { vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import { DriftJob, type OnDrift } from "../../server/zones/drift/drift-job.ts";
import { ProviderComparison } from "../../server/zones/changes/state/compare-with-provider.ts";
import { hour, type Clock } from "../support/clock.ts";
import { patience } from "../support/patience.ts";
import { recordLines } from "../support/records/presentation.ts";
import type { Answer } from "../support/rest-client.ts";
import type { Body } from "../support/zones.ts";
import type { Zonewright } from "../support/zonewright.ts";
import type { SigningTarget } from "./signing-servers.ts";

const managedTypes = new Set(["RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "ZONEMD", "TYPE65534", "TYPE65535"]);
const apexTypes = new Set(["DNSKEY", "CDS", "CDNSKEY"]);

/** A zone that its server signs, as a client of the service reaches it. */
export class SignedZone {
  readonly name: string;
  readonly path: string;
  readonly target: SigningTarget;
  readonly #zw: Zonewright;
  readonly #clock: Clock;

  private constructor(
    zw: Zonewright,
    clock: Clock,
    target: SigningTarget,
    { name, path }: { name: string; path: string },
  ) {
    this.name = name;
    this.path = path;
    this.target = target;
    this.#zw = zw;
    this.#clock = clock;
  }

  /** Imports a zone of the server. */
  static async bringIn(zw: Zonewright, clock: Clock, target: SigningTarget, name: string): Promise<SignedZone> {
    const { kind, config } = target;
    const made = await zw.admin.post("/api/provider-configs", { kind, name: `Server of ${name}`, config });
    const { body } = await zw.admin.post(`/api/provider-configs/${made.body.id}/import`, { zones: [name] });
    const [{ domainId, error }] = body.results;
    if (domainId === null) throw new Error(`${name} was not brought in: ${error}`);
    return new SignedZone(zw, clock, target, { name, path: `/api/domains/${domainId}` });
  }

  get(path = ""): Promise<Answer> {
    return this.#zw.admin.get(this.path + path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.#zw.admin.post(this.path + path, body);
  }

  change(recordId: string, patch: unknown): Promise<Answer> {
    return this.#zw.admin.put(`${this.path}/records/${recordId}`, patch);
  }

  delete(recordId: string): Promise<Answer> {
    return this.#zw.admin.delete(`${this.path}/records/${recordId}`);
  }

  /** Records that people manage, unless the query says otherwise. */
  async records(query = "&serverManaged=false"): Promise<Body[]> {
    return (await this.get(`/records?limit=500${query}`)).body.records;
  }

  /** Those that the server maintains, as they are listed. */
  async maintained(): Promise<Body[]> {
    return (await this.records("")).filter(({ serverManaged }: Body) => serverManaged);
  }

  /** What the server serves, without what it maintains. */
  async served(): Promise<string[]> {
    const all = await this.target.transfer(this.name);
    return recordLines(
      all.filter(({ name, type }) => !managedTypes.has(type) && !(apexTypes.has(type) && name === `${this.name}.`)),
    );
  }

  resign(): Promise<void> {
    return this.target.resign(this.name);
  }

  /** Adds records, bypassing Zonewright, and waits until they are served: some servers sign them first. @param host relative; the rest as in a master file. */
  async addElsewhere(...records: readonly (readonly [host: string, rest: string])[]): Promise<void> {
    await this.target.add(
      this.name,
      records.map(([host, rest]) => `${host}.${this.name}. ${rest}`),
    );
    const wanted = records.map(([host, rest]) => {
      const [, type = ""] = rest.split(" ");
      return `${host}.${this.name}. ${type}`;
    });
    await vi.waitFor(async () => {
      const served = new Set((await this.target.transfer(this.name)).map(({ name, type }) => `${name} ${type}`));
      const missing = wanted.filter((each) => !served.has(each));
      if (missing.length > 0) throw new Error(`Not served yet: ${missing.join(", ")}`);
    }, patience);
  }

  /** Plans changes and applies the plan. */
  async apply(changes: readonly unknown[]): Promise<{ warnings: string[]; applied: Answer }> {
    const { body: plan } = await this.post("/records/plan", { changes });
    const applied = await this.post("/records/apply", { changes, planHash: plan.planHash });
    return { warnings: plan.warnings, applied };
  }

  async planWarnings(): Promise<string[]> {
    const changes = [{ action: "create", record: { recordType: "A", name: "planned", value: "192.0.2.1" } }];
    return (await this.post("/records/plan", { changes })).body.warnings;
  }

  /** What the next check finds and reports. */
  async check(): Promise<{ drift: unknown; reported: number }> {
    const reported: Parameters<OnDrift>[0][] = [];
    this.#clock.advance(hour);
    const job = new DriftJob({
      database: this.#zw.services.database,
      connections: this.#zw.services.providerConfigs.connections,
      comparison: new ProviderComparison(this.#clock.now, this.#clock.pause),
      log: this.#zw.services.log,
      now: this.#clock.now,
      every: "hourly",
      onDrift: (found) => {
        reported.push(found);
      },
    });
    await job.runOnce();
    return { drift: (await this.get()).body.drift, reported: reported.length };
  }

  /** Makes the zone what version 0.1 stored of it: what the server maintains lies among the records. @returns how many records that are. */
  async storeAsBefore(): Promise<number> {
    const id = this.path.split("/").at(-1);
    await this.#zw.services.database.fork().transactional(async (tx) => {
      await sql`
        insert into records (record_id, version, domain_id, since, record_type, name, value, ttl, proxied, status, created_at, updated_at)
        select gen_random_uuid(), 1, domain_id, (select revision + 1 from domains where id = ${id}), record_type, name, value, ttl, false,
          'active', now(), now()
        from server_managed_records where domain_id = ${id}
      `.execute(queries(tx));
      await sql`
        update domains set record_count = record_count + server_managed_count, revision = revision + 1, provider_signed = false,
          server_managed_count = 0, provider_fingerprint = null
        where id = ${id}
      `.execute(queries(tx));
      await sql`delete from server_managed_records where domain_id = ${id}`.execute(queries(tx));
    });
    return (await this.get()).body.recordCount;
  }

  /** Makes an edit chosen by three numbers. @returns its answer and the expected one. */
  async edit(
    index: number,
    [kind, host, value]: readonly [number, number, number],
  ): Promise<{ answer: unknown; wanted: unknown }> {
    const own = (await this.records()).filter(({ name }: Body) => name.startsWith("host"));
    const some = own[value % Math.max(1, own.length)];
    if (some && kind < 30)
      return { answer: await this.delete(some.id), wanted: { status: 200, body: { success: true } } };
    if (some && kind < 55) {
      const patch = kind < 40 ? { ttl: 300 + value } : { name: `host${host}-${index}` };
      return { answer: await this.change(some.id, patch), wanted: { status: 200, body: patch } };
    }
    const record = { ...valueOf(kind, value), name: `host${host}-${index}`, ttl: 300 };
    return { answer: await this.post("/records", record), wanted: { status: 201, body: record } };
  }
}

function valueOf(kind: number, number: number): { recordType: string; value: string } {
  switch (kind % 5) {
    case 0:
      return { recordType: "AAAA", value: `2001:db8::${number.toString(16)}` };
    case 1:
      return { recordType: "TXT", value: `text ${number}` };
    case 2:
      return { recordType: "MX", value: `${number} mail.example.net` };
    case 3:
      return { recordType: "CNAME", value: `alias${number}.example.net` };
    default:
      return { recordType: "A", value: `192.0.2.${number}` };
  }
}
