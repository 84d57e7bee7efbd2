import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CallLimits, type CallLimit } from "./call-limits.ts";

/** A call as received. */
export interface VendorCall {
  method: string;
  url: URL;
  /** As in the request line, for signatures. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface VendorReply {
  status: number;
  headers?: Record<string, string | string[]>;
  body: string;
}

/** The fault of a call: another answer than the vendor's own, or none, before or after it is carried out. */
export interface VendorFault {
  after: boolean;
  /** Null: the connection is cut. `never`: it stays open without an answer. A function changes the vendor's own answer. */
  reply: VendorReply | null | "never" | ((own: VendorReply) => VendorReply);
}

export interface LoopbackVendor {
  url: string;
  /** All calls so far. */
  calls: VendorCall[];
  /** Makes the next calls that `matches` accepts fail, in order. */
  failNext: (fault: VendorFault, times?: number, matches?: (call: VendorCall) => boolean) => void;
  /** Discards the remaining faults. */
  forgetFaults: () => void;
  /** Cuts the connections of the calls that get no answer. */
  cutUnanswered: () => void;
  /** Runs an action and waits for it just before each of the next calls that `matches` accepts, such as an edit made elsewhere. */
  meanwhile: (matches: (call: VendorCall) => boolean, act: () => unknown, times?: number) => void;
  /** Refuses calls above limits from now on, with the seconds until there is room again. */
  limitCalls: (limits: readonly CallLimit[], now: () => Date, refusal: (seconds: number) => VendorReply) => CallLimits;
  stop: () => Promise<void>;
}

/** An HTTP server on loopback that stands for a vendor's API, with faults on demand. */
export async function startLoopbackVendor(handle: (call: VendorCall) => VendorReply): Promise<LoopbackVendor> {
  const calls: VendorCall[] = [];
  const faults: { fault: VendorFault; matches: (call: VendorCall) => boolean }[] = [];
  const edits: { matches: (call: VendorCall) => boolean; act: () => unknown }[] = [];
  const unanswered = new Set<ServerResponse>();
  let limits: CallLimits | undefined;
  let refusal: ((seconds: number) => VendorReply) | undefined;
  const answer = async (call: VendorCall, response: ServerResponse) => {
    calls.push(call);
    const wait = limits?.take() ?? 0;
    if (wait > 0 && refusal) {
      const { status, headers, body } = refusal(wait);
      response.writeHead(status, headers).end(body);
      return;
    }
    const edit = edits.findIndex(({ matches }) => matches(call));
    if (edit !== -1) for (const { act } of edits.splice(edit, 1)) await act();
    const index = faults.findIndex(({ matches }) => matches(call));
    const [planned] = index === -1 ? [] : faults.splice(index, 1);
    const own = planned && !planned.fault.after ? null : handle(call);
    const fault = planned ? planned.fault.reply : own;
    const reply = typeof fault === "function" ? fault(own ?? handle(call)) : fault;
    if (reply === "never") {
      unanswered.add(response);
      return;
    }
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    else response.destroy();
  };
  // Leaves it to the client to close connections that are idle. If both did, a busy process could send a call on one that the server just closed.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const target = request.url ?? "/";
      const url = new URL(target, "http://127.0.0.1");
      const body = Buffer.concat(chunks).toString("utf8");
      void answer({ method: request.method ?? "", url, target, headers: request.headers, body }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    failNext(fault, times = 1, matches = () => true) {
      for (let count = 0; count < times; count++) faults.push({ fault, matches });
    },
    forgetFaults: () => void faults.splice(0),
    cutUnanswered() {
      for (const response of unanswered) response.destroy();
      unanswered.clear();
    },
    meanwhile(matches, act, times = 1) {
      for (let count = 0; count < times; count++) edits.push({ matches, act });
    },
    limitCalls(most, now, refused) {
      refusal = refused;
      return (limits = new CallLimits(most, now));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
