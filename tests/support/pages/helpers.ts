import { createServer, type AddressInfo } from "node:net";
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
 * every machine has: an app for codes that shows the next one each time that it is asked. The shell asks without starting a program. Between two
 * looks at a job of few zones, `sleep` takes less than a second.
 */
export async function startShellHelpers(): Promise<ShellHelpers> {
  let codes = 0;
  const answers: Readonly<Record<string, (given: string, input: string) => unknown>> = {
    json: (expression, input) => runInNewContext(`JSON.parse(input)${expression}`, { input }),
    oathtool: (secret) => codeAt(secret, new Date(Date.now() + codes++ * step)),
  };
  /** A text begins with whether it is an answer. */
  const answer = (name: string, given: string, input: string) => {
    try {
      const value = answers[name]?.(given, input);
      return `+${typeof value === "string" ? value : inspect(value)}\n`;
    } catch (error) {
      return `-${String(error)}\n`;
    }
  };
  const server = createServer((socket) => {
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      const [name = "", given = "", input = "", ...rest] = received.split("\0");
      if (rest.length > 0) socket.end(answer(name, given, input));
    });
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    functions: [
      "ask() {",
      "  local answer",
      `  exec 9<>/dev/tcp/127.0.0.1/${port}`,
      String.raw`  printf '%s\0' "$@" >&9`,
      "  IFS= read -r -d '' answer <&9 || true",
      "  exec 9>&-",
      `  printf '%s' "\${answer:1}"`,
      '  [ "${answer:0:1}" = + ]',
      "}",
      'json() { ask json "$1" "$(</dev/stdin)"; }',
      'oathtool() { ask oathtool "$3" ""; }',
      "sleep() { command sleep 0.2; }",
    ].join("\n"),
    async stop() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
