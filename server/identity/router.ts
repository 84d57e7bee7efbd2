import { clientInfo } from "../accounts/auth/client-info.ts";
import { setRefreshCookie } from "../accounts/auth/refresh-cookie.ts";
import { signedInAnswer } from "../accounts/auth/schemas.ts";
import { signedInAnswerOf } from "../accounts/auth/signed-in-answer.ts";
import { route } from "../api/route.ts";
import { nothing, success } from "../api/schemas.ts";
import { admin, confirmed, confirmedAdmin, open, router, signedIn } from "../api/trpc.ts";
import { briefUser } from "../accounts/users/service.ts";
import { clearArrivalCookie, requireArrival } from "./arrival-cookie.ts";
import { setFlowCookie } from "./flow-cookie.ts";
import {
  bindings,
  bindingStart,
  createIdentityConfigInput,
  exchangeAnswer,
  exchangeTicketInput,
  identityConfig,
  identityConfigIdInput,
  identityConfigs,
  offeredProviders,
  providerAddresses,
  providerInput,
  registerExternalInput,
  updateIdentityConfigInput,
} from "./schemas.ts";

const tag = "External sign-in";

export const identityRouter = router({
  providers: open
    .meta(
      route.open({
        method: "GET",
        path: "/auth/oauth/providers",
        operationId: "listSignInProviders",
        tag,
        summary: "List the identity providers to sign in with",
      }),
    )
    .input(nothing)
    .output(offeredProviders)
    .query(({ ctx }) => ctx.services.identityConfigs.offered(ctx.em)),

  callbackUrl: open
    .meta(
      route.open({
        method: "GET",
        path: "/auth/oauth/{providerId}/callback-url",
        operationId: "getCallbackUrl",
        tag,
        summary: "Get the addresses to register at a provider",
      }),
    )
    .input(providerInput)
    .output(providerAddresses)
    .query(({ ctx, input }) => ctx.services.externalSignIn.addresses(input.providerId)),

  exchangeTicket: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/oauth/exchange-ticket",
        operationId: "exchangeTicket",
        tag,
        summary: "Turn a ticket into a session",
        description:
          "Starts a session, with its refresh token in the HttpOnly cookie `refresh_token`. A ticket works once, within a minute. For users with a " +
          "second factor it answers with `requires2FA`, a `tempToken` and the `methods` instead; the session starts at `POST /api/2fa/verify`. From a page it works " +
          "only in the browser that came back from the provider, which has a cookie that says so.",
        errors: [401],
      }),
    )
    .input(exchangeTicketInput)
    .output(exchangeAnswer)
    .mutation(async ({ ctx, input }) => {
      const client = clientInfo(ctx.http);
      const { siteUrl } = ctx.services.identityAddresses;
      requireArrival(ctx.http, siteUrl, input.ticket);
      const outcome = await ctx.services.ticketSignIn.exchange(ctx.em, ctx.actor, input.ticket, client);
      clearArrivalCookie(ctx.http, siteUrl, input.ticket);
      if (outcome.kind === "awaitingSecondFactor") return outcome.needed;
      const { accessToken, refresh, user } = outcome.signedIn;
      setRefreshCookie(ctx.http, refresh);
      return { accessToken, user: briefUser(user) };
    }),

  bindStart: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/auth/oauth/{providerId}/bind/start",
        operationId: "startBinding",
        tag,
        summary: "Start to bind a provider to your account",
        description:
          "Send the same browser to `authorizeUrl` within ten minutes; it comes back to the front end with `bound=1`, or with `error=`. The cookie that comes " +
          "with the answer has to be kept.",
        errors: [409],
      }),
    )
    .input(providerInput)
    .output(bindingStart)
    .mutation(async ({ ctx, input }) => {
      const { cookie, answer } = await ctx.services.externalSignIn.beginBinding(ctx.em, ctx.caller, input.providerId);
      setFlowCookie(ctx.http, cookie);
      return answer;
    }),

  register: open
    .meta(
      route.open({
        method: "POST",
        path: "/auth/oauth/{providerId}/register",
        operationId: "registerExternally",
        tag,
        summary: "Make an account with an invitation, after a provider's sign-in",
        description:
          "For who came back with `needs_invite=true`. Signs in at once. The account has no password; its username is made of what the provider tells. A code that " +
          "does not hold is 400, and the pending token stays good for the rest of its ten minutes. From a page it works only in the browser that came back from " +
          "the provider.",
        example: { pendingToken: "x5Uw…", inviteCode: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C" },
        status: 201,
        errors: [401, 409],
      }),
    )
    .input(registerExternalInput)
    .output(signedInAnswer)
    .mutation(async ({ ctx, input }) => {
      const { externalRegistration, identityAddresses } = ctx.services;
      requireArrival(ctx.http, identityAddresses.siteUrl, input.pendingToken);
      const signedIn = await externalRegistration.register(ctx.em, ctx.actor, input, clientInfo(ctx.http));
      clearArrivalCookie(ctx.http, identityAddresses.siteUrl, input.pendingToken);
      return signedInAnswerOf(ctx.http, signedIn);
    }),

  bindings: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/auth/oauth/bindings",
        operationId: "listBindings",
        tag,
        summary: "List your bound providers",
      }),
    )
    .input(nothing)
    .output(bindings)
    .query(({ ctx }) => ctx.services.identityBindings.list(ctx.em, ctx.caller.userId)),

  unbind: confirmed
    .meta(
      route.confirmed({
        method: "DELETE",
        path: "/auth/oauth/unbind/{providerId}",
        operationId: "unbind",
        tag,
        summary: "Unbind a provider from your account",
        description:
          "The last way to sign in cannot be taken away: a password, a passkey or another enabled provider has to be left.",
        errors: [409],
      }),
    )
    .input(providerInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.identityBindings.unbind(ctx.em, ctx.caller, input.providerId);
      return { success: true as const };
    }),
});

const configsTag = "Identity providers";

export const identityConfigsRouter = router({
  list: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/oauth/providers",
        operationId: "listIdentityConfigs",
        tag: configsTag,
        summary: "List the configured identity providers",
        description: "And what can be configured, and the addresses to register at the providers.",
      }),
    )
    .input(nothing)
    .output(identityConfigs)
    .query(({ ctx }) => ctx.services.identityConfigs.list(ctx.em)),

  create: confirmedAdmin
    .meta(
      route.confirmedAdmin({
        method: "POST",
        path: "/oauth/providers",
        operationId: "createIdentityConfig",
        tag: configsTag,
        summary: "Configure an identity provider",
        description:
          "Each provider once. Where it is enabled, the discovery document is fetched and its issuer checked; what does not work is 400. Saved with `enabled: false` " +
          "nothing is fetched. Administrators are notified and mailed.",
        example: {
          providerId: "oidc",
          clientId: "zonewright",
          clientSecret: "s3cr3t",
          wellKnownUrl: "https://id.example.com/.well-known/openid-configuration",
        },
        status: 201,
        errors: [409],
      }),
    )
    .input(createIdentityConfigInput)
    .output(identityConfig)
    .mutation(({ ctx, input }) => ctx.services.identityConfigs.create(ctx.em, ctx.caller, input)),

  update: admin
    .meta(
      route.adminGivingAccess({
        method: "PUT",
        path: "/oauth/providers/{id}",
        operationId: "updateIdentityConfig",
        tag: configsTag,
        summary: "Change the configuration of an identity provider",
        description:
          "Fields left out stay as they are, and so does the secret when it is empty. What is enabled then is checked as at its creation. Sign-ins under way end when the " +
          "provider is disabled or its addresses change. An address on another origin needs the secret again. While users are bound to the provider, another " +
          "address needs the header `x-confirm-delete: true`, and takes their bindings along. Everything but `enabled: false` gives access. Administrators " +
          "are notified and mailed.",
        example: { enabled: false },
        confirmable: true,
        errors: [409],
      }),
    )
    .input(updateIdentityConfigInput)
    .output(identityConfig)
    .mutation(({ ctx, input: { id, ...patch } }) => {
      const unbinding = ctx.http.header("x-confirm-delete") === "true";
      return ctx.services.identityConfigs.update(ctx.em, ctx.caller, { id, patch, unbinding });
    }),

  delete: admin
    .meta(
      route.admin({
        method: "DELETE",
        path: "/oauth/providers/{id}",
        operationId: "deleteIdentityConfig",
        tag: configsTag,
        summary: "Delete the configuration of an identity provider",
        description:
          "While users are bound to it, this needs the header `x-confirm-delete: true`, and takes their bindings along.",
        confirmable: true,
        errors: [409],
      }),
    )
    .input(identityConfigIdInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      const confirmed = ctx.http.header("x-confirm-delete") === "true";
      await ctx.services.identityConfigs.delete(ctx.em, ctx.caller, input.id, confirmed);
      return { success: true as const };
    }),
});
