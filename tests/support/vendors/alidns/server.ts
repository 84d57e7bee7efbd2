import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AlidnsAccount } from "./account.ts";
import { Refused } from "./rules.ts";
import { SignatureJudge } from "./signature.ts";
import { Faults } from "../faults.ts";

/** Alibaba Cloud DNS on loopback, by its documentation ("Alidns 2015-01-09", "V3 request structure and signature"). */
export interface AlidnsServer {
  url: string;
  accessKeyId: string;
  accessKeySecret: string;
  account: AlidnsAccount;
  faults: Faults;
  /** Accepted calls, in order. */
  calls: { action: string; parameters: Record<string, string> }[];
  /** Operations for which the key has no permission. */
  denied: Set<string>;
  /** How many writes were refused because another one in their domain had not ended. */
  readonly collisions: number;
  stop(): Promise<void>;
}

const notFinished = [
  "LastOperationNotFinished",
  "You can't finish this operation because the last operation has not been finished.",
] as const;
const accessKeyId = "LTAI5tFakeKeyOfTheHarbour";
const accessKeySecret = "secret-of-the-harbour-master-7Q";

export async function startAlidnsServer(now = () => new Date()): Promise<AlidnsServer> {
  const account = new AlidnsAccount();
  const faults = new Faults();
  const judge = new SignatureJudge({ id: accessKeyId, secret: accessKeySecret }, now);
  const calls: AlidnsServer["calls"] = [];
  const denied = new Set<string>();
  /** Domains with a write that has not ended. */
  const open = new Set<string>();
  let collisions = 0;

  async function answerTo(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const say = (status: number, content: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json;charset=utf-8", ...headers });
      response.end(typeof content === "string" ? content : JSON.stringify(content));
    };
    const refuse = (status: number, code: string, message: string) =>
      say(status, {
        RequestId: randomUUID().toUpperCase(),
        HostId: "alidns.aliyuncs.com",
        Code: code,
        Message: message,
      });
    const { method = "", url: target = "", headers } = request;
    const wrong = judge.faultOf({ method, target, headers, body });
    if (wrong) return refuse(...wrong);
    const action = String(headers["x-acs-action"]);
    const { pathname, searchParams } = new URL(target, "http://alidns");
    if (method !== "POST" || pathname !== "/" || headers["x-acs-version"] !== "2015-01-09" || body !== "") {
      return refuse(404, "InvalidVersion", "Specified parameter Version is not valid.");
    }
    if (denied.has(action)) {
      return refuse(403, "Forbidden.RAM", "User not authorized to operate on the specified resource.");
    }
    const parameters = Object.fromEntries(searchParams);
    calls.push({ action, parameters });
    const written = account.domainWrittenBy(action, parameters);
    if (written !== undefined && open.has(written)) {
      collisions++;
      return refuse(400, ...notFinished);
    }
    if (written !== undefined) {
      open.add(written);
      // Long enough for calls that were sent at the same time to arrive.
      await new Promise((resolve) => setTimeout(resolve, 2));
      open.delete(written);
    }
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
      return say(200, { RequestId: randomUUID().toUpperCase(), ...content });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return refuse(error.status, error.code, error.message);
    }
  }

  // Leaves it to the client to close idle connections, as in loopback-vendor.ts.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.once("end", () => void answerTo(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessKeyId,
    accessKeySecret,
    account,
    faults,
    calls,
    denied,
    get collisions() {
      return collisions;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The body of a refusal, for faults. */
export function alidnsRefusal(code: string, message: string): object {
  return { RequestId: randomUUID().toUpperCase(), HostId: "alidns.aliyuncs.com", Code: code, Message: message };
}
