import type { z } from "zod";
import type { ProviderError } from "../provider.ts";
import type { VendorAnswer, VendorCalls, VendorRequest } from "./calls.ts";
import { PageTurner } from "./pages.ts";
import { messageIn, parsedJson } from "./text.ts";

/** A call to a vendor whose API speaks JSON. */
export interface JsonCall {
  method: VendorRequest["method"];
  /** Below the base address, starting with a slash; or a whole address. */
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Whether it may change something, if the method does not say so. */
  changes?: boolean;
  isBusy?: VendorRequest["isBusy"];
  staleAfterMilliseconds?: VendorRequest["staleAfterMilliseconds"];
}

/** The answer of a JSON API: parsed, or a refusal from 300 to 499 with the vendor's message. */
export type JsonAnswer<T> =
  | { ok: true; value: T; status: number; headers: Headers }
  | { ok: false; status: number; message: string; text: string; headers: Headers };

/** How a vendor's JSON API is called. */
interface JsonVendor {
  calls: VendorCalls;
  /** The API's address, without a slash at the end. */
  base: string;
  /** Returns the headers that authenticate a call; for each attempt if they are a signature. */
  headers: (
    request: Omit<VendorRequest, "headers" | "changes">,
  ) => VendorRequest["headers"] | Promise<VendorRequest["headers"]>;
  /** Discards credentials that were refused with 401. The call is then made once more, with new ones. */
  renew?: (refused: Readonly<Record<string, string>>) => void;
  /** What to check when credentials are refused: `Check the token and its scopes.` */
  advice: string;
  /** What is refused then: `the token`. */
  credentials: string;
  /** What they belong to. Default: `provider configuration`. */
  of?: string;
  /** Returns what is refused and what to check, if an answer says more of it than that. */
  lackIn?: (call: JsonCall, answer: VendorAnswer) => Lack | null;
  /** Whether an answer refuses the credentials. Default: statuses 401 and 403. */
  isForbidden?: (answer: VendorAnswer) => boolean;
  /** Returns the message of a refusal. Default: the message that JSON errors usually have. */
  messageOf?: (text: string) => string;
}

/** What is refused, and what to check. */
type Lack = Pick<JsonVendor, "credentials" | "advice">;

/** Makes calls to a JSON API. */
export class JsonApi {
  readonly calls: VendorCalls;
  readonly #vendor: JsonVendor;

  constructor(vendor: JsonVendor) {
    this.calls = vendor.calls;
    this.#vendor = vendor;
  }

  /**
   * Makes a call. @param schema of the answer's body; an empty body is read as null
   * @throws ProviderError if the credentials are refused, or the answer does not fit the schema
   */
  async send<T>(call: JsonCall, schema: z.ZodType<T>): Promise<JsonAnswer<T>> {
    const { base, isForbidden = isRefusedAccess, messageOf = messageIn } = this.#vendor;
    const { method, path, changes = method !== "GET", body: value, headers: extra, ...more } = call;
    const body = value === undefined ? {} : { body: JSON.stringify(value) };
    const request = { method, url: /^https?:/.test(path) ? path : `${base}${path}`, ...body };
    const fixed = {
      accept: "application/json",
      ...(value === undefined ? {} : { "content-type": "application/json" }),
      ...extra,
    };
    const sent = async () => {
      const own = await this.#vendor.headers(request);
      const headers = typeof own === "function" ? () => ({ ...fixed, ...own() }) : { ...fixed, ...own };
      return { own, answer: await this.calls.send({ ...request, headers, changes, ...more }) };
    };
    let { own, answer } = await sent();
    if (this.#vendor.renew && answer.status === 401 && typeof own === "object") {
      this.#vendor.renew(own);
      ({ own, answer } = await sent());
    }
    const message = () => `${this.calls.plain(messageOf(answer.text))} (${answer.status})`.trimStart();
    if (isForbidden(answer)) throw this.forbidden(message(), this.#vendor.lackIn?.(call, answer));
    if (answer.status >= 300) {
      return { ok: false, status: answer.status, message: message(), text: answer.text, headers: answer.headers };
    }
    const parsed = schema.safeParse(answer.text === "" ? null : parsedJson(answer.text));
    if (!parsed.success) throw this.calls.notItsApi(changes ? "unknown" : "none", parsed.error);
    return { ok: true, value: parsed.data, status: answer.status, headers: answer.headers };
  }

  /** Returns what a read returns. @param zone whose absence 404 means @throws ProviderError for any refusal */
  async read<T>(path: string, schema: z.ZodType<T>, zone?: string): Promise<{ value: T; headers: Headers }> {
    const answer = await this.send({ method: "GET", path }, schema);
    if (answer.ok) return answer;
    if (answer.status === 404 && zone !== undefined) throw this.noZone(zone);
    throw this.calls.error(answer.message, "none");
  }

  /** Returns the failure for a zone that the account does not have. */
  noZone(zone: string): ProviderError {
    return this.calls.failure(`has no zone ${zone} in this account.`, "none", { zoneMissing: true });
  }

  /** Returns the failure for refused credentials. */
  forbidden(message: string, lack?: Lack | null): ProviderError {
    const { credentials, advice } = lack ?? this.#vendor;
    const { of = "provider configuration" } = this.#vendor;
    return this.calls.failure(`rejects ${credentials} of this ${of}. ${advice} It says: ${message}`, "none");
  }
}

function isRefusedAccess({ status }: VendorAnswer): boolean {
  return status === 401 || status === 403;
}

/**
 * Reads a list whose pages lead to the next one. @param nextOf returns the path or address of the next page; null after the last
 * @param zone whose absence 404 means
 */
export async function* linkedPages<T>(
  api: JsonApi,
  first: string,
  schema: z.ZodType<T>,
  { nextOf, zone }: { nextOf: (page: T) => string | null; zone?: string | undefined },
): AsyncGenerator<T> {
  const turner = new PageTurner(api.calls.name);
  for (let path: string | null = first; path !== null;) {
    const page: T = (await api.read(path, schema, zone)).value;
    yield page;
    path = nextOf(page);
    if (path !== null) turner.turn(path);
  }
}

/** Returns the address of the next page in a Link header (RFC 8288); null if there is none. */
export function nextLink(headers: Headers): string | null {
  const [, link = null] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers.get("link") ?? "") ?? [];
  return link;
}
