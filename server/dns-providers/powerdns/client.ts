import { z } from "zod";
import type { Egress } from "../../platform/net/egress.ts";
import { EgressError } from "../../platform/net/egress-error.ts";
import { ProviderError } from "../provider.ts";
import { messageIn, shownText } from "../vendor-api/text.ts";

/** A refusal. `reason` is the server's own message, with the key masked. */
interface Refusal {
  status: number;
  reason: string;
  /** The message as received, for parsing only; it must not be shown. */
  said: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** Makes calls below `/api/v1/servers/{id}` of one server. */
export interface PowerdnsClient {
  /** @throws ProviderError with effect `none` if there is no answer, or it does not fit the schema. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<Answer<T>>;
  /** @throws ProviderError with effect `unknown` if it may have been carried out. */
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Answer<null>>;
}

interface PowerdnsAccess {
  url: string;
  apiKey: string;
  serverId: string;
  /** Milliseconds for a whole answer. */
  timeoutMilliseconds: number;
}

/** A zone of a million records is about 150 MB of JSON. */
const maxBytes = 256 * 1024 * 1024;

export function powerdnsClient(
  { url, apiKey, serverId, timeoutMilliseconds }: PowerdnsAccess,
  egress: Egress,
): PowerdnsClient {
  const base = `${url.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1/servers/${encodeURIComponent(serverId)}`;

  async function call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ): Promise<Response> {
    try {
      return await egress.guardedFetch(`${base}${path}`, {
        reach: "inside",
        method,
        headers: { "x-api-key": apiKey, accept: "application/json", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        deadlineMilliseconds: timeoutMilliseconds,
        maxBytes,
      });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const effect = error.sent && method !== "GET" ? "unknown" : "none";
      throw new ProviderError(`PowerDNS: ${error.message}`, effect, { cause: error });
    }
  }

  /** Returns a refusal of the call itself. @throws ProviderError for a failure that no other call would avoid. */
  async function refusalOf(response: Response, effect: "none" | "unknown"): Promise<Refusal> {
    const { status } = response;
    const said = messageIn(await response.text());
    const reason = shownText(said, [apiKey]);
    if (status === 401 || status === 403) {
      throw new ProviderError(
        "PowerDNS rejects the API key of this provider configuration; enter the server's api-key again.",
        "none",
      );
    }
    if (status >= 500) throw new ProviderError(`PowerDNS failed (${status}): ${reason}`, effect);
    if (status === 413 || (status === 400 && reason === "Bad Request")) {
      throw new ProviderError(
        "PowerDNS does not accept a change of this size in one call. Raise its setting webserver-max-bodysize, or change less at once.",
        "none",
      );
    }
    return { status, reason, said };
  }

  return {
    async get(path, schema) {
      const response = await call("GET", path);
      if (!response.ok) return { ok: false, refusal: await refusalOf(response, "none") };
      const parsed = schema.safeParse(await response.json().catch(() => null));
      if (!parsed.success) {
        throw new ProviderError("The answer does not look like the PowerDNS API. Check the address.", "none", {
          cause: parsed.error,
        });
      }
      return { ok: true, value: parsed.data };
    },
    async send(method, path, body) {
      const response = await call(method, path, body);
      if (!response.ok) return { ok: false, refusal: await refusalOf(response, "unknown") };
      return { ok: true, value: null };
    },
  };
}

// The parts of PowerDNS's API in use (https://doc.powerdns.com/authoritative/http-api/zone.html). Other fields are ignored.

const record = z.object({ content: z.string(), disabled: z.boolean().default(false) });

const rrset = z.object({
  /** Absolute, with a trailing dot. */
  name: z.string(),
  type: z.string(),
  ttl: z.int().default(0),
  records: z.array(record).default([]),
});

/** An RRset on the server. Its comments are left out, because the server keeps what is not sent. */
export type ServedRrset = z.infer<typeof rrset>;

export const zoneList = z.array(z.object({ name: z.string() }));

export const zoneState = z.object({
  kind: z.string(),
  serial: z.int(),
  /** How the server raises the serial when the API changes the zone; empty: not at all. */
  soa_edit_api: z.string().default(""),
  /** Whether it has keys, or signatures from elsewhere. */
  dnssec: z.boolean().default(false),
});

/** `["1"]` if set, otherwise `[]`. */
export const zoneMetadata = z.object({ metadata: z.array(z.string()) });

export const zoneWithRrsets = zoneState.extend({ rrsets: z.array(rrset) });

/** The keys of a zone. `dnskey` is the record's data as in a zone file. */
export const zoneKeys = z.array(
  z.object({
    id: z.int(),
    dnskey: z.string().default(""),
    active: z.boolean().default(false),
    published: z.boolean().default(true),
  }),
);

/** An RRset that replaces the present one as a whole. */
export interface RrsetReplacement {
  name: string;
  type: string;
  ttl: number;
  changetype: "REPLACE";
  records: { content: string; disabled: boolean }[];
}

/**
 * Returns a zone's id for use in paths: its name with a trailing dot, and `=XX` for all but letters, digits, dots and hyphens, so
 * that a slash (RFC 2317) does not split the path.
 */
export function zoneId(zone: string): string {
  return `${zone.replaceAll(/[^a-z0-9.-]+/gi, encoded)}.`;
}

function encoded(part: string): string {
  return [...Buffer.from(part)].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
