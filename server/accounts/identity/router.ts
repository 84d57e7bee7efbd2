import { clientInfo, setRefreshCookie, signedInAnswerOf } from "../auth/session-http.ts";
import { signedInAnswer } from "../auth/schemas.ts";
import { anyPage, pageOfAll, success } from "../../api/schemas.ts";
import { admin, adminConfirmedAfterInput, adminGivingAccess, confirmed, open, signedIn } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { briefUser } from "../users/service.ts";
import { clearArrivalCookie, requireArrival, setFlowCookie } from "./cookies.ts";
import { groupsTest, testGroupsInput } from "./groups/schemas.ts";
import {
  bindings,
  bindingStart,
  createIdentityConfigInput,
  exchangeAnswer,
  exchangeTicketInput,
  identityConfig,
  identityConfigIdInput,
  identityConfigs as identityConfigsSchema,
  offeredProviders,
  providerAddresses,
  providerInput,
  registerExternalInput,
  updateIdentityConfigInput,
} from "./schemas.ts";
import type { Confirmation } from "../auth/confirmation/service.ts";
import type { KnownDevices } from "../auth/known-devices.ts";
import type { IdentityAddresses } from "./config-fields.ts";
import type { IdentityBindings } from "./bindings.ts";
import type { IdentityConfigs } from "./configs.ts";
import type { ExternalSignIn } from "./external-sign-in.ts";
import type { GroupTests } from "./groups/rules.ts";
import type { ExternalRegistration } from "./registration.ts";
import type { TicketSignIn } from "./tickets.ts";

const tag = "External sign-in";

export function createIdentityRouter({
  externalRegistration,
  externalSignIn,
  identityAddresses,
  identityBindings,
  identityConfigs,
  knownDevices,
  ticketSignIn,
}: {
  externalRegistration: ExternalRegistration;
  externalSignIn: ExternalSignIn;
  identityAddresses: IdentityAddresses;
  identityBindings: IdentityBindings;
  identityConfigs: IdentityConfigs;
  knownDevices: KnownDevices;
  ticketSignIn: TicketSignIn;
}) {
  return router({
    providers: open({
      method: "GET",
      path: "/auth/oauth/providers",
      operationId: "listSignInProviders",
      tag,
      summary: "List the enabled identity providers",
    })
      .input(anyPage)
      .output(offeredProviders)
      .query(async ({ ctx, input }) => {
        const all = await identityConfigs.offered(ctx.em);
        return { ...all, providers: pageOfAll(all.providers, input) };
      }),

    callbackUrl: open({
      method: "GET",
      path: "/auth/oauth/{providerId}/callback-url",
      operationId: "getCallbackUrl",
      tag,
      summary: "Get the URLs to register at a provider",
    })
      .input(providerInput)
      .output(providerAddresses)
      .query(({ input }) => externalSignIn.addresses(input.providerId)),

    exchangeTicket: open({
      method: "POST",
      path: "/auth/oauth/exchange-ticket",
      operationId: "exchangeTicket",
      tag,
      summary: "Exchange a ticket for a session",
      description:
        "Starts a session, with its refresh token in the HttpOnly cookie `refresh_token`. A ticket works once and expires after one " +
        "minute. If the account has a second factor, returns `requires2FA`, a `tempToken` and the usable `methods` instead; complete the " +
        "sign-in with `POST /api/2fa/verify`. When called from a page, it works only in the browser that returned from the provider, " +
        "identified by a cookie.",
      errors: [401],
    })
      .input(exchangeTicketInput)
      .output(exchangeAnswer)
      .mutation(async ({ ctx, input }) => {
        const client = clientInfo(ctx.http);
        const { siteUrl } = identityAddresses;
        requireArrival(ctx.http, siteUrl, input.ticket);
        const outcome = await ticketSignIn.exchange(ctx.em, ctx.actor, input.ticket, client);
        clearArrivalCookie(ctx.http, siteUrl, input.ticket);
        if (outcome.kind === "awaitingSecondFactor") return outcome.needed;
        const { accessToken, refresh, user } = outcome.signedIn;
        setRefreshCookie(ctx.http, refresh);
        knownDevices.remember(ctx.http, user);
        return { accessToken, user: briefUser(user) };
      }),

    bindStart: confirmed({
      method: "POST",
      path: "/auth/oauth/{providerId}/bind/start",
      operationId: "startBinding",
      tag,
      summary: "Start binding a provider to your account",
      description:
        "Keep the cookie and send the same browser to `authorizeUrl` within ten minutes. It returns to the front end with `bound=1` or with `error=`.",
      errors: [409],
    })
      .input(providerInput)
      .output(bindingStart)
      .mutation(async ({ ctx, input }) => {
        const { cookie, answer } = await externalSignIn.beginBinding(ctx.em, ctx.caller, input.providerId);
        setFlowCookie(ctx.http, cookie);
        return answer;
      }),

    register: open({
      method: "POST",
      path: "/auth/oauth/{providerId}/register",
      operationId: "registerExternally",
      tag,
      summary: "Register with an invitation after external sign-in",
      description:
        "For users who return from the provider with `needs_invite=true`. Creates an account without a password, named after the " +
        "provider's profile, and signs in. An invalid code returns 400; the pending token then stays valid for the rest of its ten " +
        "minutes. When called from a page, it works only in the browser that returned from the provider.",
      example: { pendingToken: "x5Uw…", inviteCode: "7ZK4M-9T2QX-WB3EH-8VJ5R-N1D6A-C" },
      status: 201,
      errors: [401, 409],
    })
      .input(registerExternalInput)
      .output(signedInAnswer)
      .mutation(async ({ ctx, input }) => {
        requireArrival(ctx.http, identityAddresses.siteUrl, input.pendingToken);
        const signedIn = await externalRegistration.register(ctx.em, ctx.actor, input, clientInfo(ctx.http));
        clearArrivalCookie(ctx.http, identityAddresses.siteUrl, input.pendingToken);
        return signedInAnswerOf({ http: ctx.http, knownDevices }, signedIn);
      }),

    bindings: signedIn({
      method: "GET",
      path: "/auth/oauth/bindings",
      operationId: "listBindings",
      tag,
      summary: "List your identities at providers",
    })
      .input(anyPage)
      .output(bindings)
      .query(async ({ ctx, input }) => {
        const all = await identityBindings.list(ctx.em, ctx.caller.userId);
        return { ...all, bindings: pageOfAll(all.bindings, input) };
      }),

    unbind: confirmed({
      method: "DELETE",
      path: "/auth/oauth/unbind/{providerId}",
      operationId: "unbind",
      tag,
      summary: "Unbind a provider from your account",
      description:
        "Returns 409 if it is the last way to sign in: a password, a passkey or another enabled provider must remain.",
      errors: [409],
    })
      .input(providerInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await identityBindings.unbind(ctx.em, ctx.caller, input.providerId);
        return { success: true as const };
      }),
  });
}

const configsTag = "Identity providers";

export function createIdentityConfigsRouter({
  confirmation,
  groupTests,
  identityConfigs,
}: {
  confirmation: Confirmation;
  groupTests: GroupTests;
  identityConfigs: IdentityConfigs;
}) {
  return router({
    list: signedIn({
      method: "GET",
      path: "/oauth/providers",
      operationId: "listIdentityConfigs",
      tag: configsTag,
      summary: "List the configured identity providers",
      description:
        "Also returns the providers that can be configured, and the URLs to register there. Rules for groups are shown to administrators and auditors only.",
    })
      .input(anyPage)
      .output(identityConfigsSchema)
      .query(async ({ ctx, input }) => {
        const all = await identityConfigs.list(ctx.em, ctx.caller);
        return { ...all, providers: pageOfAll(all.providers, input) };
      }),

    create: adminConfirmedAfterInput({
      method: "POST",
      path: "/oauth/providers",
      operationId: "createIdentityConfig",
      tag: configsTag,
      summary: "Configure an identity provider",
      description:
        "One configuration per provider. If `enabled`, the discovery document is fetched and its issuer checked. Settings that do not work " +
        "return 400. With `enabled: false`, nothing is fetched. Administrators are notified, by mail as well.",
      example: {
        providerId: "oidc",
        clientId: "zonewright",
        clientSecret: "s3cr3t",
        wellKnownUrl: "https://id.example.com/.well-known/openid-configuration",
      },
      status: 201,
      errors: [409],
    })
      .input(createIdentityConfigInput)
      .output(identityConfig)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await identityConfigs.create(ctx.em, ctx.caller, input);
      }),

    update: adminGivingAccess({
      method: "PUT",
      path: "/oauth/providers/{id}",
      operationId: "updateIdentityConfig",
      tag: configsTag,
      summary: "Change an identity provider's configuration",
      description:
        "Omitted fields keep their values, and so does an empty secret. An enabled configuration is checked as on creation. Disabling the " +
        "provider or changing its URLs ends sign-ins in progress. A URL on another origin requires the secret again. If users " +
        "are bound to the provider, another URL also requires the header `x-confirm-delete: true` and removes their bindings. The provider " +
        "is neither disabled nor given another URL if no administrator could sign in afterwards (409). Every change except `enabled: false` alone grants access. Administrators " +
        "are notified, by mail as well. Send the `groupRulesVersion` of the rules that you changed, so that you do not overwrite what others stored meanwhile.",
      example: { enabled: false },
      confirmable: true,
      errors: [409],
    })
      .input(updateIdentityConfigInput)
      .output(identityConfig)
      .mutation(({ ctx, input: { id, groupRulesVersion, ...patch } }) => {
        const unbinding = ctx.http.header("x-confirm-delete") === "true";
        return identityConfigs.update(ctx.em, ctx.caller, { id, patch, unbinding, groupRulesVersion });
      }),

    testGroups: admin({
      method: "POST",
      path: "/oauth/providers/{id}/groups/test",
      operationId: "testGroups",
      tag: configsTag,
      summary: "Try rules for groups with sample claims",
      description: "Returns what a user with these claims would get. Signs nobody in and stores nothing.",
    })
      .input(testGroupsInput)
      .output(groupsTest)
      .mutation(({ ctx, input }) => groupTests.test(ctx.em, input)),

    delete: admin({
      method: "DELETE",
      path: "/oauth/providers/{id}",
      operationId: "deleteIdentityConfig",
      tag: configsTag,
      summary: "Delete an identity provider's configuration",
      description:
        "If users are bound to it, requires the header `x-confirm-delete: true` and removes their bindings. Returns 409 if no " +
        "administrator could sign in afterwards.",
      confirmable: true,
      errors: [409],
    })
      .input(identityConfigIdInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        const confirmed = ctx.http.header("x-confirm-delete") === "true";
        await identityConfigs.delete(ctx.em, ctx.caller, input.id, confirmed);
        return { success: true as const };
      }),
  });
}
