import type { HttpPort } from "../../platform/http-port.ts";
import { briefUser } from "../users/service.ts";
import type { KnownDevices } from "./known-devices.ts";
import { setRefreshCookie } from "./refresh-cookie.ts";
import type { SignedIn } from "./sign-in.ts";

/** Returns a new session's tokens and user, and sets the cookies of the refresh token and the known browser. */
export function signedInAnswerOf(
  { http, services }: { http: HttpPort; services: { knownDevices: KnownDevices } },
  { accessToken, refresh, user }: SignedIn,
) {
  setRefreshCookie(http, refresh);
  services.knownDevices.remember(http, user);
  return { accessToken, refreshToken: refresh.refreshToken, user: briefUser(user) };
}
