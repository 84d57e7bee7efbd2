import type { HttpPort } from "../../platform/http-port.ts";
import type { ClientInfo } from "./sessions.ts";

/** Returns the details of the client program that opens a session. */
export function clientInfo(http: HttpPort): ClientInfo {
  return {
    userAgent: http.header("user-agent")?.toWellFormed() ?? null,
    ip: http.ip,
    cookie: (name) => http.cookie(name),
  };
}
