import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { newKey } from "../dns-service/updates/key-clients.ts";
import { ManagedZone, type ShownRecord } from "../services/failure/managed-zone.ts";
import { checkZone } from "../support/name-servers/checkzone.ts";
import { dig } from "../support/name-servers/dig.ts";
import { patience } from "../support/patience.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import { RestClient } from "../support/rest-client.ts";
import { bindZone, faultsOf, fileZone, Installation, ownZone, type Fault, type Instances } from "./installation.ts";
import { Load, type LoadedZone } from "./load.ts";

/** A zone under load, and where it is served. */
interface SoakedZone extends LoadedZone {
  /** Lines of `dig` or of the file, by place. */
  readonly served: () => Promise<Record<string, string[]>>;
  /** Only TXT records are compared: this kind serves apex records of its own. */
  readonly onlyTexts: boolean;
  /** Of the history up to `newest`: change sets that were carried out, and creates less deletes. */
  history: { newest: string | null; carriedOut: number; net: number };
}

export interface SoakResult {
  /** What was lost or wrong; empty if nothing was. */
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** For people. */
  readonly report: string;
}

/**
 * Uses two instances as people and programs do, injects one fault after another, and compares what must be there with the
 * API, the history, the name server, the zone file and the transfers after each.
 * @param minutes how long; 0: each fault once, for a few steps of every worker
 */
export async function soak(minutes: number): Promise<SoakResult> {
  const it = await Installation.start();
  return await soakOf(it, faultsOf(it), minutes);
}

/** The same with an installation and faults of one's own. Stops the installation. */
export async function soakOf(it: Instances, faults: readonly Fault[], minutes: number): Promise<SoakResult> {
  try {
    return await new Soak(it, faults, minutes).run();
  } catch (error) {
    process.stdout.write(`${(await it.describe?.()) ?? ""}\n`);
    throw error;
  } finally {
    await it.stop();
  }
}

class Soak {
  readonly #it: Instances;
  readonly #faults: readonly Fault[];
  readonly #minutes: number;
  readonly #load: Load;
  readonly #problems: string[] = [];
  /** Of each round: for how long no change was acknowledged, and how long one took. */
  readonly #silences: string[] = [];
  readonly #memory = new Map<number, [seconds: number, megabytes: number][]>();
  #zones: SoakedZone[] = [];
  #admin = "";

  constructor(it: Instances, faults: readonly Fault[], minutes: number) {
    this.#it = it;
    this.#faults = faults;
    this.#minutes = minutes;
    this.#load = new Load(it.urls, minutes === 0);
  }

  async run(): Promise<SoakResult> {
    await this.#prepare();
    const faults = this.#faults;
    const surviving = faults.filter(({ isCrash }) => isCrash !== true);
    const end = Date.now() + this.#minutes * 60_000;
    let rounds = 0;
    do {
      // Later rotations leave one instance alive, whose memory is watched.
      const rotation = rounds < faults.length ? faults : surviving;
      const fault = rotation[rounds++ % rotation.length];
      if (fault) await this.#round(fault);
      if (this.#minutes > 0)
        process.stdout.write(`${this.#status(rounds, fault?.name ?? "")}\n${this.#silences.at(-1) ?? ""}\n`);
    } while (this.#found().length === 0 && (rounds < faults.length || Date.now() < end));
    const sum = (of: "acknowledged" | "unknown") => this.#zones.reduce((all, zone) => all + zone[of], 0);
    return {
      problems: this.#found(),
      rounds,
      acknowledged: sum("acknowledged"),
      unknown: sum("unknown"),
      report: [
        this.#status(rounds, "in all"),
        ...this.#silences,
        ...this.#slopes(),
        ...((await this.#it.report?.()) ?? []),
      ].join("\n"),
    };
  }

  #found(): string[] {
    return [...this.#load.problems, ...this.#problems];
  }

  async #prepare(): Promise<void> {
    const [first] = this.#it.instances;
    if (!first) throw new Error("There is no instance.");
    const admin = await first.signIn();
    this.#admin = await newToken(admin);
    const bind = await created(admin, "/api/provider-configs", this.#it.backend.configuration);
    const own = {
      kind: "primary",
      name: "Own",
      config: { nameServers: "ns1.example.net", contact: "dns@example.net" },
    };
    const primary = await created(admin, "/api/provider-configs", own);
    const zones = await Promise.all([
      created(admin, "/api/domains", { name: bindZone, providerConfigId: bind }),
      created(admin, "/api/domains", { name: fileZone }),
      created(admin, "/api/domains", { name: ownZone, providerConfigId: primary }),
    ]);
    const [bindId, fileId, ownId] = zones;
    await created(admin, `/api/domains/${fileId}/records`, {
      recordType: "NS",
      name: "@",
      value: "ns.elsewhere.example",
    });
    const mirrored = await admin.post(`/api/domains/${ownId}/mirrors`, { providerConfigId: bind, force: true });
    if (mirrored.status !== 200) throw new Error(JSON.stringify(mirrored.body));
    const { tsig } = await newKey(admin, ownId);
    const users = await Promise.all(["ada", "grace"].map((name) => member(admin, name, zones)));
    this.#zones = this.#servedZones([bindId, fileId, ownId], tsig);
    this.#assignWork(users, tsig, mirrored.body.mirrorId);
    for (const zone of this.#zones) {
      const [one] = this.#managed(zone);
      await newHistory(zone, one, (await recordsOf(one)).length);
      // What the zone began with is no change of the load.
      zone.history.carriedOut = 0;
    }
  }

  #servedZones([bindId = "", fileId = "", ownId = ""]: string[], tsig: TsigKey): SoakedZone[] {
    const { backend, dnsPorts, zonesFolder } = this.#it;
    const zone = (id: string, name: string, onlyTexts: boolean, served: SoakedZone["served"]): SoakedZone => ({
      id,
      name,
      onlyTexts,
      served,
      ledgers: new Map(),
      acknowledged: 0,
      unknown: 0,
      history: { newest: null, carriedOut: 0, net: 0 },
    });
    const key = ["-y", `${tsig.algorithm}:${tsig.name}:${tsig.secret.toString("base64")}`];
    const axfr = async (port: number) => recordLines(await dig(port, ...key, "+tcp", `${ownZone}.`, "AXFR"));
    return [
      zone(bindId, bindZone, false, async () => ({ BIND: await backend.served(bindZone) })),
      zone(fileId, fileZone, false, async () => {
        const { records } = await checkZone(fileZone, join(zonesFolder, `${fileZone}.zone`));
        return { "the zone file": recordLines(records) };
      }),
      zone(ownId, ownZone, true, async () => ({
        ...Object.fromEntries(
          await Promise.all(dnsPorts.map(async (port, index) => [`instance ${index + 1}`, await axfr(port)] as const)),
        ),
        "the mirror": await backend.served(ownZone),
      })),
    ];
  }

  #assignWork([ada = "", grace = ""]: string[], tsig: TsigKey, mirrorId: string): void {
    const [bind, file, own] = this.#zones;
    if (!bind || !file || !own) throw new Error("There are three zones.");
    const { dnsPorts } = this.#it;
    const load = this.#load;
    load.singles(bind, "ada", ada);
    load.singles(bind, "grace", grace);
    load.singles(file, "ada", ada);
    load.bulk(file, "bulk", this.#admin);
    load.singles(own, "grace", grace);
    load.updates(own, "updated", dnsPorts, tsig);
    load.transfers(own, dnsPorts, tsig);
    // The short run does without: it is part of every verification.
    if (this.#minutes > 0) load.readElsewhere(own, "elsewhere", ada, this.#it.instanceUrls);
    load.reader(this.#zones);
    load.repeated("a sync", this.#admin, `/api/domains/${bind.id}/sync`);
    load.repeated("a reconciliation", this.#admin, `/api/domains/${own.id}/mirrors/${mirrorId}/reconcile`);
  }

  /** A fault in mid-load, the comparison after it, and the rest of its minute without a fault. */
  async #round(fault: Fault): Promise<void> {
    const began = Date.now();
    const isShort = this.#minutes === 0;
    const load = this.#load;
    const strike = async () => {
      await load.steps(isShort ? 1 : 10);
      load.fault = fault.name;
      load.silence();
      await fault.begin();
      // Not a wait for something: faults last for a while, and end at any moment.
      const [least, most] = fault.seconds ?? [5, 20];
      const lasting = isShort ? undefined : pause((least + Math.random() * (most - least)) * 1_000);
      await Promise.all([fault.seconds ? undefined : load.steps(isShort ? 1 : 2), lasting]);
      if (!fault.isCrash) await fault.end();
    };
    await load.during(strike);
    if (fault.isCrash) {
      await fault.end();
      await this.#nothingOpen();
    }
    await load.during(async () => {
      await this.#recovered();
      await load.steps(1);
    });
    const [silence, wait] = load.silence().map((milliseconds) => (milliseconds / 1_000).toFixed(1));
    this.#silences.push(
      `${fault.name}: no change acknowledged for ${silence} s at the longest; one change took up to ${wait} s`,
    );
    await this.#compare(fault.name);
    load.fault = null;
    if (isShort) return;
    for (const instance of this.#it.instances) instance.runJobs();
    // A part without a fault, in which every error is a problem.
    await load.during(() => pause(Math.max(15_000, began + 60_000 - Date.now())));
    await this.#compare(`the minute of "${fault.name}"`);
    await this.#measure();
  }

  /** A start settles what a crash left open. On a busy machine, that goes on after it. */
  async #nothingOpen(): Promise<void> {
    for (const zone of this.#zones) {
      const settled = async () => {
        const open = (await this.#managed(zone)[0].history()).filter(({ state }) => state === "pending");
        if (open.length > 0) throw new Error(`The start after a crash left ${open.length} changes open.`);
      };
      await vi
        .waitFor(settled, patience)
        .catch((error: unknown) => this.#problems.push(`${zone.name}: ${String(error)}`));
    }
  }

  /** Waits until all instances are ready, and take changes of every zone. */
  async #recovered(): Promise<void> {
    const untilTaken = async (zone: SoakedZone, url: string) => {
      await vi.waitFor(
        async () => {
          if (!(await this.#load.probe(zone, url, this.#admin)))
            throw new Error(`${zone.name} takes no changes at ${url}.`);
        },
        { ...patience, interval: 100 },
      );
    };
    for (const url of this.#it.instanceUrls) {
      await vi.waitFor(async () => {
        const { status } = await fetch(`${url}/readyz`);
        if (status !== 200) throw new Error(`${url} is not ready: ${status}.`);
      }, patience);
      await Promise.all(this.#zones.map((zone) => untilTaken(zone, url)));
    }
  }

  /** At each instance. */
  #managed({ id, name }: SoakedZone): [ManagedZone, ...ManagedZone[]] {
    const [one = "", ...others] = this.#it.instanceUrls;
    const at = (url: string) =>
      new ManagedZone(name, `/api/domains/${id}`, this.#it.backend, new RestClient(url, this.#admin));
    return [at(one), ...others.map(at)];
  }

  async #compare(after: string): Promise<void> {
    const before = this.#problems.length;
    await this.#compareZones(after).catch((error: unknown) => this.#problems.push(`after ${after}: ${String(error)}`));
    if (this.#problems.length > before) process.stdout.write(`${(await this.#it.describe?.()) ?? ""}\n`);
  }

  async #compareZones(after: string): Promise<void> {
    for (const zone of this.#zones) {
      const [one, ...others] = this.#managed(zone);
      const report = (problem: string) => this.#problems.push(`${zone.name}, after ${after}: ${problem}`);
      const records = await recordsOf(one);
      for (const problem of reconciled(zone, records)) report(problem);
      await mirrored(one);
      const lines = linesOf(zone, records);
      const places = await zone.served();
      for (const [index, other] of others.entries())
        places[`the list of instance ${index + 2}`] = linesOf(zone, await recordsOf(other));
      for (const [place, all] of Object.entries(places)) {
        const there = zone.onlyTexts ? all.filter((line) => line.includes(" TXT ")) : all;
        for (const line of lines.filter((one) => !there.includes(one))) report(`${place} lacks ${line}`);
        for (const line of there.filter((one) => !lines.includes(one)))
          report(`${place} has ${line}, which the list lacks`);
      }
      for (const problem of await newHistory(zone, one, records.length)) report(problem);
    }
  }

  /** Notes what memory each instance has. */
  async #measure(): Promise<void> {
    for (const { pid } of this.#it.instances) {
      const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
      const samples = this.#memory.get(pid) ?? [];
      samples.push([Date.now() / 1_000, Number(kilobytes) / 1_024]);
      this.#memory.set(pid, samples);
    }
  }

  /** Of every process that lived for at least ten rounds. */
  #slopes(): string[] {
    return [...this.#memory].flatMap(([pid, samples]) => {
      const [, first = 0] = samples[0] ?? [];
      const [, last = 0] = samples.at(-1) ?? [];
      if (samples.length < 10) return [];
      const slope = slopeOf(samples) * 3_600;
      return [
        `memory of process ${pid}: ${first.toFixed(0)} MB, ${samples.length} minutes later ${last.toFixed(0)} MB, slope ${slope.toFixed(1)} MB an hour`,
      ];
    });
  }

  #status(round: number, fault: string): string {
    const sums = this.#zones.map(({ name, acknowledged, unknown }) => `${name} ${acknowledged} (${unknown} unknown)`);
    return `round ${round}, ${fault}: ${this.#load.calls} calls, ${this.#load.busy} refused because their zone was busy; changes acknowledged: ${sums.join(", ")}`;
  }
}

async function created(admin: RestClient, path: string, body: object): Promise<string> {
  const answer = await admin.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body.id);
}

async function newToken(user: RestClient): Promise<string> {
  const permissions = ["domains:read", "domains:write", "records:read", "records:write"];
  const { status, body } = await user.post("/api/auth/me/tokens", { name: "Soak", permissions });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body.token);
}

/** A member who may write in these domains. @returns their personal token */
async function member(admin: RestClient, username: string, domains: readonly string[]): Promise<string> {
  const password = "a long password for a member";
  const userId = await created(admin, "/api/users", { username, password, role: "member" });
  for (const domainId of domains)
    await created(admin, "/api/assignments", { userId, domainId, subdomainPattern: "*", access: "write" });
  const client = new RestClient(admin.url);
  client.token = (await client.post("/api/auth/login", { username, password })).body.accessToken;
  return await newToken(client);
}

const linesOf = ({ name, onlyTexts }: SoakedZone, records: readonly ShownRecord[]) =>
  recordLines(asPresented(name, onlyTexts ? records.filter(({ recordType }) => recordType === "TXT") : records));

/** Reads all pages, even if the list's total is wrong. */
async function recordsOf({ client, path }: ManagedZone): Promise<ShownRecord[]> {
  const records: ShownRecord[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`${path}/records?limit=500&page=${page}`);
    records.push(...body.records);
    if (body.records.length < 500) return records;
  }
}

/** Compares each writer's ledger with the list, which then is what the writer knows. */
function reconciled(zone: SoakedZone, records: readonly ShownRecord[]): string[] {
  const texts = records.filter(({ recordType }) => recordType === "TXT");
  const twice = texts.length - new Set(texts.map(({ name }) => name)).size;
  const strange = texts.filter(({ name }) => !zone.ledgers.has(name.split("-")[0] ?? ""));
  return [
    ...(twice > 0 ? [`${twice} names have more than one record`] : []),
    ...strange.map(({ name }) => `nobody made ${name}`),
    ...[...zone.ledgers].flatMap(([prefix, ledger]) => {
      const mine = texts.filter(({ name }) => name.startsWith(`${prefix}-`));
      return ledger.reconcile(new Map(mine.map(({ id, name, value }) => [name, { id, value }])));
    }),
  ];
}

/** Waits until every mirror of a zone has its newest records. */
async function mirrored({ client, path }: ManagedZone): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await client.get(`${path}/mirrors`);
    for (const { id, state, error } of body.mirrors) {
      if (state === "in_sync") continue;
      await client.post(`${path}/mirrors/${id}/reconcile`);
      throw new Error(`A mirror is ${state}: ${error}`);
    }
  }, patience);
}

/** Reads the history since the last time, and holds it against what was acknowledged and what the list has. */
async function newHistory(zone: SoakedZone, { client, path }: ManagedZone, total: number): Promise<string[]> {
  const { history } = zone;
  const before = history.newest;
  const problems: string[] = [];
  for (let page = 1, isOver = false; !isOver; page++) {
    const { body } = await client.get(`${path}/history?limit=100&page=${page}`);
    if (page === 1) history.newest = body.entries[0]?.id ?? null;
    isOver = body.entries.length < 100;
    for (const { id, kind, state, creates, deletes } of body.entries) {
      isOver ||= id === before;
      if (id === before) break;
      if (state === "pending") problems.push(`the change ${id} is still open`);
      if (state === "partial") problems.push(`the change ${id} was carried out in part`);
      history.net += creates - deletes;
      if (state === "applied" && (kind === "edit" || kind === "bulk")) history.carriedOut++;
    }
  }
  if (history.net !== total) problems.push(`the history makes ${history.net} records, and the list has ${total}`);
  const { acknowledged, unknown } = zone;
  if (history.carriedOut < acknowledged || history.carriedOut > acknowledged + unknown)
    problems.push(
      `the history has ${history.carriedOut} changes; ${acknowledged} were acknowledged, and ${unknown} have no known outcome`,
    );
  return problems;
}

/** Least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return over / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
