import { success } from "../../../api/schemas.ts";
import { confirmedAfterInput, open, signedIn } from "../../../api/procedures.ts";
import { router } from "../../../api/trpc.ts";
import type { Confirmation } from "../confirmation/service.ts";
import type { CommandLineSignIn } from "./service.ts";
import {
  approveDeviceInput,
  authorizeCliInput,
  cliCode,
  cliToken,
  cliTokenInput,
  deviceStart,
  deviceTokenInput,
  findDeviceInput,
  startDeviceInput,
  waitingDevice,
} from "./schemas.ts";

const tag = "Sign-in and account";

/** The part of `auth` that signs the command line in. */
export function createCommandLineRouter({
  confirmation,
  commandLineSignIn,
}: {
  confirmation: Confirmation;
  commandLineSignIn: CommandLineSignIn;
}) {
  return router({
    authorizeCli: confirmedAfterInput({
      method: "POST",
      path: "/auth/cli/authorize",
      operationId: "authorizeCli",
      tag,
      summary: "Approve a command line on your computer",
      description:
        "Returns a code that the command line exchanges for a personal token with `POST /api/auth/cli/token`. The console's page " +
        "`/authorize` makes this call for `zonewright login` and passes the code to `http://127.0.0.1:<port>/callback`. The code also " +
        "ends with your session.",
      errors: [409],
    })
      .input(authorizeCliInput)
      .output(cliCode)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        return await commandLineSignIn.authorize(ctx.em, ctx.caller, input);
      }),

    cliToken: open({
      method: "POST",
      path: "/auth/cli/token",
      operationId: "exchangeCliCode",
      tag,
      summary: "Exchange a command line's code for a token",
      description:
        "Returns a personal token, valid for 90 days, and notifies its owner. A code works once and expires after a minute. The verifier " +
        "is checked by PKCE's method S256 (RFC 7636); a wrong one uses the code up.",
      errors: [409],
    })
      .input(cliTokenInput)
      .output(cliToken)
      .mutation(({ ctx, input }) => commandLineSignIn.exchangeCode(ctx.em, ctx.actor, input)),

    startDevice: open({
      method: "POST",
      path: "/auth/device",
      operationId: "startDevice",
      tag,
      summary: "Start signing in a device without a browser",
      description:
        "Show the user `verificationUrl` and `userCode`, then call `POST /api/auth/device/token` every `interval` seconds (RFC 8628). " +
        "Returns 409 if the installation has no console.",
      errors: [409],
    })
      .input(startDeviceInput)
      .output(deviceStart)
      .mutation(({ ctx, input }) => commandLineSignIn.startDevice(ctx.em, ctx.actor, input)),

    deviceToken: open({
      method: "POST",
      path: "/auth/device/token",
      operationId: "exchangeDeviceCode",
      tag,
      summary: "Exchange a device code for a token",
      description:
        "Returns a personal token, valid for 90 days, once the user has approved the device, and notifies its owner. Until then returns " +
        "400, with a code of RFC 8628 in `detail`: `authorization_pending` (ask again after the interval), `slow_down` (the interval " +
        "is now five seconds longer), `expired_token` (unknown, used or expired) or `access_denied` (refused). `Retry-After` has the interval.",
      errors: [409],
    })
      .input(deviceTokenInput)
      .output(cliToken)
      .mutation(({ ctx, input }) => commandLineSignIn.exchangeDevice(ctx.em, ctx.actor, input)),

    findDevice: signedIn({
      method: "POST",
      path: "/auth/device/find",
      operationId: "findDevice",
      tag,
      summary: "Get the device that shows a code",
      description:
        "Shows what a device asks for, before you approve or refuse it. Five wrong codes in 15 minutes lock further tries out.",
    })
      .input(findDeviceInput)
      .output(waitingDevice)
      .mutation(({ ctx, input }) => commandLineSignIn.findDevice(ctx.em, ctx.caller, input)),

    approveDevice: confirmedAfterInput({
      method: "POST",
      path: "/auth/device/approve",
      operationId: "approveDevice",
      tag,
      summary: "Approve the device that shows a code",
      description:
        "The device then gets a personal token of yours with these permissions, valid for 90 days. Only approve a device in your hands: " +
        "whoever sends you a code wants to act as you. The approval ends with your session if the device has not asked again by then.",
      errors: [409],
    })
      .input(approveDeviceInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await confirmation.require(ctx.em, ctx.caller);
        await commandLineSignIn.approveDevice(ctx.em, ctx.caller, input);
        return { success: true as const };
      }),

    refuseDevice: signedIn({
      method: "POST",
      path: "/auth/device/refuse",
      operationId: "refuseDevice",
      tag,
      summary: "Refuse the device that shows a code",
      description: "Its code stops working, and its next call for a token returns `access_denied`.",
    })
      .input(findDeviceInput)
      .output(success)
      .mutation(async ({ ctx, input }) => {
        await commandLineSignIn.refuseDevice(ctx.em, ctx.caller, input);
        return { success: true as const };
      }),
  });
}
