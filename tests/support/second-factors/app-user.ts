import { codeAt, setUpApp, step } from "./authenticator-app.ts";
import type { Clock } from "../clock.ts";
import { RestClient, type Answer } from "../rest-client.ts";
import { memberPassword, type Zonewright } from "../zonewright.ts";

/** A member whose account is protected by an authenticator app. */
export interface AppUser {
  username: string;
  /** Signed in. */
  client: RestClient;
  secret: string;
  recoveryCodes: string[];
}

/** Makes a member with an authenticator app; the clock stands one step after the code that turned it on. */
export async function appUser(zw: Zonewright, clock: Clock, username: string): Promise<AppUser> {
  const client = await zw.member(username);
  const secret = await setUpApp(client, clock.now());
  const { status, body } = await client.post("/api/2fa/totp/enable", { code: codeAt(secret, clock.now()) });
  if (status !== 200) throw new Error(`The app could not be turned on: ${JSON.stringify(body)}`);
  clock.advance(step);
  return { username, client, secret, recoveryCodes: body.recoveryCodes };
}

export function login(zw: Zonewright, username: string, rememberMe = false): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password: memberPassword, rememberMe });
}

/** Signs in with the password only; the client's bearer is the `tempToken`. */
export async function awaitingSecondFactor(zw: Zonewright, username: string, rememberMe = false): Promise<RestClient> {
  const { body } = await login(zw, username, rememberMe);
  if (body.requires2FA !== true) throw new Error(`No second factor was asked for: ${JSON.stringify(body)}`);
  return new RestClient(zw.url, body.tempToken);
}

/** The statuses of answers, the lowest first. */
export function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}
