import type { HttpPort } from "../../platform/http-port.ts";

/** The whole site, because one callback of identity providers is outside /api. */
const path = "/";
/** Maximum cookies of a kind per browser. Other sites can cause some of them, and all must fit into a request. */
const most = 8;

/** Sets a cookie named `<kind>_<id>`, and deletes the oldest of its kind beyond the maximum. */
export function setSiteCookie(http: HttpPort, cookie: { name: string; value: string; maxAgeSeconds: number }): void {
  const kind = cookie.name.replace(/_[^_]*$/, "_");
  const sent = (http.header("cookie") ?? "").split(";").map((pair) => pair.replace(/=.*$/s, "").trim());
  const others = sent.filter((name) => name.startsWith(kind) && name !== cookie.name);
  // Browsers send the oldest first (RFC 6265 §5.4).
  for (const old of others.slice(0, 1 - most)) clearSiteCookie(http, old);
  http.setCookie({ ...cookie, path });
}

export function clearSiteCookie(http: HttpPort, name: string): void {
  http.setCookie({ name, value: "", path, maxAgeSeconds: 0 });
}
