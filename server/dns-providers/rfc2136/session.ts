import { randomInt } from "node:crypto";
import type { Egress } from "../../platform/net/egress.ts";
import { ProviderError } from "../provider.ts";
import { rcodes, queryMessage, readMessage, rcodeName, type WireMessage } from "../../dns/wire/messages.ts";
import { types } from "../../dns/zone-file/type-names.ts";
import { signRequest, TsigError, TsigVerifier, type TsigKey } from "../../dns/wire/tsig.ts";
import { WireError } from "../../dns/names/wire-names.ts";
import type { Socket } from "node:net";
import { EgressError } from "../../platform/net/egress-error.ts";

/** Thrown when a name server cannot be reached, does not answer or closes the connection. `message` is a sentence. */
class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ConnectionError";
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
};

/**
 * Opens a TCP connection. Name servers are usually on the internal network, so internal addresses are allowed by default.
 * @throws ConnectionError if the server cannot be reached or the egress rules forbid it.
 */
export async function dial(
  egress: Egress,
  host: string,
  port: number,
  rules: Pick<Parameters<Egress["guardedConnect"]>[0], "reach" | "ports" | "signal"> = { reach: "inside" },
): Promise<DnsConnection> {
  const label = `${host} port ${port}`;
  try {
    const socket = await egress.guardedConnect({ host, port, ...rules });
    socket.setNoDelay(true);
    return new DnsConnection(socket, label);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ConnectionError(`The name server ${label} cannot be reached: ${error.message}`, error);
  }
}

/** A connection that carries DNS messages over TCP, each prefixed with its length (RFC 1035 §4.2.2). */
class DnsConnection {
  readonly #socket: Socket;
  readonly #label: string;
  readonly #chunks: AsyncIterator<Buffer>;
  #pending: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, label: string) {
    this.#socket = socket;
    this.#label = label;
    // The next read reports what happened to the connection.
    socket.on("error", () => null);
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  send(message: Buffer): void {
    const length = Buffer.of(message.length >> 8, message.length & 255);
    this.#socket.write(Buffer.concat([length, message]));
  }

  /** Returns the next message. @throws ConnectionError if it does not arrive within `milliseconds`. */
  async next(milliseconds: number): Promise<Buffer> {
    const timer = setTimeout(
      () => {
        this.#socket.destroy(new ConnectionError(`The name server ${this.#label} did not answer in time.`));
      },
      Math.max(1, milliseconds),
    );
    try {
      for (;;) {
        const message = this.#take();
        if (message !== null) return message;
        const { done, value } = await this.#chunks.next();
        if (done === true) throw new ConnectionError(`The name server ${this.#label} closed the connection.`);
        this.#pending = this.#pending.length === 0 ? value : Buffer.concat([this.#pending, value]);
      }
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      throw new ConnectionError(`The connection to ${this.#label} failed: ${reasonOf(error)}.`, error);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(): Buffer | null {
    if (this.#pending.length < 2) return null;
    const end = 2 + this.#pending.readUInt16BE(0);
    if (this.#pending.length < end) return null;
    const message = this.#pending.subarray(2, end);
    this.#pending = this.#pending.subarray(end);
    return message;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return reasons[code] ?? error.message;
}

export interface NameServerSettings {
  host: string;
  port: number;
  key: TsigKey;
  /** Milliseconds for the answers to one set of queries, and between two messages of a transfer. */
  timeoutMilliseconds: number;
  egress: Egress;
  now: () => Date;
}

/** Octets after which an endless transfer is aborted; far beyond any zone that fits into memory. */
const mostTransferOctets = 2 ** 30;
/** Requests in flight at once: servers stop reading from clients that send more. */
const mostInFlight = 64;

/** A signed session with a name server over one TCP connection. Every answer is verified before it is returned. */
export class NameServerSession {
  readonly #connection: DnsConnection;
  readonly #settings: NameServerSettings;
  #id = randomInt(65_536);
  #updates = { sent: 0, accepted: 0 };

  private constructor(connection: DnsConnection, settings: NameServerSettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  /** Opens a session, runs `work` and closes it. @throws ProviderError with effect `none` if the server cannot be reached. */
  static async use<T>(settings: NameServerSettings, work: (session: NameServerSession) => Promise<T>): Promise<T> {
    const session = await NameServerSession.open(settings);
    try {
      return await work(session);
    } finally {
      session.close();
    }
  }

  static async open(settings: NameServerSettings): Promise<NameServerSession> {
    try {
      return new NameServerSession(await dial(settings.egress, settings.host, settings.port), settings);
    } catch (error) {
      throw asProviderError(error, "none");
    }
  }

  /** Messages that may have changed something: how many were sent, and how many were accepted. */
  get updates(): Readonly<{ sent: number; accepted: number }> {
    return this.#updates;
  }

  close(): void {
    this.#connection.close();
  }

  /**
   * Sends requests and returns the responses in the same order. `make` builds a request with the given id.
   * @throws ProviderError with this effect if an answer is missing or cannot be trusted.
   */
  async ask(make: readonly ((id: number) => Buffer)[], effect: "none" | "unknown"): Promise<WireMessage[]> {
    const deadline = performance.now() + this.#settings.timeoutMilliseconds;
    const answers = Array.from<WireMessage | undefined>({ length: make.length });
    const waiting = new Map<number, { index: number; verifier: TsigVerifier }>();
    let next = 0;
    try {
      while (next < make.length || waiting.size > 0) {
        while (next < make.length && waiting.size < mostInFlight) {
          const id = this.#nextId();
          if (effect === "unknown") this.#updates.sent++;
          waiting.set(id, { index: next, verifier: this.#send(make[next]?.(id) ?? Buffer.alloc(0)) });
          next++;
        }
        const message = readMessage(await this.#connection.next(deadline - performance.now()));
        const request = message.isResponse ? waiting.get(message.id) : undefined;
        if (!request) throw new WireError("it does not match any request");
        if (effect === "none") verifyOrRefused(request.verifier, message);
        else request.verifier.take(message);
        if (effect === "unknown" && message.rcode === rcodes.NOERROR) this.#updates.accepted++;
        waiting.delete(message.id);
        answers[request.index] = message;
      }
    } catch (error) {
      // Nothing was sent, so nothing changed.
      throw asProviderError(error, next === 0 ? "none" : effect);
    }
    return answers.filter((answer) => answer !== undefined);
  }

  /**
   * Yields the verified messages of a zone transfer (RFC 5936), from the one that begins with the SOA to the one that ends with it.
   * @throws ProviderError
   */
  async *transfer(zone: string): AsyncGenerator<WireMessage> {
    try {
      const id = this.#nextId();
      const verifier = this.#send(queryMessage(id, zone, "AXFR"));
      let unverified: WireMessage[] = [];
      let octets = 0;
      let authorities = 0;
      while (authorities < 2) {
        const message = readMessage(await this.#connection.next(this.#settings.timeoutMilliseconds));
        if (message.id !== id || !message.isResponse) throw new WireError("it does not match any request");
        octets += message.octets.length;
        if (octets > mostTransferOctets) throw new WireError("the zone is larger than 1 GiB");
        const verified = verifyOrRefused(verifier, message);
        if (message.rcode !== rcodes.NOERROR) throw refusal(message.rcode, zone);
        if (authorities === 0 && message.answers[0]?.type !== types.SOA) {
          throw new WireError("the transfer does not begin with the SOA");
        }
        authorities += message.answers.filter(({ type }) => type === types.SOA).length;
        unverified.push(message);
        if (!verified) continue;
        yield* unverified;
        unverified = [];
      }
      if (unverified.length > 0) throw new TsigError("unsigned", "The end of the zone transfer is not signed.");
    } catch (error) {
      throw asProviderError(error, "none");
    }
  }

  #send(request: Buffer): TsigVerifier {
    const { key, now } = this.#settings;
    const seconds = () => Math.floor(now().getTime() / 1000);
    const { message, mac } = signRequest(request, key, seconds());
    this.#connection.send(message);
    return new TsigVerifier(key, mac, seconds);
  }

  #nextId(): number {
    this.#id = (this.#id + 1) % 65_536;
    return this.#id;
  }
}

/** Returns the failure for a zone that the server does not let us read. */
export function refusal(rcode: number, zone: string): ProviderError {
  return new ProviderError(rcodeSentence(rcode, zone), "none", { zoneMissing: saysZoneMissing(rcode) });
}

/**
 * Returns whether a message is verified; false if a later signature covers it. Some servers refuse without signing (Knot for zones
 * it does not serve, PowerDNS for a wrong key). Such refusals are accepted because no data is read from them. NXDOMAIN is an answer
 * and must be signed.
 */
function verifyOrRefused(verifier: TsigVerifier, message: WireMessage): boolean {
  try {
    return verifier.take(message);
  } catch (error) {
    const refused = message.rcode !== rcodes.NOERROR && message.rcode !== rcodes.NXDOMAIN;
    if (error instanceof TsigError && error.reason === "unsigned" && refused) return true;
    throw error;
  }
}

function asProviderError(error: unknown, effect: "none" | "unknown"): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof TsigError || error instanceof ConnectionError) {
    return new ProviderError(error.message, effect, { cause: error });
  }
  if (error instanceof WireError) {
    return new ProviderError(`The name server's answer cannot be read: ${error.message}.`, effect, { cause: error });
  }
  throw error;
}

/** What response codes mean for a request about a zone. */
const meanings: Readonly<Record<number, (zone: string) => string>> = {
  [rcodes.FORMERR]: () => "it cannot read the request",
  [rcodes.SERVFAIL]: () => "it failed, perhaps because of a limit; its log says why",
  [rcodes.NXDOMAIN]: (zone) => `a name that must exist in ${zone} does not`,
  [rcodes.NOTIMP]: () => "it does not support this",
  [rcodes.REFUSED]: (zone) =>
    `it does not allow this key to do that in ${zone}, or one of its own rules forbids it, such as requiring an address for name servers within the zone`,
  [rcodes.YXDOMAIN]: () => "a name that must not exist does",
  [rcodes.YXRRSET]: () => "records that must not exist do",
  [rcodes.NXRRSET]: () => "required records are missing or differ",
  [rcodes.NOTAUTH]: (zone) => `it is not the primary server of ${zone}, or does not accept this key with this secret`,
  [rcodes.NOTZONE]: (zone) => `a name lies outside ${zone}`,
};

const prerequisiteFailures: ReadonlySet<number> = new Set([
  rcodes.NXDOMAIN,
  rcodes.YXDOMAIN,
  rcodes.YXRRSET,
  rcodes.NXRRSET,
]);

/** Returns whether a code means that a prerequisite of an update failed (RFC 2136 §3.2), so that nothing was done. */
export function isPrerequisiteFailure(rcode: number): boolean {
  return prerequisiteFailures.has(rcode);
}

/** Returns whether a code means that the server does not have the zone, or is not its primary. */
function saysZoneMissing(rcode: number): boolean {
  return rcode === rcodes.NXDOMAIN || rcode === rcodes.NOTAUTH;
}

/** Returns the meaning of a code other than NOERROR as a sentence. */
export function rcodeSentence(rcode: number, zone: string): string {
  const meaning = meanings[rcode];
  if (!meaning) return `The name server answered with error ${rcode}.`;
  return `The name server refused: ${meaning(zone)} (${rcodeName(rcode)}).`;
}
