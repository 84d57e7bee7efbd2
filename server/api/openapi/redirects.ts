import { providerIds } from "../../database/tables/identity.ts";
import type { Operation } from "./shapes.ts";

/** A redirecting operation, for the API document. */
interface RedirectOperation {
  /** Path relative to the document's servers. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: "path" | "query"; description: string; example?: string }[];
  /** Server URL, if not /api. */
  server?: string;
  /** Target of the 302. */
  leadsTo: string;
}

const provider = {
  name: "providerId",
  in: "path",
  description: `One of ${providerIds.join(", ")}.`,
  example: "github",
} as const;

const answer: RedirectOperation["parameters"] = [
  {
    name: "state",
    in: "query",
    description: "The value that `authorize` sent to the provider. Valid once, for ten minutes, in the same browser.",
    example: "eyJhbGciOi…",
  },
  { name: "code", in: "query", description: "The provider's authorization code.", example: "4/0AX4XfWh…" },
  { name: "iss", in: "query", description: "The issuer of the authorization response (RFC 9207)." },
  { name: "error", in: "query", description: "The provider's error code, if there is no `code`." },
  { name: "error_description", in: "query", description: "The provider's error message. Only logged." },
];

const outcome =
  "The console at SITE_URL with one of: `ticket`; `needs_invite=true` and `pending_token`; `bound=1` and `provider_id`; or `error`: access_denied, " +
  "state_invalid, provider_error, provider_disabled, already_bound, account_disabled or groups_not_sent.";

const callbackDescription =
  "Browsers return here from the provider. Pass the ticket to `exchangeTicket`, or the pending token to `registerExternally`.";

/** Operations that respond with a redirect and so are not procedures (`http.ts`). */
const redirectOperations: RedirectOperation[] = [
  {
    path: "/auth/oauth/{providerId}/authorize",
    operationId: "authorize",
    summary: "Start a sign-in with a provider",
    description: "Navigate the browser to this URL. The response's cookie binds the sign-in to that browser.",
    parameters: [
      provider,
      {
        name: "prompt",
        in: "query",
        description:
          "`login` makes an OpenID provider reauthenticate the user and return `auth_time`. Other providers accept any completed sign-in.",
        example: "login",
      },
    ],
    leadsTo: "The provider's page, or the console with `error` if the provider is disabled or unreachable.",
  },
  {
    path: "/auth/oauth/{providerId}/callback",
    operationId: "oauthCallback",
    summary: "Return from a provider",
    description: callbackDescription,
    parameters: [provider, ...answer, { name: "authCode", in: "query", description: "DingTalk's name for `code`." }],
    leadsTo: outcome,
  },
  {
    path: "/oauth/oidc",
    operationId: "oidcCallback",
    summary: "Return from an OpenID provider",
    description: `${callbackDescription} \`oidc\` and \`custom\` share this URL; \`state\` identifies which. It is not below /api, so a reverse proxy must forward it separately.`,
    parameters: answer,
    server: "/",
    leadsTo: outcome,
  },
];

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
