import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createEgress, type Egress, type EgressOptions } from "../../../server/platform/net/egress.ts";
import { EgressError } from "../../../server/platform/net/egress-error.ts";

/** An egress guard with its own names, closed after the test. Each lookup of a name uses its next answer; the last one repeats. */
export function openDoor(
  names: Readonly<Record<string, string[][]>> = {},
  options: Partial<EgressOptions> = {},
): Egress & { lookUps: string[] } {
  const lookUps: string[] = [];
  const egress = createEgress({
    allow: [],
    now: () => new Date(),
    lookup: async (host) => {
      const answers = names[host];
      if (!answers) throw new Error(`${host} is not known`);
      const answer = answers[Math.min(lookUps.filter((name) => name === host).length, answers.length - 1)];
      lookUps.push(host);
      return answer ?? [];
    },
    ...options,
  });
  onTestFinished(() => egress.close());
  return { ...egress, lookUps };
}

/** An HTTP server on all loopback addresses that counts its calls. */
export interface Listener {
  port: number;
  /** The local address of each connection. */
  connections: string[];
}

export async function listen(
  server: Server = createServer((_request, answer) => answer.end("here")),
): Promise<Listener> {
  const connections: string[] = [];
  server.on("connection", (socket: Socket) => connections.push(socket.localAddress ?? ""));
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<EgressError> {
  const end = await call.then(
    () => new Error("The call went through."),
    (error: unknown) => error,
  );
  if (end instanceof EgressError) return end;
  throw end;
}
