import type { Egress } from "../../../platform/net/egress.ts";
import { EgressError, retryAfterSeconds } from "../../../platform/net/egress-error.ts";
import {
  askedTooOften,
  callFailed,
  failure,
  noTurn,
  type Failure,
  type Registration,
  type Settled,
  type Answer,
} from "../registration.ts";
import type { Patience, ServerPace } from "../server-pace.ts";
import { domainToASCII } from "node:url";
import { parseExpiryDate, cleanRegistryText, distinct, readDs, readHostNames } from "../dates.ts";

const mostRedirects = 3;
const callMilliseconds = 10_000;
const maxBytes = 512 * 1024;

type Said = RdapRegistration | { kind: "unregistered" } | Failure;

/** An RDAP client (Registration Data Access Protocol; RFC 9082, RFC 9083). */
export class RdapClient {
  readonly #egress: Egress;
  readonly #pace: ServerPace;
  readonly #now: () => Date;

  constructor(egress: Egress, pace: ServerPace, now: () => Date) {
    this.#egress = egress;
    this.#pace = pace;
    this.#now = now;
  }

  /**
   * Queries the registry, and then the registrar if the registry names its server. A failed registrar query is ignored.
   * @param bases base URLs of the registry's servers, in order of preference. @throws the signal's reason
   */
  async ask(bases: readonly string[], name: string, patience: Patience): Promise<Settled | Failure> {
    const answer = await this.#askFirst(bases, name, patience);
    if (answer.kind !== "registered") return answer;
    const { registration, registrarUrl } = answer;
    const registrar = registrarUrl === null ? null : await this.#askRegistrar(registrarUrl, bases, name, patience);
    return { kind: "registered", registration: registrar ? joined(registration, registrar) : registration };
  }

  /** Returns the first server's answer that is not a failure; if all fail, the first failure. */
  async #askFirst(bases: readonly string[], name: string, patience: Patience): Promise<Said> {
    let failed: Failure | null = null;
    for (const base of bases) {
      const url = URL.parse(`domain/${name}`, base.endsWith("/") ? base : `${base}/`);
      const answer = url
        ? await this.#get(url, name, patience)
        : failure(`${base} is not a valid URL of an RDAP server.`);
      // All servers belong to the same registry, so a rate limit applies to all.
      if (answer.kind !== "failed" || answer.limited) return answer;
      failed ??= answer;
    }
    return failed ?? failure(`No RDAP server is known for ${name}.`);
  }

  async #askRegistrar(
    given: string,
    bases: readonly string[],
    name: string,
    patience: Patience,
  ): Promise<Registration | null> {
    const url = URL.parse(given);
    // A registry that is also the registrar refers to itself.
    if (!url || bases.some((base) => URL.parse(base)?.host === url.host)) return null;
    const answer = await this.#get(url, name, patience);
    return answer.kind === "registered" ? answer.registration : null;
  }

  /** Follows redirects (RFC 7480 §5.2). Each one passes the egress guard and its target's rate limit. */
  async #get(first: URL, name: string, patience: Patience): Promise<Said> {
    let url = first;
    for (let hop = 0; hop <= mostRedirects; hop++) {
      const answer = await this.#call(url, patience);
      if ("kind" in answer) return answer;
      const location = redirectOf(answer);
      if (location === null) return this.#read(answer, await answer.text(), url, name);
      const next = URL.parse(location, url);
      if (!next) return failure(`${url.host} redirects to an invalid URL.`);
      url = next;
    }
    return failure(`${first.host} redirects more than ${mostRedirects} times.`);
  }

  async #call(url: URL, patience: Patience): Promise<Response | Failure> {
    const seconds = await this.#pace.turn(url.host, patience);
    if (seconds !== null) return noTurn(url.host, seconds);
    try {
      return await this.#egress.guardedFetch(url, {
        reach: "public",
        headers: { accept: "application/rdap+json, application/json" },
        deadlineMilliseconds: callMilliseconds,
        maxBytes,
        redirects: "answer",
        signal: patience.signal,
      });
    } catch (error) {
      if (error instanceof EgressError) return callFailed(error);
      throw error;
    }
  }

  #read(answer: Response, body: string, { host }: URL, name: string): Said {
    const read = answerOf(answer, body, name);
    if (read.kind === "limited") {
      const seconds = read.seconds ?? retryAfterSeconds(answer.headers, this.#now());
      this.#pace.rest(host, seconds);
      return askedTooOften(host);
    }
    this.#pace.answered(host);
    return read.kind === "broken" ? failure(`${host} ${read.message}.`) : read;
  }
}

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? (headers.get("location") ?? "") : null;
}

function answerOf({ status, headers }: Response, body: string, name: string): RdapAnswer {
  if (status === 200) return readRdapAnswer(body, name);
  if (status === 404) return { kind: "unregistered" };
  if (status === 429 || (status === 503 && headers.has("retry-after"))) return { kind: "limited", seconds: null };
  return { kind: "broken", message: `returned status ${status}` };
}

/** Merges registry and registrar data. The registry's takes precedence; the registrar's date may be under either event name. */
function joined(registry: Registration, registrar: Registration): Registration {
  return {
    ...registry,
    registrarExpiresAt: registrar.registrarExpiresAt ?? registrar.registryExpiresAt ?? registry.registrarExpiresAt,
    registrar: registry.registrar ?? registrar.registrar,
    nameServers: registry.nameServers ?? registrar.nameServers,
    ds: registry.ds ?? registrar.ds,
  };
}

/** A parsed domain object (RFC 9083 §5.3), with the URL of the registrar's own object. */
type RdapAnswer = Exclude<Answer, { kind: "registered" | "no registry" }> | RdapRegistration;

interface RdapRegistration {
  kind: "registered";
  registration: Registration;
  /** The URL as sent by the server, not validated; null if there is none. */
  registrarUrl: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses an RDAP answer. @param name the queried name in lower-case A-labels. @param body response body of status 200. */
export function readRdapAnswer(body: string, name: string): RdapAnswer {
  const object = jsonObject(body);
  if (!object) return { kind: "broken", message: "returned a response that is not RDAP" };
  // Some servers send errors (RFC 9083 §6) with status 200.
  const code = Number(object["errorCode"]);
  if (code === 404) return { kind: "unregistered" };
  if (code === 429) return { kind: "limited", seconds: null };
  if (object["errorCode"] !== undefined) return { kind: "broken", message: `returned ${shortText(code)}` };
  if (lower(object["objectClassName"]) !== "domain") {
    return { kind: "broken", message: "returned an object that is not a domain" };
  }
  if (!isFor(object, name)) return { kind: "broken", message: "returned data for another name" };
  return {
    kind: "registered",
    registration: {
      registryExpiresAt: eventDate(object, "expiration"),
      registrarExpiresAt: eventDate(object, "registrar expiration"),
      registrar: registrarOf(object),
      statuses: distinct(list(object["status"]).flatMap((status) => plainText(status) ?? [])),
      nameServers: nameServersOf(object),
      ds: dsOf(object),
    },
    registrarUrl: registrarUrl(object, name),
  };
}

function jsonObject(body: string): Fields | null {
  try {
    const value: unknown = JSON.parse(body);
    return fields(value);
  } catch {
    return null;
  }
}

/** Whether the answer is for this name. An answer without a name is assumed to be. */
function isFor(object: Fields, name: string): boolean {
  const names = [object["ldhName"], object["unicodeName"]].filter((given) => typeof given === "string");
  return names.length === 0 || names.some((given) => domainToASCII(given.replace(/\.$/, "")) === name);
}

/**
 * Returns the earliest date of an event (RFC 9083 §4.5). The action must match exactly: "registrar expiration" is not "expiration".
 */
function eventDate(object: Fields, action: string): Date | null {
  const dates = list(object["events"]).flatMap((event) => {
    const { eventAction, eventDate } = fields(event) ?? {};
    if (lower(eventAction) !== action || typeof eventDate !== "string") return [];
    return parseExpiryDate(eventDate) ?? [];
  });
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** Returns the names of the name servers (RFC 9083 §5.2), or null if the answer has no list of them. */
function nameServersOf(object: Fields): string[] | null {
  if (!Array.isArray(object["nameservers"])) return null;
  return readHostNames(
    list(object["nameservers"]).flatMap((server) => {
      const { ldhName, unicodeName } = fields(server) ?? {};
      return [ldhName, unicodeName].find((name) => typeof name === "string") ?? [];
    }),
  );
}

/** Returns the DS records (RFC 9083 §5.3), or null if the answer does not list those of a signed name. */
function dsOf(object: Fields): string[] | null {
  const { delegationSigned, dsData } = fields(object["secureDNS"]) ?? {};
  if (delegationSigned === false) return [];
  if (!Array.isArray(dsData) || dsData.length === 0) return null;
  const records = list(dsData).flatMap((given) => {
    const { keyTag, algorithm, digestType, digest } = fields(given) ?? {};
    return readDs([keyTag, algorithm, digestType, digest].map(shownPart).join(" ")) ?? [];
  });
  return records.length === 0 ? null : distinct(records);
}

function shownPart(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function registrarOf(object: Fields): string | null {
  for (const given of list(object["entities"])) {
    const entity = fields(given);
    if (!entity || !list(entity["roles"]).some((role) => lower(role) === "registrar")) continue;
    const name = cardName(entity) ?? plainText(entity["handle"]);
    if (name !== null) return name;
  }
  return null;
}

/** Returns the name on a card: jCard (RFC 7095), or its successor JSContact (RFC 9553). */
function cardName(entity: Fields): string | null {
  const [, properties] = list(entity["vcardArray"]);
  for (const wanted of ["fn", "org"]) {
    const property = list(properties)
      .map(list)
      .find(([name]) => lower(name) === wanted);
    const value = property?.[3];
    const name = plainText(Array.isArray(value) ? list(value)[0] : value);
    if (name !== null) return name;
  }
  return plainText(fields(fields(entity["jscard"])?.["name"])?.["full"]);
}

/** Returns the URL of the registrar's own object: the `related` link to a domain (RFC 9083 §4.2). */
function registrarUrl(object: Fields, name: string): string | null {
  for (const given of list(object["links"])) {
    const { rel, href, type } = fields(given) ?? {};
    if (lower(rel) !== "related" || typeof href !== "string") continue;
    if (lower(type) === "application/rdap+json" || href.toLowerCase().endsWith(`/domain/${name}`)) return href;
  }
  return null;
}

function fields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? [value] : [];
}

function lower(value: unknown): string {
  return typeof value === "string" ? value.trim().toLowerCase() : "";
}

function plainText(value: unknown): string | null {
  return typeof value === "string" ? cleanRegistryText(value) : null;
}

function shortText(code: number): string {
  return Number.isInteger(code) && code >= 100 && code < 1_000 ? `error ${code}` : "an unknown error";
}
