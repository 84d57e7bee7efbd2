import { rememberSecrets } from "./log-watch.ts";

/** An answer as tests look at it. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, else the text. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are data of any shape; tests assert on it.
  body: any;
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
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: "manual",
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "");
    const answer = json && text !== "" ? JSON.parse(text) : text;
    if (response.ok) for (const exchanged of [body, answer]) rememberSecrets(exchanged);
    return { status: response.status, headers: response.headers, body: answer };
  }
}
