import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { codeAt, step } from "../second-factors/authenticator-app.ts";

/** Shell functions that replace programs in the examples. */
export interface ShellHelpers {
  functions: string;
  stop(): Promise<void>;
}

/**
 * `json` as "Getting started" has it, for pages with many of it: starting Node for each takes longer than everything else. And `oathtool`, which not
 * every machine has: an app for codes that shows the next one each time that it is asked.
 */
export async function startShellHelpers(): Promise<ShellHelpers> {
  let codes = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const input = await text(request);
      const { "x-expression": expression, "x-secret": secret } = request.headers;
      const value: unknown =
        typeof secret === "string"
          ? codeAt(secret, new Date(Date.now() + codes++ * step))
          : runInNewContext(`JSON.parse(input)${String(expression)}`, { input });
      response.end(`${typeof value === "string" ? value : inspect(value)}\n`);
    })().catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    functions: [
      `json() { curl -s --fail-with-body --data-binary @- -H "x-expression: $1" ${url}; }`,
      `oathtool() { curl -s --fail-with-body -H "x-secret: $3" ${url}; }`,
    ].join("\n"),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
