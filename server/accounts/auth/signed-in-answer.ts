import type { HttpPort } from "../../platform/http-port.ts";
import { briefUser } from "../users/service.ts";
import { setRefreshCookie } from "./refresh-cookie.ts";
import type { SignedIn } from "./sign-in.ts";

/** Returns a new session's tokens and user, and sets the refresh token as a cookie too. */
export function signedInAnswerOf(http: HttpPort, { accessToken, refresh, user }: SignedIn) {
  setRefreshCookie(http, refresh);
  return { accessToken, refreshToken: refresh.refreshToken, user: briefUser(user) };
}
