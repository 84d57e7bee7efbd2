import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DnspodAccount } from "./account.ts";
import { Refused } from "./rules.ts";
import { signatureFault } from "./signature.ts";
import { Faults } from "../faults.ts";

/** DNSPod on loopback, by its documentation (Tencent Cloud API 3.0, `dnspod` of 2021-03-23). */
export interface DnspodServer {
  url: string;
  secretId: string;
  secretKey: string;
  account: DnspodAccount;
  faults: Faults;
  /** Accepted calls, in order. */
  calls: { action: string; parameters: Record<string, unknown> }[];
  /** Actions for which the key has no permission. */
  denied: Set<string>;
  stop(): Promise<void>;
}

const secretId = "AKIDFakeKeyOfTheHarbour";
const secretKey = "key-of-the-harbour-master-9Z";

export async function startDnspodServer(now = () => new Date()): Promise<DnspodServer> {
  const account = new DnspodAccount();
  const faults = new Faults();
  const calls: DnspodServer["calls"] = [];
  const denied = new Set<string>();

  function answerTo(request: IncomingMessage, response: ServerResponse, body: string): void {
    const say = (status: number, content: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof content === "string" ? content : JSON.stringify(content));
    };
    const refuse = (code: string, message: string) => say(200, dnspodRefusal(code, message));
    const { method = "", url: target = "", headers } = request;
    if (method !== "POST" || target !== "/") return refuse("InvalidRequest", "The request is not a POST to /.");
    if (!/^application\/json\b/.test(headers["content-type"] ?? "")) {
      return refuse("UnsupportedProtocol", "The content type must be application/json.");
    }
    const wrong = signatureFault({ method, target, headers, body }, { id: secretId, key: secretKey }, now());
    if (wrong) return refuse(...wrong);
    if (headers["x-tc-version"] !== "2021-03-23") return refuse("NoSuchVersion", "The version does not exist.");
    const action = String(headers["x-tc-action"]);
    if (denied.has(action)) {
      return refuse(
        "AuthFailure.UnauthorizedOperation",
        `You are not authorized to perform operation (dnspod:${action}).`,
      );
    }
    const parameters = JSON.parse(body) as Record<string, unknown>;
    calls.push({ action, parameters });
    const fault = faults.take(action);
    if (fault?.kind === "refuses") return say(fault.status, fault.body, fault.headers);
    if (fault?.kind === "does later") {
      faults.later(() => void account.call(action, parameters));
      return say(fault.status, fault.body);
    }
    try {
      const content = account.call(action, parameters);
      if (fault?.kind === "cuts after") return void request.socket.destroy();
      if (fault) return say(fault.status, fault.body);
      return say(200, { Response: { ...content, RequestId: randomUUID() } });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return refuse(error.code, error.message);
    }
  }

  // Leaves it to the client to close idle connections, as in loopback-vendor.ts.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.once("end", () => answerTo(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretId,
    secretKey,
    account,
    faults,
    calls,
    denied,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The body of a refusal. */
export function dnspodRefusal(code: string, message: string): object {
  return { Response: { Error: { Code: code, Message: message }, RequestId: randomUUID() } };
}
