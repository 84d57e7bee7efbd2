import type { HttpPort } from "../platform/http-port.ts";
import { flowSeconds, type StartedFlow } from "./flows.ts";

/** The whole site: the callback of `oidc` and `custom` is outside /api. Lax, as all our cookies: Strict ones stay away when a provider sends the browser back. */
const path = "/";
/** More flows at once than people make. Another site can have a window of theirs set out without end, and a browser's cookies have to fit into a request. */
const most = 8;

/** Binds a flow to this browser. */
export function setFlowCookie(http: HttpPort, { name, value }: StartedFlow["cookie"]): void {
  setSiteCookie(http, { name, value, maxAgeSeconds: flowSeconds });
}

/** Sets a cookie whose name ends with `_` and what it belongs to, and takes the oldest of its kind away where there are many. */
export function setSiteCookie(http: HttpPort, cookie: { name: string; value: string; maxAgeSeconds: number }): void {
  const kind = cookie.name.replace(/_[^_]*$/, "_");
  const sent = (http.header("cookie") ?? "").split(";").map((pair) => pair.replace(/=.*$/s, "").trim());
  // Browsers send the oldest first (RFC 6265 §5.4).
  for (const old of sent.filter((name) => name.startsWith(kind)).slice(0, 1 - most)) clearSiteCookie(http, old);
  http.setCookie({ ...cookie, path });
}

export function clearSiteCookie(http: HttpPort, name: string): void {
  http.setCookie({ name, value: "", path, maxAgeSeconds: 0 });
}
