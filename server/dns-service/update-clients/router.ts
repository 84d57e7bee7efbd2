import { narrowedMay } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { challengeInput, challengeOutcome } from "./schemas.ts";
import type { AcmeChallenges } from "./acme-challenges.ts";

const tag = "Update clients";
const forms =
  "Takes what lego, Traefik and others call `httpreq`: `fqdn` and `value`, or in their raw mode `domain`, `token` and `keyAuth`. " +
  "The record belongs to the longest domain in which the token may write TXT records of that name.";

/** DNS-01 challenges of ACME clients (RFC 8555 §8.4). */
export function createAcmeRouter({ acmeChallenges }: { acmeChallenges: AcmeChallenges }) {
  return router({
    present: narrowedMay("records:write", {
      method: "POST",
      path: "/acme/present",
      operationId: "presentAcmeChallenge",
      tag,
      summary: "Publish an ACME challenge",
      description: `${forms} A name can have several values at once. A challenge that is not cleaned up is deleted after a day. Where the provider says when its name servers have a change (Route 53), the call waits for it, up to 20 seconds.`,
      errors: [404, 409, 502],
      example: { fqdn: "_acme-challenge.www.example.com.", value: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" },
    })
      .input(challengeInput)
      .output(challengeOutcome)
      .mutation(({ ctx, input }) => acmeChallenges.present(ctx.em, ctx.caller, input)),

    cleanup: narrowedMay("records:write", {
      method: "POST",
      path: "/acme/cleanup",
      operationId: "cleanUpAcmeChallenge",
      tag,
      summary: "Delete an ACME challenge",
      description: `${forms} Deletes only this value. If it is gone already, nothing changes.`,
      errors: [404, 409, 502],
      example: { fqdn: "_acme-challenge.www.example.com.", value: "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0" },
    })
      .input(challengeInput)
      .output(challengeOutcome)
      .mutation(({ ctx, input }) => acmeChallenges.cleanUp(ctx.em, ctx.caller, input)),
  });
}
