import type { HttpPort } from "../platform/http-port.ts";
import { flowSeconds, type StartedFlow } from "./flows.ts";

/** The whole site, because one callback is outside /api. SameSite=Lax, like all cookies here: Strict cookies are not sent on redirects from a provider. */
const path = "/";
/** Maximum concurrent flows per browser. Another site could start flows endlessly, and the cookies must fit into a request. */
const most = 8;

/** Sets the cookie that binds a flow to the browser. */
export function setFlowCookie(http: HttpPort, { name, value }: StartedFlow["cookie"]): void {
  setSiteCookie(http, { name, value, maxAgeSeconds: flowSeconds });
}

/** Sets a cookie named `<kind>_<id>`, and deletes the oldest of its kind beyond the maximum. */
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
