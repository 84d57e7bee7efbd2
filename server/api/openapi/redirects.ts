import { redirectOperations, type RedirectOperation } from "./redirect-operations.ts";
import type { Operation } from "./shapes.ts";

/** Describes an operation that responds with a redirect. */
function describedRedirect({ path, server, leadsTo, parameters, ...about }: RedirectOperation): Operation {
  const statuses = [400, ...(path.includes("{") ? [404] : []), 429, 500, 503];
  const problems = statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]);
  const location = { description: "The target URL.", schema: { type: "string" } };
  return {
    ...about,
    description: `${about.description}\n\nNo authentication required.`,
    tags: ["External sign-in"],
    security: [],
    ...(server === undefined ? {} : { servers: [{ url: server, description: "Not below /api." }] }),
    parameters: parameters.map((one) => ({ ...one, required: one.in === "path", schema: { type: "string" } })),
    responses: { 302: { description: leadsTo, headers: { Location: location } }, ...Object.fromEntries(problems) },
  };
}

/** Every redirecting operation, by its path in the document. */
export const redirectPaths: readonly [string, Operation][] = redirectOperations.map((redirect) => [
  redirect.path,
  describedRedirect(redirect),
]);
