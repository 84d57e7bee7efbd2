import type { KnownKey, TsigKeyCredentials } from "../access/tsig-keys.ts";
import type { Database } from "../database/database.ts";
import { WireError } from "../dns/names/wire-names.ts";
import { opcodes, rcodes } from "../dns/wire/messages.ts";
import { types } from "../dns/zone-file/type-names.ts";
import { addressKey } from "../api/limits/address.ts";
import type { Logger } from "../platform/log.ts";
import { takeShare } from "../platform/slices.ts";
import { publicSoa, type ZoneQueries } from "./zone-queries.ts";
import {
  readRequest,
  serialIn,
  serverFailure,
  signerOf,
  type Question,
  type Received,
  type Request,
  type Update,
} from "./requests.ts";
import type { Secondaries } from "./secondaries.ts";
import { HistoryGone, incrementalTransfer, wholeTransfer, type Transfer } from "./transfer.ts";
import type { DynamicUpdates } from "./updates/dynamic-updates.ts";
import { ownerOf, soaEntry } from "./wire-records.ts";
import {
  findZone,
  type ServedZone,
  keysNamed,
  mayAskSoa,
  mayTransfer,
  type Peer,
  type PrimaryConfigs,
  type PrimaryService,
} from "./zones.ts";

interface Parts {
  database: Database;
  configs: PrimaryConfigs;
  secondaries: Secondaries;
  strangers: StrangerLimit;
  /** Limits answers with an SOA to unsigned queries by UDP, whose senders may be forged. */
  unproven: StrangerLimit;
  credentials: TsigKeyCredentials;
  unknownKeys: UnknownKeys;
  updates: DynamicUpdates;
  zoneQueries: ZoneQueries;
  /** Whether to answer unsigned queries for the SOA of any zone. */
  answersSoa: boolean;
  log: Logger;
  now: () => Date;
  onTransfer: (kind: "axfr" | "ixfr" | "current") => void;
}

type Protocol = "udp" | "tcp";

interface Sender {
  address: string;
  protocol: Protocol;
  /** The Unix time. */
  seconds: () => number;
}

/**
 * Answers DNS messages: the SOA and transfers of zones of kind `primary` and of catalogs to secondaries; updates, queries and transfers of any
 * zone with one of its keys; and REFUSED to anything else.
 */
export class Responder {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Yields the messages that answer one message, none for silence. Throws only if a transfer breaks off; the connection must then be
   * closed, because the rest is missing.
   */
  async *answer(received: Received, address: string, protocol: Protocol): AsyncGenerator<Buffer> {
    const { configs, credentials, strangers, now, log } = this.#parts;
    const seconds = () => Math.floor(now().getTime() / 1_000);
    // By TCP, the sender's address is real.
    const mayRefuse = () => protocol === "tcp" || strangers.allows(address);
    const keyName = signerOf(received);
    let services: readonly PrimaryService[];
    let known: KnownKey | null;
    try {
      services = await configs.all();
      // Datagrams of strangers cost too little to wait; a connection takes a share for each message.
      if (protocol === "udp" && keyName !== null && (await this.knows(keyName)))
        await takeShare(`DNS ${addressKey(address)}`);
      if (keyName !== null && keysNamed(services, keyName).length === 0) {
        const answer = await this.#updatedBy(keyName, received, { address, protocol, seconds });
        if (answer !== null) {
          yield answer;
          return;
        }
      }
      known = keyName === null ? null : await this.#keyNamed(keyName, services, address, protocol);
    } catch (error) {
      log.warn({ err: error }, "the DNS service cannot read its configurations and keys");
      const failure = serverFailure(received);
      if (failure && mayRefuse()) yield failure;
      return;
    }
    const request = readRequest(
      received,
      (name) => (known !== null && known.tsig.name === name ? [known.tsig] : keysNamed(services, name)),
      seconds,
    );
    if (request.kind === "silence") return;
    const key = known !== null && known.tsig === signingKey(request) ? known : null;
    if (keyName !== null && known === null && keysNamed(services, keyName).length === 0)
      this.#parts.unknownKeys.count(protocol, address);
    if (request.kind === "refusal") {
      if (known !== null && request.late?.key === known.tsig) credentials.noteLate(known, request.late);
      if (mayRefuse()) yield request.answer;
      return;
    }
    if (request.kind === "update") {
      if (key === null && !mayRefuse()) return;
      const answer = await this.#updated(request, key, address);
      yield sentBy(protocol, request, answer);
      return;
    }
    if (key !== null) {
      const messages = this.#parts.zoneQueries.answer({ question: request, key, address, protocol });
      for await (const message of messages) yield sentBy(protocol, request, message);
      return;
    }
    const peer = { address, key: request.key };
    const isTransfer = request.type === types.AXFR || request.type === types.IXFR;
    const open = services.filter((service) => (isTransfer ? mayTransfer : mayAskSoa)(service, peer));
    if (open.length === 0 || !(isTransfer || request.type === types.SOA)) {
      if (mayRefuse()) yield await this.#publicOr(request, request.answers.empty(rcodes.REFUSED), protocol);
      return;
    }
    yield* this.#served(request, peer, open, protocol);
  }

  /** Returns the TSIG key of a name; null if there is none, or it is not known to exist and the address has asked for too many. A name of a secondary's key is not looked up. */
  async #keyNamed(
    name: string,
    services: readonly PrimaryService[],
    address: string,
    protocol: Protocol,
  ): Promise<KnownKey | null> {
    const { credentials, unknownKeys } = this.#parts;
    if (keysNamed(services, name).length > 0) return null;
    if (!(await credentials.names.has(name)) && !unknownKeys.mayLookUp(protocol, address)) return null;
    return await credentials.named(name);
  }

  /** Returns whether a key of this name exists. Costs no query for a name that no key has. */
  async knows(keyName: string): Promise<boolean> {
    const { configs, credentials } = this.#parts;
    try {
      return keysNamed(await configs.all(), keyName).length > 0 || (await credentials.names.has(keyName));
    } catch {
      return false;
    }
  }

  async #updated({ request, signature, answers }: Update, key: KnownKey | null, address: string): Promise<Buffer> {
    if (key === null || signature === null) return answers.empty(rcodes.REFUSED);
    const signed = { message: request, key, isRemembered: false, mac: signature.mac, address };
    return answers.empty((await this.#parts.updates.answer(signed)) ?? rcodes.SERVFAIL);
  }

  /**
   * Makes an update whose key was looked up for an earlier one: the transaction that makes it looks the key up again, which saves a round trip.
   * @returns the answer; null if there is no such key, the message is none of its updates, or the key is no longer the same
   */
  async #updatedBy(
    keyName: string,
    received: Received,
    { address, protocol, seconds }: Sender,
  ): Promise<Buffer | null> {
    const { credentials, updates } = this.#parts;
    const key = received.message?.opcode === opcodes.update ? credentials.remembered(keyName) : null;
    if (key === null) return null;
    const request = readRequest(received, (name) => (name === key.tsig.name ? [key.tsig] : []), seconds);
    if (request.kind !== "update" || request.signature?.key !== key.tsig) return null;
    const signed = { message: request.request, key, isRemembered: true, mac: request.signature.mac, address };
    const rcode = await updates.answer(signed);
    if (rcode === null) return null;
    return sentBy(protocol, request, request.answers.empty(rcode));
  }

  /** Returns the answer to an unsigned query for an SOA, if such are answered and there is a zone. By UDP it has the client try TCP. */
  async #publicOr(question: Question, refusal: Buffer, protocol: Protocol): Promise<Buffer> {
    const { answersSoa, database, configs, log } = this.#parts;
    if (!answersSoa || question.key !== null || question.type !== types.SOA) return refusal;
    // The answer would be longer than the question, so the client has to try TCP anyway. Forged senders cost no query.
    if (protocol === "udp") return sentBy(protocol, question, question.answers.truncated());
    try {
      const answer = await publicSoa(database.fork(), configs, question);
      return answer ?? refusal;
    } catch (error) {
      log.warn({ err: error }, "the DNS service cannot read a zone");
      return question.answers.empty(rcodes.SERVFAIL);
    }
  }

  async *#served(
    request: Question,
    peer: Peer,
    open: readonly PrimaryService[],
    protocol: Protocol,
  ): AsyncGenerator<Buffer> {
    const { database, secondaries, strangers, unproven, log } = this.#parts;
    const { answers, name, type } = request;
    const isProven = protocol === "tcp" || peer.key !== null;
    if (!isProven && !unproven.allows(peer.address)) {
      // No longer than the query. A real secondary asks again by TCP.
      yield answers.truncated();
      return;
    }
    if (protocol === "udp" && peer.key === null) await takeShare(`DNS ${addressKey(peer.address)}`);
    let zone: ServedZone | null;
    try {
      zone = await findZone(database.fork(), open, name);
    } catch (error) {
      log.warn({ err: error }, "the DNS service cannot read a zone");
      yield answers.empty(rcodes.SERVFAIL);
      return;
    }
    if (!zone) {
      if (protocol === "tcp" || strangers.allows(peer.address))
        yield await this.#publicOr(request, answers.empty(rcodes.REFUSED), protocol);
      return;
    }
    const soa = soaEntry(ownerOf(zone.name), zone.soa);
    const single = async function* () {
      for await (const { message } of answers.messages([soa])) {
        yield protocol === "udp" && message.length > answers.mostUdpOctets ? answers.truncated() : message;
      }
    };
    if (type === types.SOA) {
      secondaries.asked(zone, peer, isProven);
      yield* single();
      return;
    }
    // RFC 5936 §4.2: a whole transfer by UDP is not defined. RFC 1995 §2: the SOA alone has the client try TCP.
    if (protocol === "udp") {
      if (type === types.AXFR) yield answers.empty(rcodes.FORMERR);
      else yield* single();
      return;
    }
    const since = type === types.IXFR ? serialIn(request.request) : null;
    if (type === types.IXFR && since === null) {
      yield answers.empty(rcodes.FORMERR);
      return;
    }
    yield* this.#transfer(request, peer, zone, since);
  }

  async *#transfer({ answers }: Question, peer: Peer, zone: ServedZone, since: number | null): AsyncGenerator<Buffer> {
    const { database, secondaries, log } = this.#parts;
    const started = performance.now();
    let sent = { messages: 0, records: 0, octets: 0 };
    let transfer: Transfer | null = null;
    if (since !== null) secondaries.hasSerial(zone, since);
    try {
      transfer = since === null ? wholeTransfer(database, zone) : await incrementalTransfer(database, zone, since);
      for await (const { message, records } of answers.messages(transfer.entries)) {
        yield message;
        sent = { messages: sent.messages + 1, records: sent.records + records, octets: sent.octets + message.length };
      }
    } catch (error) {
      if (error instanceof WireError) log.error({ zoneId: zone.id }, "a zone has a record that no message can hold");
      else if (error instanceof HistoryGone)
        log.info({ zoneId: zone.id }, "a zone's history was deleted during its transfer");
      else log.warn({ err: error, zoneId: zone.id }, "a zone transfer failed");
      if (sent.messages > 0) throw error;
      yield answers.empty(rcodes.SERVFAIL);
      return;
    }
    const milliseconds = Math.round(performance.now() - started);
    this.#parts.onTransfer(transfer.kind);
    secondaries.transferred(zone, peer, { kind: transfer.kind, ...sent, milliseconds });
    log.debug({ zoneId: zone.id, kind: transfer.kind, ...sent, milliseconds }, "transferred a zone");
  }
}

/** Returns what to send for a message that answers a request of anyone but a secondary. */
function sentBy(protocol: Protocol, { answers }: Question | Update, message: Buffer): Buffer {
  return protocol === "udp" ? answers.datagram(message) : message;
}

function signingKey(request: Request) {
  if (request.kind === "question") return request.key;
  return request.kind === "update" ? (request.signature?.key ?? null) : null;
}

/** Answers a second for one address without a right to them. */
const refusalsPerSecond = 20;
/** Addresses that each limit remembers. */
const mostAddresses = 10_000;

interface LimitOptions {
  perSecond?: number;
  /** Milliseconds of any clock. */
  now: () => number;
}

/**
 * Limits refusals, or other answers, to an address, so that the service is of no use against forged senders. IPv6 addresses count by /64. Counts within
 * one second at a time; more addresses than it remembers get no answer.
 */
export class StrangerLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #second = 0;

  constructor({ perSecond = refusalsPerSecond, now }: LimitOptions) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts an answer. @returns whether to send it */
  allows(address: string): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#counts.clear();
    }
    const network = networkOf(address);
    const count = this.#counts.get(network) ?? 0;
    if (count >= this.#perSecond || (count === 0 && this.#counts.size >= mostAddresses)) return false;
    this.#counts.set(network, count + 1);
    return true;
  }
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")];
  return all.slice(0, 4).join(":");
}

/** Unknown names that an address may send in a window; more are not looked up. */
const mostFailures = 20;
const windowMilliseconds = 60_000;

/**
 * Limits how often an address has the database asked for keys that are not known to exist. Datagrams and connections count apart, because the
 * sender of a datagram may be forged. While datagrams come from more senders than are remembered, those of new ones are not looked up;
 * connections are.
 */
export class UnknownKeys {
  readonly #now: () => number;
  #failures = noFailures();
  #since = -Infinity;

  /** @param now milliseconds, as `performance.now` counts */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns whether to look up a key that is not known to exist. */
  mayLookUp(protocol: Protocol, address: string): boolean {
    this.#expire();
    const failures = this.#failures[protocol];
    const count = failures.get(addressKey(address));
    return count === undefined ? failures.size < mostAddresses : count < mostFailures;
  }

  /** Counts a name that no key has. */
  count(protocol: Protocol, address: string): void {
    this.#expire();
    const network = addressKey(address);
    const failures = this.#failures[protocol];
    const count = failures.get(network);
    // Those that are not looked up need no count, and could be as many as there are addresses.
    if (count !== undefined || failures.size < mostAddresses) failures.set(network, (count ?? 0) + 1);
  }

  #expire(): void {
    const now = this.#now();
    if (now - this.#since < windowMilliseconds) return;
    this.#since = now;
    this.#failures = noFailures();
  }
}

function noFailures(): Record<Protocol, Map<string, number>> {
  return { udp: new Map(), tcp: new Map() };
}
