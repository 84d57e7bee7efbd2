import { nothing, success } from "../../../api/schemas.ts";
import { awaitingSecondFactor, confirmed, confirmedOrPassword, signedIn } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import { clientInfo, signedInAnswerOf } from "../session-http.ts";
import { signedInAnswer } from "../schemas.ts";
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
  secondFactors as secondFactorsSchema,
  totpSetup,
  verifyInput,
} from "./schemas.ts";
import type { KnownDevices } from "../known-devices.ts";
import type { SecondFactorSignIn } from "../sign-in.ts";
import type { SecondFactorChecks } from "./checks.ts";
import type { SecondFactors } from "./service.ts";

const tag = "Second factors";
const done = { success: true as const };

export function createTwoFactorRouter({
  knownDevices,
  secondFactorChecks,
  secondFactorSignIn,
  secondFactors,
}: {
  knownDevices: KnownDevices;
  secondFactorChecks: SecondFactorChecks;
  secondFactorSignIn: SecondFactorSignIn;
  secondFactors: SecondFactors;
}) {
  return router({
    get: signedIn({
      method: "GET",
      path: "/2fa",
      operationId: "getSecondFactors",
      tag,
      summary: "Get your second factors",
    })
      .input(nothing)
      .output(secondFactorsSchema)
      .query(({ ctx }) => secondFactors.overview(ctx.em, ctx.caller)),

    setupTotp: confirmed({
      method: "POST",
      path: "/2fa/totp/setup",
      operationId: "setupTotp",
      tag,
      summary: "Create an authenticator app secret",
      description:
        "Takes effect once `POST /api/2fa/totp/enable` has received a first code. Until then, calling this again replaces the secret.",
      errors: [409],
    })
      .input(nothing)
      .output(totpSetup)
      .mutation(({ ctx }) => secondFactors.setUpTotp(ctx.em, ctx.caller)),

    enableTotp: confirmed({
      method: "POST",
      path: "/2fa/totp/enable",
      operationId: "enableTotp",
      tag,
      summary: "Enable the authenticator app",
      description: "Takes the app's first code. Creates ten recovery codes, which replace earlier ones.",
      errors: [409, 429],
    })
      .input(codeInput)
      .output(newRecoveryCodes)
      .mutation(({ ctx, input }) => secondFactors.enableTotp(ctx.em, ctx.caller, input.code)),

    disableTotp: confirmedOrPassword({
      method: "DELETE",
      path: "/2fa/totp",
      operationId: "disableTotp",
      tag,
      bodied: true,
      summary: "Remove the authenticator app",
      errors: [409, 429],
    })
      .input(passwordInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await secondFactors.disableTotp(ctx.em, ctx.caller, input.currentPassword);
        return done;
      }),

    enableEmail: confirmedOrPassword({
      method: "POST",
      path: "/2fa/email/enable",
      operationId: "enableEmailCodes",
      tag,
      summary: "Enable sign-in codes by email",
      description: "Requires a mail server (SMTP_URL) and an email address.",
      errors: [409, 429],
    })
      .input(passwordInput)
      .output(enabledFactor)
      .mutation(({ ctx, input }) => secondFactors.enableEmail(ctx.em, ctx.caller, input.currentPassword)),

    disableEmail: confirmedOrPassword({
      method: "DELETE",
      path: "/2fa/email",
      operationId: "disableEmailCodes",
      tag,
      bodied: true,
      summary: "Disable sign-in codes by email",
      errors: [409, 429],
    })
      .input(passwordInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await secondFactors.disableEmail(ctx.em, ctx.caller, input.currentPassword);
        return done;
      }),

    passkeyCreationOptions: confirmed({
      method: "POST",
      path: "/2fa/passkeys/options",
      operationId: "getPasskeyCreationOptions",
      tag,
      summary: "Start adding a passkey",
      description:
        "Pass the result to `navigator.credentials.create`, then send the credential to `POST /api/2fa/passkeys`.",
      errors: [409],
    })
      .input(nothing)
      .output(passkeyCreationOptions)
      .mutation(({ ctx }) => secondFactors.passkeyCreationOptions(ctx.em, ctx.caller)),

    createPasskey: confirmed({
      method: "POST",
      path: "/2fa/passkeys",
      operationId: "createPasskey",
      tag,
      summary: "Add a passkey",
      description: "A passkey works as a second factor, and also signs in alone: see `POST /api/auth/passkey`.",
      status: 201,
      errors: [409],
    })
      .input(createPasskeyInput)
      .output(createdPasskey)
      .mutation(({ ctx, input }) => secondFactors.createPasskey(ctx.em, ctx.caller, input)),

    deletePasskey: confirmedOrPassword({
      method: "DELETE",
      path: "/2fa/passkeys/{id}",
      operationId: "deletePasskey",
      tag,
      bodied: true,
      summary: "Remove a passkey",
      errors: [409, 429],
    })
      .input(deletePasskeyInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await secondFactors.deletePasskey(ctx.em, ctx.caller, input);
        return done;
      }),

    createRecoveryCodes: confirmedOrPassword({
      method: "POST",
      path: "/2fa/recovery-codes",
      operationId: "createRecoveryCodes",
      tag,
      summary: "Create ten new recovery codes",
      description: "Each replaces a second factor in one sign-in. Earlier codes stop working.",
      errors: [409, 429],
    })
      .input(passwordInput)
      .output(newRecoveryCodes)
      .mutation(({ ctx, input }) => secondFactors.createRecoveryCodes(ctx.em, ctx.caller, input.currentPassword)),

    sendEmailCode: awaitingSecondFactor({
      method: "POST",
      path: "/2fa/email/send",
      operationId: "sendEmailCode",
      tag,
      summary: "Send a sign-in code by email",
      description: "Limited to one a minute and five an hour (429). Earlier codes of this sign-in stop working.",
      errors: [409, 429],
    })
      .input(nothing)
      .output(success)
      .mutation(async ({ ctx }) => {
        await secondFactorChecks.sendEmailCode(ctx.em, ctx.pending);
        return done;
      }),

    passkeyOptions: awaitingSecondFactor({
      method: "POST",
      path: "/2fa/passkey/options",
      operationId: "getSecondFactorPasskeyOptions",
      tag,
      summary: "Start verifying a passkey as the second factor",
      description:
        "Pass the result to `navigator.credentials.get`, then send the credential to `POST /api/2fa/verify`.",
      errors: [409],
    })
      .input(nothing)
      .output(passkeyRequestOptions)
      .mutation(({ ctx }) => secondFactorChecks.passkeyOptions(ctx.em, ctx.pending)),

    verify: awaitingSecondFactor({
      method: "POST",
      path: "/2fa/verify",
      operationId: "verifySecondFactor",
      tag,
      summary: "Complete a sign-in with a second factor",
      description:
        "Starts a session and sets the refresh cookie. A code works once. Method `recovery` takes a recovery code in place of any other method.",
      errors: [429],
    })
      .input(verifyInput)
      .output(signedInAnswer)
      .mutation(async ({ ctx, input }) => {
        const { em, actor, pending, http } = ctx;
        return signedInAnswerOf(
          { http: ctx.http, knownDevices },
          await secondFactorSignIn.complete(em, actor, pending, input, clientInfo(http)),
        );
      }),
  });
}
