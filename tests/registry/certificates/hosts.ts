import { createServer as createPlain, type AddressInfo, type Server, type Socket } from "node:net";
import {
  createSecureContext,
  createServer as createSecure,
  getCACertificates,
  setDefaultCACertificates,
} from "node:tls";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createEgress, type Egress } from "../../../server/platform/net/egress.ts";
import type { Clock } from "../../support/clock.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { newAuthority, type Authority } from "../../support/servers/certificates.ts";
import { adminPassword, startZonewright, type Options, type Zonewright } from "../../support/zonewright.ts";
import { manualZone, Zone } from "../../support/zones.ts";
import { lastingAdmin } from "../expiry/notice-log.ts";

type Certified = Awaited<ReturnType<Authority["sign"]>>;

/** Returns a certificate whose end is written as in its text: 15 characters, such as `20300101000000Z`. Its signature is void. */
export async function withEnd(authority: Authority, names: readonly string[], end: string): Promise<Certified> {
  // From 2050 on, dates have four digits for the year.
  const { certificate, key } = await authority.sign("end", { names, days: 20_000 });
  const [head = "", body = "", foot = ""] = certificate.split(/(?<=BEGIN CERTIFICATE-----\n)|(?=-----END)/);
  const text = Buffer.from(body, "base64").toString("latin1");
  const octets = Buffer.from(text.replace(/20\d{12}Z/, end), "latin1");
  return { certificate: `${head}${octets.toString("base64").replaceAll(/.{1,64}/g, "$&\n")}${foot}`, key };
}

/** Hosts on loopback that are reached under names and ports of the world, through the service's own guard. */
export class Hosts {
  readonly egress: Egress;
  readonly authority: Authority;
  readonly #ports: Map<string, number>;
  readonly #servers = new Set<() => Promise<unknown>>();
  /** The host and port of each connection, in order. */
  readonly asked: string[] = [];
  /** How many connections were open at once, at most, since a test set it to 0. */
  mostOpen = 0;
  #open = 0;

  private constructor(now: () => Date, authority: Authority) {
    this.authority = authority;
    this.#ports = new Map();
    const guarded = createEgress({
      allow: ["127.0.0.0/8"],
      now,
      lookup: async (host) => [host.startsWith("inside.") ? "10.0.0.1" : "127.0.0.1"],
    });
    this.egress = {
      ...guarded,
      guardedConnect: async (connection) => {
        const place = `${connection.host}:${connection.port}`;
        this.asked.push(place);
        // Nothing listens on port 1.
        const socket = await guarded.guardedConnect({ ...connection, port: this.#ports.get(place) ?? 1 });
        this.mostOpen = Math.max(this.mostOpen, ++this.#open);
        return socket.once("close", () => this.#open--);
      },
    };
  }

  /** Starts a world whose authority this process knows. */
  static async start(now: () => Date): Promise<Hosts> {
    const hosts = new Hosts(now, await newAuthority("Known Authority"));
    const known = getCACertificates("default");
    setDefaultCACertificates([...known, hosts.authority.certificate]);
    hosts.#servers.add(async () => setDefaultCACertificates(known));
    return hosts;
  }

  /** Serves a certificate at each of these places, such as `www.example.com:443`. */
  async serve({ certificate, key }: Certified, ...places: string[]): Promise<void> {
    const server = createSecure({ cert: certificate, key }, (socket) => socket.on("error", () => undefined));
    server.on("tlsClientError", () => undefined);
    await this.#listen(server, places);
  }

  /** Serves places on port 443 from one server, which shows the certificate of the name that the client asks for, and otherwise the first. */
  async serveByName(certified: Readonly<Record<string, Certified>>): Promise<void> {
    const contexts = Object.entries(certified).map(
      ([host, { certificate, key }]) => [host, createSecureContext({ cert: certificate, key })] as const,
    );
    const [first] = Object.values(certified);
    const server = createSecure(
      {
        ...(first && { cert: first.certificate, key: first.key }),
        SNICallback: (host, done) => done(null, contexts.find(([name]) => name === host)?.[1]),
      },
      (socket) => socket.on("error", () => undefined),
    );
    server.on("tlsClientError", () => undefined);
    await this.#listen(
      server,
      contexts.map(([host]) => `${host}:443`),
    );
  }

  /** Answers connections to these places in its own way. */
  async answer(work: (socket: Socket) => void, ...places: string[]): Promise<void> {
    const server = createPlain((socket) => work(socket.on("error", () => undefined)));
    await this.#listen(server, places);
  }

  /** Answers a place with silence, until it is finished by closing the connection. `started`: a connection came. */
  async hold(...places: string[]): Promise<{ started: Promise<void>; finish: () => void }> {
    const [came, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const work = (socket: Socket) => {
      came.resolve();
      void end.promise.then(() => socket.destroy());
    };
    await this.answer(work, ...places);
    return { started: came.promise, finish: end.resolve };
  }

  /** Serves mail with STARTTLS. */
  async serveMail({ certificate, key }: Certified, ...places: string[]): Promise<void> {
    const mail = new SMTPServer({ cert: certificate, key, authOptional: true });
    mail.on("error", () => undefined);
    await this.#listen(mail.server, places);
  }

  /** Nothing answers at a place from now on. */
  close(place: string): void {
    this.#ports.delete(place);
  }

  async stop(): Promise<void> {
    for (const stop of this.#servers) await stop();
    await this.egress.close();
  }

  async #listen(server: Server, places: readonly string[]): Promise<void> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#servers.add(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    for (const place of places) this.#ports.set(place, (server.address() as AddressInfo).port);
  }
}

interface World {
  hosts: Hosts;
  zw: Zonewright;
  /** An administrator whose token outlives the days that tests let pass. */
  admin: RestClient;
  /** Anew for each test. */
  zone: Zone;
}

interface WorldOptions {
  clock: Clock;
  permissions: readonly string[];
  logTo?: Options["logTo"];
}

/** Starts a service whose hosts are on loopback, for the tests of a file. @param take gets what each test uses */
export function useWatchedHosts({ clock, permissions, logTo }: WorldOptions, take: (world: World) => void): void {
  let zw: Zonewright & { stop(): Promise<void> };
  let world: Omit<World, "zone">;
  let zone: Zone;
  beforeAll(async () => {
    const hosts = await Hosts.start(clock.now);
    zw = await startZonewright({ env: { JOBS: "off" }, now: clock.now, logTo, egress: hosts.egress });
    world = { hosts, zw, admin: await lastingAdmin(zw, ...permissions) };
  });
  afterAll(async () => {
    await zw.stop();
    await world.hosts.stop();
  });
  beforeEach(async () => {
    zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
    const { id, name } = await manualZone(zw);
    zone = new Zone(zw, { id, name }, world.admin);
    take({ ...world, zone });
  });
  // No other test waits for its hosts.
  afterEach(async () => {
    await world.admin.put(`${zone.path}/tls-hosts`, { mode: "off" });
  });
}
