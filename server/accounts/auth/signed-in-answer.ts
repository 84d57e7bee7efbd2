import type { HttpPort } from "../../platform/http-port.ts";
import { briefUser } from "../users/service.ts";
import { setRefreshCookie } from "./refresh-cookie.ts";
import type { SignedIn } from "./sign-in.ts";

/** Hands a new session over: tokens and user in the answer, the refresh token in the cookie as well. */
export function signedInAnswerOf(http: HttpPort, { accessToken, refresh, user }: SignedIn) {
  setRefreshCookie(http, refresh);
  return { accessToken, refreshToken: refresh.refreshToken, user: briefUser(user) };
}
