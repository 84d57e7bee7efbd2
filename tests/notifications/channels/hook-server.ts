import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface ReceivedCall {
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
  json: Record<string, unknown>;
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Receives what channels send, and replies as configured. */
export interface HookServer {
  url: string;
  calls: ReceivedCall[];
  /** Sets the reply to further calls; a function receives the call. */
  reply(with_: Reply | ((call: ReceivedCall) => Reply)): void;
  stop(): Promise<void>;
}

function taken(): Reply {
  return {};
}

export async function startHookServer(): Promise<HookServer> {
  const calls: ReceivedCall[] = [];
  let reply: (call: ReceivedCall) => Reply = taken;
  const server = createServer((req, res) => {
    void (async () => {
      const { pathname: path, searchParams: query } = new URL(req.url ?? "/", "http://hooks.test");
      const body = await text(req);
      const call = { path, query, headers: req.headers, text: body, json: JSON.parse(body) as Record<string, unknown> };
      calls.push(call);
      const { status = 200, headers = {}, body: answer = {} } = reply(call);
      res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(answer));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    reply(with_) {
      reply = typeof with_ === "function" ? with_ : () => with_;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
