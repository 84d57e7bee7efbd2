import type { Socket } from "node:net";
import type { Egress } from "../../../platform/net/egress.ts";
import { EgressError } from "../../../platform/net/egress-error.ts";
import {
  askedTooOften,
  callFailed,
  failure,
  noTurn,
  type Failure,
  type Answer,
  type Registration,
  type Settled,
  type Registrable,
} from "../registration.ts";
import type { Patience, ServerPace } from "../server-pace.ts";
import { readWhoisAnswer, type WhoisAnswer } from "./answer.ts";

const callMilliseconds = 10_000;
const maxBytes = 128 * 1024;
/** Maximum servers per lookup: the first one, the registry's and the registrar's. */
const mostServers = 3;
const cacheMilliseconds = 24 * 3_600_000;
const mostCached = 2_000;

interface WhoisServer {
  host: string;
  port: number;
}

/** The default port (RFC 3912 §2). */
const whoisPort = 43;

/** IANA's server, which answers with a referral to the registry's server. */
const ianaServer: WhoisServer = { host: "whois.iana.org", port: whoisPort };

type Said = Settled | Failure | { kind: "no registry" };

interface Parts {
  egress: Egress;
  pace: ServerPace;
  now: () => Date;
  configured: string | undefined;
  iana?: string;
}

/** A WHOIS client (RFC 3912), for registries without RDAP or whose RDAP has no date. */
export class WhoisClient {
  readonly #parts: Parts;
  readonly #configured: WhoisServer | null;
  readonly #iana: WhoisServer;
  /** Caches the server that IANA names for each top-level domain. */
  readonly #referrals = new Map<string, { server: WhoisServer | null; at: number }>();

  /** @param parts.configured WHOIS_SERVER: queried first, instead of IANA's server. */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.#configured = parts.configured === undefined ? null : whoisServer(parts.configured);
    this.#iana = parts.iana === undefined ? ianaServer : whoisServer(parts.iana);
  }

  /** Queries a name, following referrals from server to server. @throws the signal's reason */
  async ask({ name, suffixes }: Registrable, patience: Patience): Promise<Said> {
    const topLevel = suffixes.at(-1) ?? name;
    const first = this.#configured ?? (await this.#registryOf(topLevel, patience));
    if (first === null) return { kind: "no registry" };
    if ("kind" in first) return first;
    const asked = new Set<string>();
    let registry: Registration | null = null;
    let server: WhoisServer | null = first;
    let last: Said = failure(`No WHOIS server answered for ${name}.`);
    while (server && asked.size < mostServers) {
      asked.add(keyOf(server));
      const said = await this.#query(server, whoisQuery(server, name), patience, (text) => readWhoisAnswer(text, name));
      last = "kind" in said ? said : settledIn(said.answer, server);
      if (last.kind === "registered") registry = registry ? joined(registry, last.registration) : last.registration;
      const referral = "kind" in said || said.referral === null ? null : whoisServer(said.referral);
      server = referral && !asked.has(keyOf(referral)) ? referral : null;
    }
    return registry ? { kind: "registered", registration: registry } : last;
  }

  async #registryOf(topLevel: string, patience: Patience): Promise<WhoisServer | null | Failure> {
    const cached = this.#referrals.get(topLevel);
    if (cached && this.#parts.now().getTime() - cached.at < cacheMilliseconds) return cached.server;
    const said = await this.#query(this.#iana, topLevel, patience, (text) => readWhoisAnswer(text, topLevel));
    if ("kind" in said) return said;
    const settled = settledIn(said.answer, this.#iana);
    if (said.referral === null && settled.kind === "failed") return settled;
    const server = said.referral === null ? null : whoisServer(said.referral);
    if (this.#referrals.size >= mostCached) this.#referrals.clear();
    this.#referrals.set(topLevel, { server, at: this.#parts.now().getTime() });
    return server;
  }

  async #query(
    server: WhoisServer,
    query: string,
    patience: Patience,
    read: (text: string) => WhoisAnswer,
  ): Promise<WhoisAnswer | Failure> {
    const key = keyOf(server);
    const seconds = await this.#parts.pace.turn(key, patience);
    if (seconds !== null) return noTurn(server.host, seconds);
    let text: string;
    try {
      text = await this.#exchange(server, query, patience.signal);
    } catch (error) {
      if (error instanceof EgressError) return callFailed(error);
      throw error;
    }
    const said = read(text);
    if (said.answer.kind === "limited") this.#parts.pace.rest(key, said.answer.seconds);
    else this.#parts.pace.answered(key);
    return said;
  }

  async #exchange(server: WhoisServer, query: string, signal: AbortSignal): Promise<string> {
    const late = new EgressError("timeout", `${server.host} did not answer within ${callMilliseconds / 1_000} s.`);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(late), callMilliseconds);
    const ending = AbortSignal.any([signal, deadline.signal]);
    try {
      const reach = server === this.#configured ? "inside" : "public";
      const socket = await this.#parts.egress.guardedConnect({ ...server, reach, ports: [whoisPort], signal: ending });
      return await readToEnd(socket, `${query}\r\n`, server.host, ending);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws EgressError, the signal's reason */
async function readToEnd(socket: Socket, query: string, host: string, signal: AbortSignal): Promise<string> {
  const end = () => socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    signal.throwIfAborted();
    socket.write(query);
    // Leaving the loop closes the connection.
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new EgressError("size", `${host} returned more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
    return textOf(Buffer.concat(chunks));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressError) throw error;
    throw new EgressError("cut", `${host} closed the connection before its response was complete.`, { cause: error });
  } finally {
    signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

/** Decodes an answer as UTF-8, or as Latin-1 if it is not valid UTF-8. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

function settledIn(answer: Answer, { host }: WhoisServer): Said {
  if (answer.kind === "limited") return askedTooOften(host);
  return answer.kind === "broken" ? failure(`${host} ${answer.message}.`) : answer;
}

function keyOf({ host, port }: WhoisServer): string {
  return `${host}:${port}`;
}

/** Merges registry and registrar data. The registry's takes precedence; the registrar adds its own date and what a thin registry lacks. */
function joined(registry: Registration, registrar: Registration): Registration {
  return {
    registryExpiresAt: registry.registryExpiresAt,
    registrarExpiresAt: registrar.registrarExpiresAt ?? registrar.registryExpiresAt ?? registry.registrarExpiresAt,
    registrar: registry.registrar ?? registrar.registrar,
    statuses: registry.statuses.length > 0 ? registry.statuses : registrar.statuses,
    nameServers: registry.nameServers ?? registrar.nameServers,
    ds: registry.ds ?? registrar.ds,
  };
}

/** Parses a server's address. @param text `host`, `host:port` or `[address]:port` */
function whoisServer(text: string): WhoisServer {
  const [, bracketed, host = text, port] = /^(?:\[([\da-f:.]+)\]|([^:]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return { host: bracketed ?? host, port: port === undefined ? whoisPort : Number(port) };
}

/**
 * Query formats of servers that need more than the bare name: to search only domains, not name servers or registrars of that name, to
 * answer in English, or to query a name in A-labels.
 */
const forms: Readonly<Record<string, (name: string) => string>> = {
  "whois.verisign-grs.com": (name) => `domain ${name}`,
  "ccwhois.verisign-grs.com": (name) => `domain ${name}`,
  "tvwhois.verisign-grs.com": (name) => `domain ${name}`,
  "whois.denic.de": (name) => `-T dn,ace ${name}`,
  "whois.jprs.jp": (name) => `${name}/e`,
  "whois.punktum.dk": (name) => `--charset=utf-8 ${name}`,
  "whois.nic.name": (name) => `domain=${name}`,
};

/** Returns the query line for a name at this server. */
function whoisQuery({ host }: WhoisServer, name: string): string {
  return forms[host]?.(name) ?? name;
}
