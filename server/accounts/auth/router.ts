import { nothing, success } from "../../api/schemas.ts";
import { open, signedIn } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { bearerOf } from "../../access/authenticator.ts";
import {
  confirmation as confirmationSchema,
  confirmInput,
  currentUser,
  forgotPasswordInput,
  loginAnswer,
  loginInput,
  refreshInput,
  registerInput,
  resetPasswordInput,
  signedInAnswer,
  tokenPair,
  verifyEmailInput,
} from "./schemas.ts";
import {
  clientInfo,
  clearRefreshCookie,
  presentedRefreshToken,
  setRefreshCookie,
  signedInAnswerOf,
} from "./session-http.ts";
import { passkeyRequestOptions, passkeySignInInput } from "./second-factors/schemas.ts";
import type { Confirmation } from "./confirmation/service.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { PasswordResets } from "./password-reset/service.ts";
import type { Registration } from "./registration.ts";
import type { SecondFactorChecks } from "./second-factors/checks.ts";
import type { SignIn, SecondFactorSignIn } from "./sign-in.ts";
import type { EmailVerifications } from "../users/email/service.ts";
import type { Users } from "../users/service.ts";

const tag = "Sign-in and account";

export function createAuthRouter({
  confirmation,
  emailVerifications,
  knownDevices,
  passwordResets,
  registration,
  secondFactorChecks,
  secondFactorSignIn,
  signIn,
  trustedOrigins,
  users,
}: {
  confirmation: Confirmation;
  emailVerifications: EmailVerifications;
  knownDevices: KnownDevices;
  passwordResets: PasswordResets;
  registration: Registration;
  secondFactorChecks: SecondFactorChecks;
  secondFactorSignIn: SecondFactorSignIn;
  signIn: SignIn;
  trustedOrigins: readonly string[];
  users: Users;
}) {
  return router({
    login: open({
      method: "POST",
      path: "/auth/login",
      operationId: "login",
      tag,
      summary: "Sign in with a username and password",
      description:
        "Starts a session. Also sets the refresh token as the HttpOnly cookie `refresh_token`. If the account has a second factor, returns " +
        "`requires2FA`, a `tempToken` and the usable `methods` instead; complete the sign-in with `POST /api/2fa/verify`.",
      errors: [401, 503],
    })
      .input(loginInput)
      .output(loginAnswer)
      .mutation(async ({ ctx, input }) => {
        const outcome = await signIn.withPassword(ctx.em, ctx.actor, input, clientInfo(ctx.http));
        return outcome.kind === "awaitingSecondFactor"
          ? outcome.needed
          : signedInAnswerOf({ http: ctx.http, knownDevices }, outcome.signedIn);
      }),

    passkeyOptions: open({
      method: "POST",
      path: "/auth/passkey/options",
      operationId: "getPasskeyOptions",
      tag,
      summary: "Start a passkey sign-in",
      description:
        "Pass the result to `navigator.credentials.get`, then send the credential to `POST /api/auth/passkey`.",
    })
      .input(nothing)
      .output(passkeyRequestOptions)
      .mutation(({ ctx }) => secondFactorChecks.passkeySignInOptions(ctx.em)),

    passkey: open({
      method: "POST",
      path: "/auth/passkey",
      operationId: "signInWithPasskey",
      tag,
      summary: "Sign in with a passkey",
      description:
        "Starts a session. No password or second factor is needed: a passkey is something you have, unlocked by something you know or are.",
      errors: [401],
    })
      .input(passkeySignInInput)
      .output(signedInAnswer)
      .mutation(async ({ ctx, input }) =>
        signedInAnswerOf(
          { http: ctx.http, knownDevices },
          await secondFactorSignIn.withPasskey(ctx.em, ctx.actor, input, clientInfo(ctx.http)),
        ),
      ),

    refresh: open({
      method: "POST",
      path: "/auth/refresh",
      operationId: "refresh",
      tag,
      summary: "Refresh a session's tokens",
      description:
        "Takes the refresh token from the cookie, or from `refreshToken` in the body, and rotates it. Reusing a rotated token ends the " +
        "whole session, except within ten seconds of its rotation, when it returns the same successor.",
      errors: [401, 403],
    })
      .input(refreshInput)
      .output(tokenPair)
      .mutation(async ({ ctx, input }) => {
        const token = presentedRefreshToken(ctx.http, input, trustedOrigins);
        const { accessToken, refresh } = await signIn.refresh(ctx.em, ctx.actor, token);
        setRefreshCookie(ctx.http, refresh);
        const { userId: id, accessEpoch } = refresh;
        if (input.refreshToken === undefined) knownDevices.remember(ctx.http, { id, accessEpoch });
        return { accessToken, refreshToken: refresh.refreshToken };
      }),

    logout: open({
      method: "POST",
      path: "/auth/logout",
      operationId: "logout",
      tag,
      summary: "Sign out",
      description:
        "Revokes the session's refresh token and access tokens immediately, and clears the cookie. Idempotent.",
      errors: [403],
    })
      .input(refreshInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        const token = presentedRefreshToken(ctx.http, input, trustedOrigins);
        await signIn.signOut(ctx.em, ctx.actor, token, bearerOf(ctx.http));
        clearRefreshCookie(ctx.http);
        return { success: true as const };
      }),

    register: open({
      method: "POST",
      path: "/auth/register",
      operationId: "register",
      tag,
      summary: "Register with an invitation",
      description: "Creates an account and signs in. Returns 400 if the code is invalid, used up or expired.",
      status: 201,
      errors: [409, 503],
    })
      .input(registerInput)
      .output(signedInAnswer)
      .mutation(async ({ ctx, input }) => {
        return signedInAnswerOf(
          { http: ctx.http, knownDevices },
          await registration.register(ctx.em, ctx.actor, input, clientInfo(ctx.http)),
        );
      }),

    forgotPassword: open({
      method: "POST",
      path: "/auth/password/forgot",
      operationId: "forgotPassword",
      tag,
      summary: "Request a password reset link",
      description:
        "Mails a link if an account with a password has verified this address and a mail server is configured. The answer is the same in every case.",
    })
      .input(forgotPasswordInput)
      .output(success)
      .mutation(({ ctx, input }) => {
        passwordResets.request(input.email, ctx.actor);
        return { success: true as const };
      }),

    resetPassword: open({
      method: "POST",
      path: "/auth/password/reset",
      operationId: "resetPassword",
      tag,
      summary: "Reset a password with a mailed link",
      description: "A link works once and expires after one hour. Ends all sessions of the account.",
      errors: [503],
    })
      .input(resetPasswordInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await passwordResets.reset(ctx.em, ctx.actor, input);
        return { success: true as const };
      }),

    verifyEmail: open({
      method: "POST",
      path: "/auth/email/verify",
      operationId: "verifyEmail",
      tag,
      summary: "Verify an email address with a mailed link",
      description:
        "A link works once, for 24 hours, and only while the account still has the address. If several accounts have the same address, the " +
        "first to verify it keeps it; the others get 409.",
      errors: [409],
    })
      .input(verifyEmailInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await emailVerifications.verify(ctx.em, ctx.actor, input.token);
        return { success: true as const };
      }),

    me: signedIn({
      method: "GET",
      path: "/auth/me",
      operationId: "getCurrentUser",
      tag,
      summary: "Get the signed-in user",
    })
      .input(nothing)
      .output(currentUser)
      .query(({ ctx }) => users.current(ctx.em, ctx.caller)),

    confirmOptions: signedIn({
      method: "POST",
      path: "/auth/me/confirm/options",
      operationId: "getConfirmationOptions",
      tag,
      summary: "Start confirming the session with a passkey",
      description:
        "Pass the result to `navigator.credentials.get`, then send the credential to `POST /api/auth/me/confirm`.",
      errors: [409],
    })
      .input(nothing)
      .output(passkeyRequestOptions)
      .mutation(({ ctx }) => confirmation.passkeyOptions(ctx.em, ctx.caller)),

    confirm: signedIn({
      method: "POST",
      path: "/auth/me/confirm",
      operationId: "confirmSession",
      tag,
      summary: "Confirm your identity for this session",
      description:
        "For ten minutes, this session may make calls that change a way into the account. Send the `password`; if the account has a second " +
        "factor, send `method` and `code` as well, or a passkey alone. Accounts without a password use a passkey, or sign in again. A " +
        "wrong proof returns 403; after five wrong ones in the session in 15 minutes, 429.",
      example: { password: "correct horse battery staple" },
      errors: [409, 503],
    })
      .input(confirmInput)
      .output(confirmationSchema)
      .mutation(({ ctx, input }) => confirmation.confirm(ctx.em, ctx.caller, input)),
  });
}
