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
} from "../registration.ts";
import { readRdapAnswer, type RdapAnswer, type RdapRegistration } from "./answer.ts";
import type { Patience, ServerPace } from "../server-pace.ts";

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
