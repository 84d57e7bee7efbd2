import type { NextFunction, Request, Response } from "express";
import { permitted } from "../../access/authenticator.ts";
import { type Caller, visitor } from "../../access/caller.ts";
import { refuseAuditor, errorOf, type ServerContext } from "../../api/trpc.ts";
import { logFailure } from "../../api/failures.ts";
import { MovedAway } from "../../zones/changes/pipeline.ts";
import { countCall } from "../../api/limits/requests.ts";
import type { AppError, ErrorCode } from "../../platform/errors.ts";
import { FewLines } from "../../platform/log.ts";
import { parseAddresses, type Addresses, type DynamicAddresses } from "./dynamic-addresses.ts";
import { parseHostName } from "./writable-zone.ts";

/*
 * dyndns2, the protocol of routers, ddclient and inadyn. It has no specification: this is what its clients send and understand. Answers are
 * words in plain text, one line per host, with status 200, except `badauth` with 401.
 */

const mostHosts = 20;
const procedure = "dyndns.update";

/** Answers `GET /nic/update`. */
export function dynamicAddressPage(
  createContext: (req: Request, res: Response) => ServerContext,
  { dynamicAddresses }: { dynamicAddresses: DynamicAddresses },
) {
  const strangers = new FewLines();
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    // A HEAD request must not change anything.
    if (req.method === "HEAD") {
      next();
      return;
    }
    const context = createContext(req, res);
    context.http.noteProcedure(procedure);
    const answer = (status: number, lines: readonly string[]) => {
      res
        .status(status)
        .type("text/plain; charset=utf-8")
        .send(`${lines.join("\n")}\n`);
    };
    let caller: Caller;
    try {
      caller = await callerOf(context);
    } catch (error) {
      const refused = noted(context, error, strangers);
      if (refused.code === "TOO_MANY_REQUESTS") {
        answer(200, ["abuse"]);
        return;
      }
      if (refused.code !== "UNAUTHORIZED" && refused.code !== "FORBIDDEN") {
        answer(200, ["911"]);
        return;
      }
      res.setHeader("WWW-Authenticate", 'Basic realm="Zonewright", charset="UTF-8"');
      answer(401, ["badauth"]);
      return;
    }
    answer(
      200,
      await linesFor({ context, dynamicAddresses, caller }, new URL(req.originalUrl, "http://localhost").searchParams),
    );
  };
}

async function callerOf(context: ServerContext): Promise<Caller> {
  const { gate, http, requestId } = context;
  try {
    const { caller, at } = await gate.authenticator.authenticateNarrowed(gate.database.fork(), http);
    const whole = permitted({ ...caller, at, ip: http.ip, requestId }, "records:write");
    refuseAuditor(whole, { procedure, type: "mutation", permission: "records:write" });
    await countCall(gate.requestLimits, http, whole);
    return whole;
  } catch (error) {
    const { code } = errorOf(error);
    if (code === "UNAUTHORIZED" || code === "FORBIDDEN")
      await countCall(gate.requestLimits, http, visitor(http, requestId));
    throw error;
  }
}

interface Update {
  context: ServerContext;
  dynamicAddresses: DynamicAddresses;
  caller: Caller;
}

async function linesFor(update: Update, query: URLSearchParams): Promise<string[]> {
  const hosts = listed(query.get("hostname"));
  if (hosts.length === 0) return ["notfqdn"];
  if (hosts.length > mostHosts) return ["numhost"];
  const given = [...listed(query.get("myip")), ...listed(query.get("myipv6"))];
  const addresses = parseAddresses(given.length > 0 ? given : [update.context.http.ip ?? ""]);
  if (addresses === null) return hosts.map(() => "dnserr");
  const lines: string[] = [];
  // One after another: hosts of one zone would wait for each other anyway.
  for (const host of hosts) lines.push(await lineFor(update, host, addresses));
  return lines;
}

async function lineFor(
  { context, dynamicAddresses, caller }: Update,
  host: string,
  addresses: Addresses,
): Promise<string> {
  const name = parseHostName(host);
  if (!name.ok) return "notfqdn";
  try {
    const changed = await dynamicAddresses.set(context.gate.database.fork(), caller, name.value, addresses);
    const shown = [addresses.A, addresses.AAAA].filter((address) => address !== null).join(",");
    return `${changed ? "good" : "nochg"} ${shown}`;
  } catch (error) {
    const refused = noted(context, error);
    return refused instanceof MovedAway ? "911" : (words[refused.code] ?? "dnserr");
  }
}

const words: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: "nohost",
  FORBIDDEN: "nohost",
  UNAVAILABLE: "911",
  INTERNAL_SERVER_ERROR: "911",
};

/** Logs why a call failed, which the protocol has no words for. @param lines bounds those that callers without an account cause */
function noted({ gate, requestId }: ServerContext, failure: unknown, lines?: FewLines): AppError {
  const error = errorOf(failure);
  logFailure(gate, error, { requestId, procedure });
  const write = (more: object) => {
    const fields = { requestId, procedure, code: error.code, reason: error.message, ...more };
    gate.log.info(fields, "dyndns2 call refused");
  };
  if (lines) lines.write(write);
  else write({});
  return error;
}

function listed(text: string | null): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
