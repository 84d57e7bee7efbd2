import { setTimeout as pause } from "node:timers/promises";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { Ledger, type Kept } from "../services/ledger.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { update, UpdateClient } from "../support/name-servers/update-client.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { adminPassword } from "../support/zonewright.ts";

/** A zone under load, and everything that its writers know of it. */
export interface LoadedZone {
  readonly id: string;
  readonly name: string;
  /** By the prefix of the names that each writes. */
  readonly ledgers: Map<string, Ledger>;
  /** Changes that were acknowledged, and changes without a known outcome. */
  acknowledged: number;
  unknown: number;
}

/** `nothing`: refused, and nothing was changed. `unknown`: no answer, or one that leaves it open. */
type Outcome = "done" | "nothing" | "unknown";
/** With the ids of the records, by name. */
type Sent = readonly [Outcome, ReadonlyMap<string, string>];
type Wanted = ReadonlyMap<string, string | null>;

interface Worker {
  readonly name: string;
  readonly step: () => Promise<void>;
  steps: number;
}

/** How many steps a worker of a short run may be ahead of the slowest: fast ones would only cost time. */
const mostAhead = 3;
/** How many names a writer keeps before it deletes the oldest. */
const kept = 12;
/** More are not listed: the first say what is wrong. */
const mostProblems = 40;

class Unanswered extends Error {}

/** Whether a change is made where clients of the API call, or past any proxy. */
type Way = "client" | "direct";

/** Workers that use several instances as people and programs do, and judge every answer. */
export class Load {
  /** What must not happen: answers that no fault excuses. */
  readonly problems: string[] = [];
  /** The fault whose window is open: 502, 503, 504 and broken connections are excused. Null: nothing is. */
  fault: string | null = null;
  calls = 0;
  /** Calls that were refused because others of their zone took too long, which needs no fault to be excused. */
  busy = 0;
  #acknowledgedAt = Date.now();
  #silence = 0;
  #longest = 0;
  readonly #urls: readonly string[];
  readonly #isShort: boolean;
  readonly #workers: Worker[] = [];

  /** @param isShort whether the workers stay close to each other, instead of each keeping a pace of its own */
  constructor(urls: readonly string[], isShort: boolean) {
    this.#urls = urls;
    this.#isShort = isShort;
  }

  /** Lets all workers work until `meanwhile` has ended, and their last steps too. */
  async during(meanwhile: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    const working = this.#workers.map(async (worker) => {
      while (!signal.aborted) {
        await worker.step().catch((error: unknown) => this.#report(`${worker.name} failed: ${String(error)}`));
        worker.steps++;
        // A long run must not fill the disk with its history.
        if (!this.#isShort) await pause(100);
        while (this.#isShort && !signal.aborted && worker.steps > this.#slowest() + mostAhead) await pause(5);
      }
    });
    try {
      await meanwhile();
    } finally {
      over.abort();
      await Promise.all(working);
    }
  }

  /** Waits until every worker has made so many more steps. */
  async steps(count: number): Promise<void> {
    const wanted = this.#workers.map(({ steps }) => steps + count);
    while (this.#workers.some(({ steps }, index) => steps < (wanted[index] ?? 0))) await pause(10);
  }

  /**
   * Returns for how many milliseconds no change was acknowledged to a client of the API, and how many the slowest change took until
   * its answer, each at the longest since the last call.
   */
  silence(): [silence: number, wait: number] {
    const longest = Math.max(this.#silence, Date.now() - this.#acknowledgedAt);
    const wait = this.#longest;
    this.#silence = 0;
    this.#longest = 0;
    this.#acknowledgedAt = Date.now();
    return [longest, wait];
  }

  #slowest(): number {
    return Math.min(...this.#workers.map(({ steps }) => steps));
  }

  /** A user's writer of single records, at each address in turn. */
  singles(zone: LoadedZone, prefix: string, token: string): void {
    const clients = this.#clients(token);
    this.#writer(zone, prefix, async (turn, wanted, ledger) => {
      return await this.#record(zone, clients[turn % clients.length] ?? new RestClient(""), wanted, ledger);
    });
  }

  /** A writer of single records, at each instance in turn, and a reader that looks for each acknowledged change at the next one at once. */
  readElsewhere(zone: LoadedZone, prefix: string, token: string, instanceUrls: readonly string[]): void {
    const clients = instanceUrls.map((url) => new RestClient(url, token));
    const at = (turn: number) => clients[turn % clients.length] ?? new RestClient("");
    this.#writer(
      zone,
      prefix,
      async (turn, wanted, ledger) => {
        // Creates and changes take turns, and both go to every instance.
        const round = Math.floor(turn / 2);
        const sent = await this.#record(zone, at(round), wanted, ledger);
        const [[name = "", value = null] = []] = wanted;
        if (sent[0] !== "done") return sent;
        const path = `/api/domains/${zone.id}/records?search=${name}&limit=10`;
        const answer = await this.#call(`a search for ${name}`, () => at(round + 1).get(path));
        if (answer?.status !== 200) return sent;
        const found = answer.body.records.find((record: { name: string }) => record.name === name);
        const read: string | null = found?.value ?? null;
        if (read !== value)
          this.#report(`${name} is ${read} at the next instance, once it was acknowledged as ${value}`);
        return sent;
      },
      "direct",
    );
  }

  /** Creates a record at one instance, and deletes it: this settles what a fault left open. @returns whether both are done */
  async probe(zone: LoadedZone, url: string, token: string): Promise<boolean> {
    const client = new RestClient(url, token);
    const ledger = ledgerOf(zone, "probe");
    const name = `probe-${Date.now()}-${this.calls}`;
    const settle = (value: string | null) => {
      const wanted = new Map([[name, value]]);
      return this.#write(zone, ledger, wanted, () => this.#record(zone, client, wanted, ledger), "direct");
    };
    return (await settle("probe")) === "done" && (await settle(null)) === "done";
  }

  /** A program that updates a zone by DNS, at each instance in turn. */
  updates(zone: LoadedZone, prefix: string, ports: readonly number[], key: TsigKey): void {
    const clients = ports.map((port) => new UpdateClient(port, zone.name, key));
    this.#writer(
      zone,
      prefix,
      async (turn, wanted) => {
        const [[name = "", value = null] = []] = wanted;
        const old = update.deleteRrset(name, "TXT");
        const message = value === null ? [old] : [old, update.add(name, "TXT", value)];
        const outcome = await this.#dns(`${prefix} in ${zone.name}`, async () => {
          return (await clients[turn % clients.length]?.update(message, [], "tcp")) ?? 2;
        });
        return [outcome, new Map([[name, ""]])];
      },
      "direct",
    );
  }

  /** Creates ten records in one request, then deletes them at once, one by one. */
  bulk(zone: LoadedZone, prefix: string, token: string): void {
    const ledger = ledgerOf(zone, prefix);
    const clients = this.#clients(token);
    const path = `/api/domains/${zone.id}/records`;
    const first = Date.now();
    let turn = 0;
    this.#add(`${prefix} in ${zone.name}`, async () => {
      turn++;
      const client = clients[turn % clients.length] ?? new RestClient("");
      const names = Array.from({ length: 10 }, (_, index) => `${prefix}-${first + turn}-${index}`);
      const ids = new Map<string, string>();
      await this.#write(zone, ledger, new Map(names.map((name) => [name, `bulk-${turn}`])), async () => {
        const records = names.map((name) => ({ recordType: "TXT", name, value: `bulk-${turn}`, ttl: 300 }));
        const outcome = await this.#change(`${prefix} in ${zone.name}`, async () => {
          const answer = await client.post(`${path}/bulk`, { records });
          for (const { name, id, error } of answer.status === 200 ? answer.body.results : []) {
            if (id === null) this.#report(`bulk refused ${name}: ${error}`);
            else ids.set(name, id);
          }
          return answer;
        });
        return [outcome, ids];
      });
      const deletes = ledger
        .names()
        .map((name) =>
          this.#write(zone, ledger, new Map([[name, null]]), () =>
            this.#record(zone, client, new Map([[name, null]]), ledger),
          ),
        );
      await Promise.all(deletes);
    });
  }

  /** A person at the console: signs in, lists, searches and reads the history. */
  reader(zones: readonly LoadedZone[]): void {
    const clients = this.#clients(null);
    let turn = 0;
    const lists = zones.flatMap(({ id }) => [
      "/api/domains?limit=20&search=soak",
      `/api/domains/${id}/records?limit=50&page=1`,
      `/api/domains/${id}/records?limit=20&search=first`,
      `/api/domains/${id}/history?limit=20`,
      "/api/records?search=soak&limit=20",
      "/api/auth/me",
    ]);
    this.#add("the console", async () => {
      const client = clients[turn % clients.length] ?? new RestClient("");
      if (client.token === null || turn % 40 < clients.length) {
        const credentials = { username: "admin", password: adminPassword };
        const answer = await this.#call("a sign-in", () => client.post("/api/auth/login", credentials));
        if (answer?.status === 200) client.token = answer.body.accessToken;
      }
      const path = lists[turn++ % lists.length] ?? "";
      if (client.token !== null) await this.#call(path, () => client.get(path));
    });
  }

  /** A secondary that transfers a zone, whole and by what changed, from each instance in turn. */
  transfers(zone: LoadedZone, ports: readonly number[], key: TsigKey): void {
    let turn = 0;
    let serial: number | null = null;
    this.#add(`transfers of ${zone.name}`, async () => {
      const since = turn % 4 === 0 ? null : serial;
      const port = ports[turn++ % ports.length] ?? 0;
      await this.#dns(`a transfer of ${zone.name}`, async () => {
        const { rcode, lines } = await transfer(port, zone.name, { since, key });
        if (rcode === 0) serial = Number(/ SOA \S+ \S+ (\d+)/.exec(lines[0] ?? "")?.[1]);
        return rcode;
      });
    });
  }

  /** Calls something again and again, such as a sync. */
  repeated(what: string, token: string, path: string): void {
    const clients = this.#clients(token);
    let turn = 0;
    this.#add(what, async () => {
      const client = clients[turn++ % clients.length] ?? new RestClient("");
      await this.#call(what, () => client.post(path));
    });
  }

  /** Sets one name by REST: creates, changes or deletes its record. */
  async #record(zone: LoadedZone, client: RestClient, wanted: Wanted, ledger: Ledger): Promise<Sent> {
    const [[name = "", value = null] = []] = wanted;
    const path = `/api/domains/${zone.id}/records`;
    const id = ledger.get(name)?.id;
    let made = id ?? "";
    const outcome = await this.#change(`${name} in ${zone.name}`, async () => {
      if (value === null) return await client.delete(`${path}/${id}`);
      if (id !== undefined) return await client.put(`${path}/${id}`, { value });
      const answer = await client.post(path, { recordType: "TXT", name, value, ttl: 300 });
      made = String(answer.body?.id);
      return answer;
    });
    return [outcome, new Map([[name, made]])];
  }

  #add(name: string, step: () => Promise<void>): void {
    this.#workers.push({ name, step, steps: 0 });
  }

  #clients(token: string | null): RestClient[] {
    return this.#urls.map((url) => new RestClient(url, token));
  }

  /** Creates and changes names in turn, and deletes the oldest once there are enough. */
  #writer(
    zone: LoadedZone,
    prefix: string,
    send: (turn: number, wanted: Wanted, ledger: Ledger) => Promise<Sent>,
    way: Way = "client",
  ): void {
    const ledger = ledgerOf(zone, prefix);
    const first = Date.now();
    let turn = 0;
    this.#add(`${prefix} in ${zone.name}`, async () => {
      turn++;
      const names = ledger.names();
      const [oldest = ""] = names;
      const wanted: [string, string | null] =
        names.length >= kept
          ? [oldest, null]
          : turn % 2 === 0 && names.length > 0
            ? [names[turn % names.length] ?? oldest, `changed-${turn}`]
            : [`${prefix}-${first + turn}`, `first-${turn}`];
      const all = new Map([wanted]);
      await this.#write(zone, ledger, all, () => send(turn, all, ledger), way);
    });
  }

  /** Makes a call, and reports an answer that nothing excuses. @returns null if there was none */
  async #call(what: string, send: () => Promise<Answer>): Promise<Answer | null> {
    const before = this.fault;
    this.calls++;
    try {
      const answer = await send();
      const during = before ?? this.fault;
      if (isBusy(answer)) this.busy++;
      const isExcused = isBusy(answer) || (during !== null && answer.status >= 502 && answer.status <= 504);
      if (answer.status >= 400 && !isExcused)
        this.#report(`${what} got ${answer.status} ${window(during)}: ${JSON.stringify(answer.body)}`);
      return answer;
    } catch (error) {
      const during = before ?? this.fault;
      if (during === null) this.#report(`${what} got no answer ${window(during)}: ${String(error)}`);
      return null;
    }
  }

  async #change(what: string, send: () => Promise<Answer>): Promise<Outcome> {
    const answer = await this.#call(what, send);
    if (answer === null) return "unknown";
    if (answer.status < 400) return "done";
    // A proxy's own 502 leaves the outcome open.
    const { detail } = answer.body;
    if (answer.status === 502)
      return typeof detail !== "string" || /not known yet/.test(detail) ? "unknown" : "nothing";
    return answer.status < 500 || isBusy(answer) ? "nothing" : "unknown";
  }

  /** The same for a DNS message, which SERVFAIL leaves open. */
  async #dns(what: string, send: () => Promise<number>): Promise<Outcome> {
    const before = this.fault;
    this.calls++;
    const rcode = await send().catch((error: unknown) => String(error));
    const during = before ?? this.fault;
    if (rcode === 0) return "done";
    const isOpen = rcode === 2 || typeof rcode === "string";
    // SERVFAIL also says that the zone is busy.
    if (!isOpen || (during === null && rcode !== 2)) this.#report(`${what} got ${rcode} ${window(during)}`);
    return isOpen ? "unknown" : "nothing";
  }

  /** Sends a change and notes its outcome. Names whose outcome is unknown are left alone until the next comparison. */
  async #write(
    zone: LoadedZone,
    ledger: Ledger,
    wanted: Wanted,
    send: () => Promise<Sent>,
    way: Way = "client",
  ): Promise<Outcome> {
    let outcome = "unknown" as Outcome;
    const began = Date.now();
    try {
      await ledger.request(wanted, async () => {
        const [ended, ids] = await send();
        outcome = ended;
        if (ended === "unknown") throw new Unanswered();
        return [...wanted].map(([name, value]): [string, Kept | null] => {
          if (ended === "nothing") return [name, ledger.get(name) ?? null];
          return [name, value === null ? null : { id: ids.get(name) ?? "", value }];
        });
      });
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      zone.unknown++;
    }
    if (way === "client") this.#longest = Math.max(this.#longest, Date.now() - began);
    if (outcome === "done") zone.acknowledged++;
    if (outcome === "done" && way === "client") {
      this.#silence = Math.max(this.#silence, Date.now() - this.#acknowledgedAt);
      this.#acknowledgedAt = Date.now();
    }
    return outcome;
  }

  #report(problem: string): void {
    if (this.problems.length < mostProblems) this.problems.push(problem);
  }
}

/** Whether a change waited too long for others of its zone, which depends on the machine. Nothing was changed. */
function isBusy({ status, body }: Answer): boolean {
  return status === 503 && String(body.detail).startsWith("Another change to this zone is in progress");
}

function window(fault: string | null): string {
  return fault === null ? "without a fault" : `during "${fault}"`;
}

function ledgerOf(zone: LoadedZone, prefix: string): Ledger {
  const ledger = zone.ledgers.get(prefix) ?? new Ledger();
  zone.ledgers.set(prefix, ledger);
  return ledger;
}
