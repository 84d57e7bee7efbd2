import type { HttpPort } from "../../platform/http-port.ts";
import type { ClientInfo } from "./sessions.ts";

/** What a session remembers of the program that started it. */
export function clientInfo(http: HttpPort): ClientInfo {
  return { userAgent: http.header("user-agent")?.toWellFormed() ?? null, ip: http.ip };
}
