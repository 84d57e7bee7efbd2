import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Zonewright } from "./zonewright.ts";

interface ProxiedAnswer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

/** What the service answers when a limit is reached. */
export function limited(retryAfterSeconds: number): ProxiedAnswer {
  const headers = { "content-type": "application/problem+json", "retry-after": String(retryAfterSeconds) };
  return { status: 429, text: JSON.stringify({ title: "Too many calls.", code: "TOO_MANY_REQUESTS" }), headers };
}

/** Answers a call instead of the service; null cuts the connection, undefined leaves it to the service. */
type Intercept = (url: string, forward: () => Promise<ProxiedAnswer>) => Promise<ProxiedAnswer | null | undefined>;

/** Starts a proxy in front of a service until the test ends. @returns its address */
export async function proxyOf(zw: Zonewright, intercept: Intercept): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "", headers } = request;
    const body = await textOf(request);
    const sent = Object.entries(headers).filter(([name]) =>
      ["authorization", "content-type", "idempotency-key"].includes(name),
    );
    const forward = async (): Promise<ProxiedAnswer> => {
      const init = { method, headers: Object.fromEntries(sent) as Record<string, string> };
      const got = await fetch(`${zw.url}${url}`, body === "" ? init : { ...init, body });
      return { status: got.status, text: await got.text() };
    };
    const given = await intercept(url, forward);
    if (given === null) {
      response.destroy();
      return;
    }
    const { status, text, headers: own } = given ?? (await forward());
    const type = text.startsWith("<") ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...own }).end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
