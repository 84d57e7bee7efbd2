import { Agent, request } from "undici";
import { rememberSecrets } from "./log-watch.ts";

/** An answer as tests look at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, else the text. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are data of any shape; tests assert on it.
  body: any;
}

/** Half of what a call costs with `fetch` is `fetch`, so calls take what it is made of. */
const dispatcher = new Agent();

/** The headers of its own that `fetch` sends, except the one that allows compressed answers. */
const sentByFetch = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" };

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A plain REST client: what any program without our SDK would be. */
export class RestClient {
  readonly url: string;
  /** Bearer token; null for anonymous calls. */
  token: string | null;

  constructor(url: string, token: string | null = null) {
    this.url = url;
    this.token = token;
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send("POST", path, body, headers);
  }

  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send("PUT", path, body, headers);
  }

  delete(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send("DELETE", path, undefined, headers);
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const {
      statusCode,
      headers: received,
      body: content,
    } = await request(new URL(path, this.url), {
      method,
      dispatcher,
      headers: {
        ...sentByFetch,
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...lowerCased(headers),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await content.text();
    const isJson = /json/.test(String(received["content-type"] ?? ""));
    const answer = isJson && text !== "" ? JSON.parse(text) : text;
    if (statusCode >= 200 && statusCode < 300) for (const exchanged of [body, answer]) rememberSecrets(exchanged);
    return {
      status: statusCode,
      body: answer,
      // Few tests look at the headers, and parsing them takes a while.
      get headers() {
        return headersOf(received);
      },
    };
  }
}

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}
