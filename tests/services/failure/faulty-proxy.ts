import { createServer, Socket, type Server } from "node:net";
import { freePorts } from "../../support/programs.ts";
import type { RequestKind, Wire } from "./wire-requests.ts";

/** The fault for one request or its answer. */
export interface Fault {
  /**
   * `hold request`: it arrives and waits here. `cut request`: half of it reaches the server, then the connection is cut.
   * `hold answer`: the server has answered, and its answer waits here. `cut answer`: only the first octets of it pass.
   */
  does: "hold request" | "cut request" | "hold answer" | "cut answer";
  to: RequestKind;
  /** Only once such a request has been answered. */
  after?: RequestKind;
  /** Of a cut answer: how much of it passes; 10 when left out. */
  octets?: number;
}

/** A fault that has struck. */
interface Struck {
  /** Lets pass what waits. */
  release(): void;
  /** Cuts the connection; what waits is lost. */
  cut(): void;
}

/** A proxy between Zonewright and a server on loopback that injects faults on demand. */
export interface FaultyProxy {
  readonly port: number;
  /** Injects this fault into the first matching request. @returns when it has struck */
  next(fault: Fault): Promise<Struck>;
  /** Cuts all connections and refuses new ones. */
  refuse(): Promise<void>;
  /** Takes connections again. */
  accept(): Promise<void>;
  stop(): Promise<void>;
}

interface Armed extends Fault {
  /** Whether the request that it waits for has been answered. */
  ready: boolean;
  struck: (handle: Struck) => void;
}

export async function startFaultyProxy(upstreamPort: number, wire: Wire): Promise<FaultyProxy> {
  const passages = new Set<Passage>();
  const armed = new Set<Armed>();
  const open = (port: number) =>
    listening(port, (client) => {
      const passage = new Passage(client, upstreamPort, wire, armed, () => passages.delete(passage));
      passages.add(passage);
    });
  const close = async (server: Server) => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const passage of passages) passage.cut();
    await closed;
  };
  // While connections are refused, no outgoing connection of this machine takes it.
  const [port = 0] = await freePorts(1);
  let server = await open(port);
  return {
    port,
    next: (fault) =>
      new Promise((resolve) => armed.add({ ...fault, ready: fault.after === undefined, struck: resolve })),
    refuse: () => close(server),
    async accept() {
      server = await open(port);
    },
    async stop() {
      if (server.listening) await close(server);
    },
  };
}

async function listening(port: number, take: (client: Socket) => void): Promise<Server> {
  const server = createServer(take);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

/** One connection through the proxy. */
class Passage {
  readonly #client: Socket;
  readonly #server = new Socket();
  readonly #upstreamPort: number;
  readonly #wire: Wire;
  readonly #armed: Set<Armed>;
  /** Client data that is not a whole request yet, or waits behind a held one. */
  #pending: Buffer = Buffer.alloc(0);
  #holding = false;
  /** The kind of the request that was passed on last, and the fault that its answer is to meet. */
  #asked: { kind: RequestKind; fault: Armed | null } | null = null;
  #held: Buffer[] | null = null;

  constructor(client: Socket, upstreamPort: number, wire: Wire, armed: Set<Armed>, ended: () => void) {
    this.#client = client;
    this.#upstreamPort = upstreamPort;
    this.#wire = wire;
    this.#armed = armed;
    for (const socket of [client, this.#server]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.cut());
    }
    client.once("close", () => {
      // A held request may still be delivered after its caller has given up.
      if (!this.#holding) this.cut();
      ended();
    });
    // A held answer outlives the server's connection.
    this.#server.once("end", () => {
      if (this.#held === null) client.end();
    });
    client.on("data", (chunk: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      this.#takeRequests();
    });
    this.#server.on("data", (chunk: Buffer) => this.#takeAnswer(chunk));
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  /** Connects with the first request. Earlier, a server may close the connection because nothing comes: PowerDNS does after five seconds. */
  #send(octets: Buffer, sent?: () => void): void {
    if (this.#server.destroyed) return;
    if (this.#server.pending && !this.#server.connecting) this.#server.connect(this.#upstreamPort, "127.0.0.1");
    this.#server.write(octets, sent);
  }

  #takeRequests(): void {
    while (!this.#holding) {
      const request = this.#wire(this.#pending);
      if (request === null) return;
      const octets = this.#pending.subarray(0, request.length);
      this.#pending = this.#pending.subarray(request.length);
      this.#takeRequest(octets, request.kind);
    }
  }

  #takeRequest(octets: Buffer, kind: RequestKind): void {
    const fault = [...this.#armed].find(({ to, ready }) => ready && to === kind) ?? null;
    if (fault) this.#armed.delete(fault);
    const pass = () => {
      const mine = fault?.does === "hold answer" || fault?.does === "cut answer" ? fault : null;
      // Several questions may be in flight; the fault strikes the first answer.
      this.#asked = { kind, fault: mine ?? this.#asked?.fault ?? null };
      this.#send(octets);
    };
    if (fault?.does === "hold request") {
      this.#holding = true;
      const release = () => {
        this.#holding = false;
        pass();
        if (this.#client.destroyed) this.#server.end();
        else this.#takeRequests();
      };
      fault.struck({ release, cut: () => this.cut() });
    } else if (fault?.does === "cut request") {
      this.#send(octets.subarray(0, octets.length >> 1), () => {
        this.cut();
        fault.struck(over);
      });
    } else pass();
  }

  #takeAnswer(chunk: Buffer): void {
    const { kind, fault } = this.#asked ?? {};
    for (const waiting of this.#armed) if (waiting.after === kind) waiting.ready = true;
    if (this.#held) this.#held.push(chunk);
    else if (fault?.does === "hold answer") {
      this.#held = [chunk];
      const release = () => {
        for (const held of this.#held ?? []) this.#client.write(held);
        this.#held = null;
        this.#asked = null;
        if (this.#server.readableEnded) this.#client.end();
      };
      fault.struck({ release, cut: () => this.cut() });
    } else if (fault?.does === "cut answer") {
      const left = fault.octets ?? 10;
      fault.octets = left - chunk.length;
      this.#client.write(chunk.subarray(0, left));
      if (chunk.length < left) return;
      // Only once the client has them.
      this.#client.end(() => {
        this.cut();
        fault.struck(over);
      });
    } else this.#client.write(chunk);
  }
}

const over: Struck = { release: () => undefined, cut: () => undefined };
