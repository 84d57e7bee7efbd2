import { qualifiedName, zoneNameOf } from "../../server/dns/names/names.ts";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Answer, RestClient } from "./rest-client.ts";
import type { Zonewright } from "./zonewright.ts";

/** The content of an answer; tests assert on it. */
export type Body = Answer["body"];

/** Of four digits from the first on, so that names sort in the order in which they were made, whatever files ran before in this process. */
let names = 1_000;
const manualConfigs = new WeakMap<Zonewright, Promise<string>>();

/** A domain name that no other test has. */
export function freshName(): string {
  names += 1;
  return `zone${names}.example`;
}

/** The id of a configuration without a back end. */
export function manualConfig(zw: Zonewright): Promise<string> {
  const known = manualConfigs.get(zw);
  if (known) return known;
  const made = zw.admin.post("/api/provider-configs", { kind: "manual", name: "By hand" });
  const id = made.then(({ body }) => String(body.id));
  manualConfigs.set(zw, id);
  return id;
}

/** The id of the configuration that new domains get. */
export async function embeddedConfig(zw: Zonewright): Promise<string> {
  const { body } = await zw.admin.get("/api/provider-configs");
  return body.configs.find((config: Body) => config.name === "Embedded zone files").id;
}

/** A zone under test, and how to reach it as one client. */
export class Zone {
  readonly id: string;
  readonly name: string;
  readonly client: RestClient;
  /** The zone's master file, if it has one. */
  readonly file: string;

  constructor(zw: Zonewright, domain: { id: string; name: string; view?: string }, client: RestClient = zw.admin) {
    this.id = domain.id;
    this.name = domain.name;
    this.client = client;
    this.file = fileOf(zw, qualifiedName({ name: domain.name, view: domain.view ?? "" }));
  }

  get path(): string {
    return `/api/domains/${this.id}`;
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.client.get(this.path + path, headers);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.client.post(this.path + path, body);
  }

  /** Tries to create a record. */
  create(record: unknown): Promise<Answer> {
    return this.post("/records", record);
  }

  /** Creates a record. */
  async add(recordType: string, name: string, value: string, ttl?: number): Promise<Body> {
    return made(await this.create({ recordType, name, value, ...(ttl === undefined ? {} : { ttl }) }));
  }

  update(recordId: string, patch: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.client.put(`${this.path}/records/${recordId}`, patch, headers);
  }

  delete(recordId: string, headers?: Record<string, string>): Promise<Answer> {
    return this.client.delete(`${this.path}/records/${recordId}`, headers);
  }

  /** All records, in the order of the list. */
  async records(query = ""): Promise<Body[]> {
    const { body } = await this.get(`/records?limit=500${query}`);
    return body.records;
  }

  /** The records as `name type value`, sorted. */
  async lines(): Promise<string[]> {
    return (await this.records()).map(lineOf).toSorted();
  }

  async detail(): Promise<Body> {
    return (await this.get("")).body;
  }

  async history(): Promise<Body[]> {
    return (await this.get("/history?limit=100")).body.entries;
  }

  readFile(): Promise<string> {
    return readFile(this.file, "utf8");
  }

  /** Edits the master file as a person would. */
  async edit(change: (text: string) => string): Promise<void> {
    await writeFile(this.file, change(await this.readFile()));
  }
}

export function lineOf({ name, recordType, value }: Body): string {
  return `${name} ${recordType} ${value}`;
}

export function fileOf(zw: Zonewright, name: string): string {
  return join(zw.dataDir, "zones", `${name}.zone`);
}

/** A zone that lives in Zonewright only. */
export async function manualZone(zw: Zonewright): Promise<Zone> {
  return await addZone(zw, { name: freshName(), providerConfigId: await manualConfig(zw) });
}

/** A zone in a master file, imported with `lines`. */
export async function fileZone(zw: Zonewright, lines = ""): Promise<Zone> {
  const name = freshName();
  if (lines !== "") await writeZoneFile(zw, name, lines);
  return await addZone(zw, { name });
}

export async function addZone(zw: Zonewright, domain: object): Promise<Zone> {
  return new Zone(zw, made(await zw.admin.post("/api/domains", domain)));
}

/** The object that a call created; fails the test if it was refused. */
function made({ status, body }: Answer): Body {
  if (status === 201) return body;
  throw new Error(`not made: ${status} ${JSON.stringify(body)}`);
}

/** Writes a master file where the embedded configuration finds it. */
export async function writeZoneFile(zw: Zonewright, name: string, lines: string): Promise<void> {
  await mkdir(join(zw.dataDir, "zones"), { recursive: true });
  await writeFile(
    fileOf(zw, name),
    `$ORIGIN ${zoneNameOf(name)}.\n$TTL 3600\n@ SOA ns1 hostmaster 1 3600 900 1209600 300\n${lines}`,
  );
}

/** Ids without an object. */
export const unknownId = "01a1fb0f-6204-7000-abd4-276e976be8b7";

/** Two domains of one name: the default view and `internal`. */
export async function bothViews(zw: Zonewright, providerConfigId?: string): Promise<[Zone, Zone]> {
  const name = freshName();
  const at = providerConfigId === undefined ? {} : { providerConfigId };
  return [await addZone(zw, { name, ...at }), await addZone(zw, { name: `${name}!internal`, ...at })];
}
