import { problemError, unexpectedAnswer, type AnswerHead } from "./answer-errors.ts";
import { abortedError, networkError, timeoutError } from "./errors.ts";
import { follow } from "./pause.ts";

/** The part of `fetch` that the client uses; the global one and its wrappers fit. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** What the client reads of a response. */
export type Received = Pick<Response, "ok" | "status" | "headers" | "body" | "text">;

/** Sends a request as {@link Fetch} does. */
export type Send = (url: string, init?: RequestInit) => Promise<Received>;

/** A JSON response, read to its end. */
export interface Answer extends AnswerHead {
  readonly ok: boolean;
  json(): Promise<unknown>;
}

/** `request` with a timeout for the whole exchange. @param seconds 0: none. */
export function timedRequest(seconds: number): typeof request {
  if (seconds === 0) return request;
  return async (fetch, url, init) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), seconds * 1000);
    const unfollow = follow(timeout, init.signal);
    try {
      return await request(fetch, url, { ...init, signal: timeout.signal });
    } catch (error) {
      if (!timeout.signal.aborted || init.signal?.aborted) throw error;
      throw timeoutError(url.replace(/\?.*$/s, ""), seconds, error);
    } finally {
      clearTimeout(timer);
      unfollow();
    }
  };
}

/**
 * Sends one request and reads its JSON response, of any status.
 * @throws ZonewrightError for a problem document, a response that is not JSON, no response, or an aborted signal.
 */
export async function request(fetch: Send, url: string, init: RequestInit): Promise<Answer> {
  const address = url.replace(/\?.*$/s, "");
  let response: Received;
  let text: string;
  try {
    response = await fetch(url, init);
    text = await response.text();
  } catch (cause) {
    throw init.signal?.aborted ? abortedError(cause) : networkError(address, cause);
  }
  const { ok, status, headers } = response;
  const head = { status, headers };
  const body = parsed(headers.get("content-type"), text);
  if (body.kind === "json") return { ok, ...head, json: () => Promise.resolve(body.value) };
  throw body.kind === "problem" ? problemError(head, body.value) : unexpectedAnswer(address, head);
}

type Body =
  | { kind: "json"; value: unknown }
  | { kind: "problem"; value: Readonly<Record<string, unknown>> }
  | { kind: "other" };

function parsed(contentType: string | null, text: string): Body {
  const type = (contentType ?? "").replace(/;.*$/s, "").trim().toLowerCase();
  if (type !== "application/json" && type !== "application/problem+json") return { kind: "other" };
  try {
    const value: unknown = JSON.parse(text);
    if (type === "application/json") return { kind: "json", value };
    return typeof value === "object" && value !== null ? { kind: "problem", value: { ...value } } : { kind: "other" };
  } catch {
    return { kind: "other" };
  }
}
