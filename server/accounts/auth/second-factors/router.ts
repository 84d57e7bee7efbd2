import { route } from "../../../api/route.ts";
import { nothing, success } from "../../../api/schemas.ts";
import { confirmed, confirmedOrPassword, awaitingSecondFactor, router, signedIn } from "../../../api/trpc.ts";
import { clientInfo } from "../client-info.ts";
import { signedInAnswer } from "../schemas.ts";
import { signedInAnswerOf } from "../signed-in-answer.ts";
import {
  codeInput,
  createPasskeyInput,
  createdPasskey,
  deletePasskeyInput,
  enabledFactor,
  newRecoveryCodes,
  passkeyCreationOptions,
  passkeyRequestOptions,
  passwordInput,
  secondFactors,
  totpSetup,
  verifyInput,
} from "./schemas.ts";

const tag = "Second factors";
const done = { success: true as const };

export const twoFactorRouter = router({
  get: signedIn
    .meta(
      route.signedIn({
        method: "GET",
        path: "/2fa",
        operationId: "getSecondFactors",
        tag,
        summary: "Get your second factors",
      }),
    )
    .input(nothing)
    .output(secondFactors)
    .query(({ ctx }) => ctx.services.secondFactors.overview(ctx.em, ctx.caller)),

  setupTotp: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/2fa/totp/setup",
        operationId: "setupTotp",
        tag,
        summary: "Get a secret for an authenticator app",
        description:
          "It counts once `POST /api/2fa/totp/enable` has seen a first code. Until then it can be replaced by another.",
        errors: [409],
      }),
    )
    .input(nothing)
    .output(totpSetup)
    .mutation(({ ctx }) => ctx.services.secondFactors.setUpTotp(ctx.em, ctx.caller)),

  enableTotp: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/2fa/totp/enable",
        operationId: "enableTotp",
        tag,
        summary: "Turn the authenticator app on with its first code",
        description: "Makes ten recovery codes, which replace earlier ones.",
        errors: [409, 429],
      }),
    )
    .input(codeInput)
    .output(newRecoveryCodes)
    .mutation(({ ctx, input }) => ctx.services.secondFactors.enableTotp(ctx.em, ctx.caller, input.code)),

  disableTotp: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "DELETE",
        path: "/2fa/totp",
        operationId: "disableTotp",
        tag,
        bodied: true,
        summary: "Remove the authenticator app",
        errors: [409, 429],
      }),
    )
    .input(passwordInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.secondFactors.disableTotp(ctx.em, ctx.caller, input.currentPassword);
      return done;
    }),

  enableEmail: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "POST",
        path: "/2fa/email/enable",
        operationId: "enableEmailCodes",
        tag,
        summary: "Have sign-in codes sent by e-mail",
        description: "Needs a mail server (SMTP_URL) and an e-mail address.",
        errors: [409, 429],
      }),
    )
    .input(passwordInput)
    .output(enabledFactor)
    .mutation(({ ctx, input }) => ctx.services.secondFactors.enableEmail(ctx.em, ctx.caller, input.currentPassword)),

  disableEmail: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "DELETE",
        path: "/2fa/email",
        operationId: "disableEmailCodes",
        tag,
        bodied: true,
        summary: "Have no more sign-in codes sent",
        errors: [409, 429],
      }),
    )
    .input(passwordInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.secondFactors.disableEmail(ctx.em, ctx.caller, input.currentPassword);
      return done;
    }),

  passkeyCreationOptions: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/2fa/passkeys/options",
        operationId: "getPasskeyCreationOptions",
        tag,
        summary: "Start to add a passkey",
        errors: [409],
      }),
    )
    .input(nothing)
    .output(passkeyCreationOptions)
    .mutation(({ ctx }) => ctx.services.secondFactors.passkeyCreationOptions(ctx.em, ctx.caller)),

  createPasskey: confirmed
    .meta(
      route.confirmed({
        method: "POST",
        path: "/2fa/passkeys",
        operationId: "createPasskey",
        tag,
        summary: "Add a passkey",
        description: "It is a second factor, and also signs in by itself: see `POST /api/auth/passkey`.",
        status: 201,
        errors: [409],
      }),
    )
    .input(createPasskeyInput)
    .output(createdPasskey)
    .mutation(({ ctx, input }) => ctx.services.secondFactors.createPasskey(ctx.em, ctx.caller, input)),

  deletePasskey: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "DELETE",
        path: "/2fa/passkeys/{id}",
        operationId: "deletePasskey",
        tag,
        bodied: true,
        summary: "Remove a passkey",
        errors: [409, 429],
      }),
    )
    .input(deletePasskeyInput)
    .output(success)
    .mutation(async ({ ctx, input }) => {
      await ctx.services.secondFactors.deletePasskey(ctx.em, ctx.caller, input);
      return done;
    }),

  createRecoveryCodes: confirmedOrPassword
    .meta(
      route.confirmedOrPassword({
        method: "POST",
        path: "/2fa/recovery-codes",
        operationId: "createRecoveryCodes",
        tag,
        summary: "Get ten new recovery codes",
        description: "Each opens one sign-in in place of a second factor. Earlier ones do not work any more.",
        errors: [409, 429],
      }),
    )
    .input(passwordInput)
    .output(newRecoveryCodes)
    .mutation(({ ctx, input }) =>
      ctx.services.secondFactors.createRecoveryCodes(ctx.em, ctx.caller, input.currentPassword),
    ),

  sendEmailCode: awaitingSecondFactor
    .meta(
      route.awaitingSecondFactor({
        method: "POST",
        path: "/2fa/email/send",
        operationId: "sendEmailCode",
        tag,
        summary: "Have a sign-in code sent by e-mail",
        description: "Once a minute and five times an hour at the most. An earlier code of this sign-in stops working.",
        errors: [409, 429],
      }),
    )
    .input(nothing)
    .output(success)
    .mutation(async ({ ctx }) => {
      await ctx.services.secondFactorChecks.sendEmailCode(ctx.em, ctx.pending);
      return done;
    }),

  passkeyOptions: awaitingSecondFactor
    .meta(
      route.awaitingSecondFactor({
        method: "POST",
        path: "/2fa/passkey/options",
        operationId: "getSecondFactorPasskeyOptions",
        tag,
        summary: "Start to show a passkey as the second factor",
        errors: [409],
      }),
    )
    .input(nothing)
    .output(passkeyRequestOptions)
    .mutation(({ ctx }) => ctx.services.secondFactorChecks.passkeyOptions(ctx.em, ctx.pending)),

  verify: awaitingSecondFactor
    .meta(
      route.awaitingSecondFactor({
        method: "POST",
        path: "/2fa/verify",
        operationId: "verifySecondFactor",
        tag,
        summary: "Complete a sign-in with a second factor",
        description:
          "Starts a session, as a sign-in without a second factor does. Every code works once. `recovery` takes a recovery code in place " +
          "of any method.",
        errors: [429],
      }),
    )
    .input(verifyInput)
    .output(signedInAnswer)
    .mutation(async ({ ctx, input }) => {
      const { em, actor, pending, http } = ctx;
      return signedInAnswerOf(
        http,
        await ctx.services.secondFactorSignIn.complete(em, actor, pending, input, clientInfo(http)),
      );
    }),
});
