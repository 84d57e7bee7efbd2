import type { HttpPort } from "../context.ts";
import { flowSeconds, type StartedFlow } from "./flows.ts";

/** The whole site: the callback of `oidc` and `custom` is outside /api. Lax, as all our cookies: Strict ones stay away when a provider sends the browser back. */
const path = "/";

/** Binds a trip to this browser. */
export function setFlowCookie(http: HttpPort, { name, value }: StartedFlow["cookie"]): void {
  http.setCookie({ name, value, path, maxAgeSeconds: flowSeconds });
}

export function clearFlowCookie(http: HttpPort, name: string): void {
  http.setCookie({ name, value: "", path, maxAgeSeconds: 0 });
}
