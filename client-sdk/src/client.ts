import { createTRPCClient, httpLink } from "@trpc/client";
import type {
  AppRouter,
  InAppNotification,
  RouterInputs,
  RouterOutputs,
  SecondFactorMethod,
  User,
} from "./app-router.ts";
import { authorizedRequest, withBearer } from "./authorized-request.ts";
import { listHelpers, type ListHelpers } from "./each.ts";
import { errorLink } from "./error-link.ts";
import { notificationsLink } from "./notifications-link.ts";
import { streamOpener } from "./open-stream.ts";
import { settingsOf, type ClientOptions } from "./options.ts";
import type { Procedures } from "./procedures.ts";
import { Reauthentication, reauthenticationLink, type ConfirmationProof } from "./reauthentication.ts";
import { timedRequest } from "./request.ts";
import { idempotencyKey, retryingFetch } from "./retrying-fetch.ts";
import { SessionKeeper } from "./session.ts";
import { traced } from "./traced.ts";
import { transformer } from "./transformer.ts";
import { zoneHelpers, type ZoneHelpers } from "./zones.ts";
import { watchNotifications, type WatchOptions } from "./watch-notifications.ts";

/** What {@link ClientHelpers.signIn} takes. */
export interface Credentials {
  /** Case does not matter. */
  username: string;
  /** Kept nowhere by the client. */
  password: string;
  /** True: the session lasts 30 days from its last use; false, as when left out: 24 hours. */
  rememberMe?: boolean | undefined;
}

/** How a sign-in went on; look at `kind`, as there may come to be others. */
export type SignInResult =
  | { kind: "signedIn"; user: User }
  /** The password was right. Go on with {@link ClientHelpers.completeSecondFactor}, within ten minutes. */
  | { kind: "secondFactorNeeded"; methods: SecondFactorMethod[] };

/** What {@link ClientHelpers.completeSecondFactor} takes: a code, or what the browser's authenticator answered. */
export type SecondFactor =
  | { method: "totp" | "email" | "recovery"; code: string }
  | { method: "passkey"; credential: NonNullable<RouterInputs["twoFactor"]["verify"]["credential"]> };

/** What {@link ClientHelpers.signInWithPasskey} takes. */
export type PasskeyCredentials = RouterInputs["auth"]["passkey"];

/** What {@link ClientHelpers.completeExternalSignIn} takes: the ticket, or the address of the page that the browser came back to. */
export type ExternalSignIn = { ticket: string } | { url: string | URL };

/** What {@link ClientHelpers.completeExternalRegistration} takes: the token of the page's address, and an invitation. */
export interface ExternalRegistration {
  /** The identity provider whose sign-in the browser came back from, such as `github`. */
  providerId: string;
  /** The `pending_token` of the page's address. */
  pendingToken: string;
  /** The code of the invitation, as an administrator gave it out. */
  inviteCode: string;
}

/** What stands beside the procedures. */
export interface ClientHelpers extends ListHelpers, ZoneHelpers {
  /**
   * Starts a session, which the client's calls use and renew from then on.
   * @throws ZonewrightError UNAUTHORIZED when the username or the password is wrong.
   */
  signIn(credentials: Credentials): Promise<SignInResult>;
  /**
   * Completes a sign-in that needs a second factor. Until then `twoFactor.sendEmailCode` and `twoFactor.passkeyOptions` can be called for it.
   * @throws ZonewrightError UNAUTHORIZED when the proof is wrong, or when no sign-in waits for one.
   */
  completeSecondFactor(proof: SecondFactor): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /** Signs in by a passkey alone: the authenticator's answer to the options that `auth.passkeyOptions` gave. */
  signInWithPasskey(credentials: PasskeyCredentials): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /**
   * Completes a sign-in with an identity provider, from `?ticket=…` of the page's address, within a minute. Its refresh token is in the browser's cookie
   * only; a page has to send cookies along, since a ticket works only in the browser that it came to.
   * @throws ZonewrightError UNAUTHORIZED when the ticket was used already, is too old, or came to another browser.
   */
  completeExternalSignIn(from: ExternalSignIn): Promise<SignInResult>;
  /** Makes an account for who came back with `?needs_invite=true&pending_token=…`, within ten minutes, and signs in. */
  completeExternalRegistration(account: ExternalRegistration): Promise<Extract<SignInResult, { kind: "signedIn" }>>;
  /**
   * Confirms that whoever is signed in still is there. Adding, replacing or removing a way into the account needs that within the last ten minutes: what does
   * fails with REAUTHENTICATION_REQUIRED otherwise. A sign-in counts as well; `confirmedUntil` of `auth.me` tells until when.
   * @example
   * await client.confirm({ password });
   * await client.confirm({ password, method: "totp", code }); // where there is a second factor
   * @throws ZonewrightError FORBIDDEN when the proof is wrong, TOO_MANY_REQUESTS after too many wrong ones, CONFLICT when the account
   * has no password: then use a passkey, or sign in again.
   */
  confirm(proof: ConfirmationProof): Promise<RouterOutputs["auth"]["confirm"]>;
  /** Ends the session. It is forgotten here even when the server cannot be told, which is thrown. */
  signOut(): Promise<void>;
  /**
   * What the user is told, as it happens, each notification once. A connection that breaks is made again, with a fresh access token where
   * the old one's time is over, and what came meanwhile is made up for. Leaving the loop ends it.
   * @throws ZonewrightError UNAUTHORIZED when the session ends, FORBIDDEN when the user turns notifications off, TOO_MANY_REQUESTS
   * when the user has five streams open already.
   */
  watchNotifications(options?: WatchOptions): AsyncGenerator<InAppNotification, void, undefined>;
}

/**
 * Zonewright's procedures, as tRPC users know them, and a few helpers. A call's options are tRPC's: `signal` aborts it,
 * `context: { headers }` adds headers to its request, such as `If-Match`. Calls fail with a `ZonewrightError`.
 */
export type Client = Procedures & ClientHelpers;

/** Procedures whose input says who is calling: a 401 of theirs is about that, not about the session. */
const selfContained: ReadonlySet<string> = new Set<OpenProcedure>([
  "auth.login",
  "auth.refresh",
  "auth.logout",
  "auth.register",
  "auth.forgotPassword",
  "auth.resetPassword",
  "auth.passkeyOptions",
  "auth.passkey",
  "identity.exchangeTicket",
  "identity.register",
]);
type OpenProcedure = `auth.${keyof RouterInputs["auth"]}` | `identity.${keyof RouterInputs["identity"]}`;

/** Routers whose mutations take an `Idempotency-Key`, and so can be repeated. */
const keyedRouters: ReadonlySet<string> = new Set<keyof RouterInputs>(["domains", "records", "snapshots", "v1"]);

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Procedures that only a sign-in which waits for its second factor opens. */
const awaitingSecondFactor: ReadonlySet<string> = new Set<`twoFactor.${keyof RouterInputs["twoFactor"]}`>([
  "twoFactor.verify",
  "twoFactor.sendEmailCode",
  "twoFactor.passkeyOptions",
]);

/**
 * Makes a client. It sends nothing before the first call.
 * @throws TypeError when an option cannot be used, such as an address without its scheme
 */
export function createClient(options: ClientOptions): Client {
  const { url, token, session: initial, retries, timeoutSeconds, fetch: send, ...hooks } = settingsOf(options);
  const { onSessionChange, onReauthentication } = hooks;
  const fetch = retryingFetch(send, retries);
  const request = timedRequest(timeoutSeconds);

  // Over REST, since the browser sends the refresh cookie to /api only.
  const post = async (path: string, input: object, bearer: string | null) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(input) };
    return await (await request(fetch, url + path, withBearer(init, bearer))).json();
  };
  const tell = (path: string, refreshToken: string | null, bearer: string | null) =>
    post(path, refreshToken === null ? {} : { refreshToken }, bearer);
  const session = new SessionKeeper({
    initial,
    onChange: onSessionChange,
    renew: async (refreshToken) =>
      (await tell("/api/auth/refresh", refreshToken, null)) as RouterOutputs["auth"]["refresh"],
  });

  const sender = { fetch, session, token };
  const openNotifications = (signal: AbortSignal | undefined) =>
    streamOpener(sender, `${url}/api/notifications/stream`, signal);

  const confirm: ClientHelpers["confirm"] = async (proof) => await trpc.auth.confirm.mutate(proof);
  const reauthentication =
    onReauthentication && new Reauthentication(session, async (error) => await onReauthentication({ error, confirm }));

  /** Of the sign-in that waits for its second factor. */
  let tempToken: string | null = null;
  const trpcUrl = `${url}/trpc`;
  const trpc = createTRPCClient<AppRouter>({
    links: [
      ...(reauthentication ? [reauthenticationLink(reauthentication)] : []),
      errorLink(trpcUrl),
      notificationsLink(openNotifications),
      httpLink({
        url: trpcUrl,
        transformer,
        headers: ({ op: { type, path, context } }) => {
          const given = (context["headers"] ?? {}) as Record<string, string>;
          const repeatable = type === "mutation" && keyedRouters.has(path.split(".")[0] ?? "");
          return repeatable ? { [idempotencyKey]: crypto.randomUUID(), ...lowerCaseNames(given) } : given;
        },
        fetch: async (address, init) => {
          const target = typeof address === "object" && "url" in address ? address.url : String(address);
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
      if (!ticket) throw new TypeError("There is no ticket in this address.");
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
        await tell("/api/auth/logout", refreshToken, accessToken);
      } finally {
        session.replace(null);
      }
    },
    ...listHelpers(procedures),
    ...zoneHelpers(procedures),
    watchNotifications: (watchOptions = {}) => watchNotifications(openNotifications, watchOptions),
  };
  return new Proxy(helpers, {
    get: (own, key) => Reflect.get(Object.hasOwn(own, key) ? own : procedures, key) as unknown,
  }) as Client;
}
