import { createTRPCClient, httpLink } from "@trpc/client";
import type {
  AppRouter,
  InAppNotification,
  RouterInputs,
  RouterOutputs,
  SecondFactorMethod,
  User,
} from "./app-router.ts";
import { authorizedRequest, plainHeaders, withBearer } from "./authorized-request.ts";
import { listHelpers, type ListHelpers } from "./each.ts";
import { errorLink } from "./error-link.ts";
import { notificationsLink } from "./notifications-link.ts";
import { streamOpener } from "./open-stream.ts";
import { settingsOf, type ClientOptions } from "./options.ts";
import type { Procedures } from "./procedures.ts";
import { Reauthentication, reauthenticationLink, type ConfirmationProof } from "./reauthentication.ts";
import { timedRequest } from "./request.ts";
import { idempotencyKey, retryingFetch, uniqueKey } from "./retrying-fetch.ts";
import { repeated, SessionKeeper } from "./session.ts";
import { traced } from "./traced.ts";
import { transformer } from "./transformer.ts";
import { zoneWatchLink } from "./zone-watch-link.ts";
import { zoneHelpers, type ZoneHelpers } from "./zones.ts";
import { servingHelpers, type ServingHelpers } from "./wait-until-served.ts";
import { watchNotifications, type WatchOptions } from "./watch-notifications.ts";

/** The input of {@link ClientHelpers.signIn}. */
export interface Credentials {
  /** Case does not matter. */
  username: string;
  /** The client does not store it. */
  password: string;
  /** Whether the session lasts 30 days from its last use, instead of 24 hours. Default: false. */
  rememberMe?: boolean | undefined;
}

/** The result of a sign-in. Check `kind`: later versions may add kinds. */
export type SignInResult =
  | { kind: "signedIn"; user: User }
  /** The password is correct. Call {@link ClientHelpers.completeSecondFactor} within ten minutes. */
  | { kind: "secondFactorNeeded"; methods: SecondFactorMethod[] };

/** The input of {@link ClientHelpers.completeSecondFactor}: a code, or the response of the browser's authenticator. */
export type SecondFactor =
  | { method: "totp" | "email" | "recovery"; code: string }
  | { method: "passkey"; credential: NonNullable<RouterInputs["twoFactor"]["verify"]["credential"]> };

/** The input of {@link ClientHelpers.signInWithPasskey}. */
export type PasskeyCredentials = RouterInputs["auth"]["passkey"];

/** The input of {@link ClientHelpers.completeExternalSignIn}: the ticket, or the URL of the page that the browser returned to. */
export type ExternalSignIn = { ticket: string } | { url: string | URL };

/** The input of {@link ClientHelpers.completeExternalRegistration}: the token from the page's URL, and an invitation. */
export interface ExternalRegistration {
  /** The identity provider that the browser returned from, such as `github`. */
  providerId: string;
  /** The `pending_token` of the page's URL. */
  pendingToken: string;
  /** The invitation code from an administrator. */
  inviteCode: string;
}

/** Helpers in addition to the procedures. */
export interface ClientHelpers extends ListHelpers, ZoneHelpers, ServingHelpers {
  /**
   * Starts a session. The client's calls use it and renew it.
   * @throws ZonewrightError UNAUTHORIZED if the username or password is wrong.
   */
  signIn(credentials: Credentials): Promise<SignInResult>;
  /**
   * Completes a sign-in that needs a second factor. Before that, `twoFactor.sendEmailCode` and `twoFactor.passkeyOptions` can be called for it.
   * @throws ZonewrightError UNAUTHORIZED if the code or credential is wrong, or no sign-in is waiting for one.
   */
  completeSecondFactor(proof: SecondFactor): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /** Signs in with a passkey alone: the authenticator's response to the options of `auth.passkeyOptions`. */
  signInWithPasskey(credentials: PasskeyCredentials): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /**
   * Completes a sign-in with an identity provider within a minute, from `?ticket=…` of the page's URL. The refresh token is only in the
   * browser's cookie. Send cookies with the call, because a ticket works only in the browser that received it.
   * @throws ZonewrightError UNAUTHORIZED if the ticket was used, has expired, or belongs to another browser.
   */
  completeExternalSignIn(from: ExternalSignIn): Promise<SignInResult>;
  /** Creates an account after a return with `?needs_invite=true&pending_token=…`, within ten minutes, and signs in. */
  completeExternalRegistration(account: ExternalRegistration): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /**
   * Confirms the session. Calls that add, replace or remove a way into the account need a session confirmed within the last ten minutes, and
   * fail with REAUTHENTICATION_REQUIRED otherwise. A sign-in counts as a confirmation. `confirmedUntil` of `auth.me` says when it expires.
   * @example
   * await client.confirm({ password });
   * await client.confirm({ password, method: "totp", code }); // with a second factor
   * @throws ZonewrightError FORBIDDEN if the password, code or credential is wrong, TOO_MANY_REQUESTS after too many wrong ones, CONFLICT if the
   * account has no password: then use a passkey, or sign in again.
   */
  confirm(proof: ConfirmationProof): Promise<RouterOutputs["auth"]["confirm"]>;
  /**
   * Ends the session. If that fails, the error is thrown. A session whose refresh token the client holds is dropped. One in the browser's cookie
   * continues, because the cookie would resume it: sign out again.
   */
  signOut(): Promise<void>;
  /**
   * Yields the user's notifications as they happen, each once. Reconnects after a lost connection, with a fresh access token if needed, and
   * catches up on missed notifications. Leaving the loop ends the stream.
   * @throws ZonewrightError UNAUTHORIZED if the session ends, FORBIDDEN if the user turns notifications off, TOO_MANY_REQUESTS if the user
   * already has five streams open.
   */
  watchNotifications(options?: WatchOptions): AsyncGenerator<InAppNotification, void, undefined>;
}

/**
 * Zonewright's procedures as a tRPC client, and a few helpers. A call takes tRPC's options: `signal` aborts it, and
 * `context: { headers }` adds headers to its request, such as `If-Match`. Calls fail with a `ZonewrightError`.
 */
export type Client = Procedures & ClientHelpers;

/** Procedures that need no session, or take credentials in their input: a 401 is about these, not about the session. */
const selfContained: ReadonlySet<string> = new Set<OpenProcedure>([
  "auth.login",
  "auth.refresh",
  "auth.logout",
  "auth.register",
  "auth.forgotPassword",
  "auth.resetPassword",
  "auth.passkeyOptions",
  "auth.passkey",
  "auth.verifyEmail",
  "auth.cliToken",
  "auth.startDevice",
  "auth.deviceToken",
  "identity.providers",
  "identity.exchangeTicket",
  "identity.register",
]);
type OpenProcedure = `auth.${keyof RouterInputs["auth"]}` | `identity.${keyof RouterInputs["identity"]}`;

/** The mutations that are repeated: they take an `Idempotency-Key`, or change nothing. Of the calls for templates, administrators' take none. */
const keyed =
  /^(acme|assignments|changeRequests|delegation|dnssec|domains|mirrors|notifications|portfolio|records|registrations|replacements|secondaries|snapshots|tlsHosts|v1|templates\.(plan|applyPlan|unlink))\b/;

/** Procedures that need a sign-in waiting for its second factor. */
const awaitingSecondFactor: ReadonlySet<string> = new Set<`twoFactor.${keyof RouterInputs["twoFactor"]}`>([
  "twoFactor.verify",
  "twoFactor.sendEmailCode",
  "twoFactor.passkeyOptions",
]);

/**
 * Creates a client. It sends nothing before the first call.
 * @throws TypeError if an option is invalid, such as a URL without its scheme
 */
export function createClient(options: ClientOptions): Client {
  const { url, token, session: initial, retries, timeoutSeconds, fetch: send, ...hooks } = settingsOf(options);
  const { onSessionChange, onReauthentication } = hooks;
  const fetch = retryingFetch(send, retries, timeoutSeconds);
  const request = timedRequest(timeoutSeconds);

  // Over REST, because the browser sends the refresh cookie only to /api.
  const post = async (path: string, input: object, bearer: string | null) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(input) };
    return await (await request(fetch, url + path, withBearer(init, bearer))).json();
  };
  const sessionCall = (path: string, refreshToken: string | null, bearer: string | null) =>
    post(path, refreshToken === null ? {} : { refreshToken }, bearer);
  const session = new SessionKeeper({
    initial,
    onChange: onSessionChange,
    renew: (refreshToken) =>
      repeated(
        async () => (await sessionCall("/api/auth/refresh", refreshToken, null)) as RouterOutputs["auth"]["refresh"],
      ),
  });

  const sender = { fetch, session, token };
  const openNotifications = (signal: AbortSignal | undefined) =>
    streamOpener(sender, `${url}/api/notifications/stream`, signal);

  const confirm: ClientHelpers["confirm"] = async (proof) => await trpc.auth.confirm.mutate(proof);
  const reauthentication =
    onReauthentication && new Reauthentication(session, async (error) => await onReauthentication({ error, confirm }));

  /** The `tempToken` of the sign-in that is waiting for its second factor. */
  let tempToken: string | null = null;
  const trpcUrl = `${url}/trpc`;
  const trpc = createTRPCClient<AppRouter>({
    links: [
      ...(reauthentication ? [reauthenticationLink(reauthentication)] : []),
      errorLink(trpcUrl),
      notificationsLink(openNotifications),
      zoneWatchLink((watchedUrl, signal, begin) => streamOpener(sender, trpcUrl + watchedUrl, signal, begin)),
      httpLink({
        url: trpcUrl,
        transformer,
        headers: ({ op: { type, path, context } }) => {
          const given = plainHeaders(context["headers"] as RequestInit["headers"]);
          return type === "mutation" && keyed.test(path) ? { [idempotencyKey]: uniqueKey(), ...given } : given;
        },
        fetch: async (address, init) => {
          // The link passes it as text.
          const target = address as string;
          const procedure = target.slice(trpcUrl.length + 1).replace(/\?.*$/s, "");
          if (awaitingSecondFactor.has(procedure))
            return await request(fetch, target, withBearer(init as RequestInit, tempToken));
          return selfContained.has(procedure)
            ? await request(fetch, target, withBearer(init as RequestInit, session.session?.accessToken ?? null))
            : await authorizedRequest(sender, target, init as RequestInit, request);
        },
      }),
    ],
  });

  const started = ({ user, ...tokens }: RouterOutputs["twoFactor"]["verify"]) => {
    tempToken = null;
    session.replace(tokens);
    return { kind: "signedIn", user } as const;
  };
  const half = (needed: Extract<RouterOutputs["auth"]["login"], { requires2FA: true }>): SignInResult => {
    tempToken = needed.tempToken;
    return { kind: "secondFactorNeeded", methods: needed.methods };
  };
  const procedures = traced(trpc);
  const helpers: ClientHelpers = {
    async signIn({ username, password, rememberMe = false }) {
      const answer = await trpc.auth.login.mutate({ username, password, rememberMe });
      return "requires2FA" in answer ? half(answer) : started(answer);
    },
    async completeSecondFactor(proof) {
      return started(await trpc.twoFactor.verify.mutate(proof));
    },
    async signInWithPasskey(credentials) {
      return started(await trpc.auth.passkey.mutate(credentials));
    },
    async completeExternalSignIn(from) {
      const ticket = "ticket" in from ? from.ticket : new URL(from.url).searchParams.get("ticket");
      if (!ticket)
        throw new TypeError("This URL has no ticket. Pass the URL that the browser returned to, or the ticket itself.");
      const path = "/api/auth/oauth/exchange-ticket";
      const answer = (await post(path, { ticket }, null)) as RouterOutputs["identity"]["exchangeTicket"];
      if ("requires2FA" in answer) return half(answer);
      tempToken = null;
      session.replace({ accessToken: answer.accessToken, refreshToken: null });
      return { kind: "signedIn", user: answer.user };
    },
    async completeExternalRegistration(account) {
      return started(await trpc.identity.register.mutate(account));
    },
    confirm,
    async signOut() {
      tempToken = null;
      if (!session.mayExist) return;
      const { refreshToken = null, accessToken = null } = session.session ?? {};
      try {
        await sessionCall("/api/auth/logout", refreshToken, accessToken);
      } catch (error) {
        if (!session.inCookie) session.replace(null);
        throw error;
      }
      session.replace(null);
    },
    ...listHelpers(procedures),
    ...zoneHelpers(procedures),
    ...servingHelpers(procedures),
    watchNotifications: (watchOptions = {}) => watchNotifications(openNotifications, watchOptions),
  };
  return new Proxy(helpers, {
    get: (own, key) => Reflect.get(Object.hasOwn(own, key) ? own : procedures, key) as unknown,
  }) as Client;
}
