import { setSiteCookie } from "../accounts/auth/site-cookies.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { flowSeconds, type StartedFlow } from "./flows.ts";

/** Sets the cookie that binds a flow to the browser. SameSite=Lax, like all cookies here: Strict cookies are not sent on redirects from a provider. */
export function setFlowCookie(http: HttpPort, { name, value }: StartedFlow["cookie"]): void {
  setSiteCookie(http, { name, value, maxAgeSeconds: flowSeconds });
}
