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

const statuses = [400, 401, 403, 429, 500, 503];

const sample = `id: 01a1fb0f-6204-7000-abd4-276e976be8b7
data: {"event":"connected","gap":false}

id: 01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11
data: {"event":"zone.drift","id":"01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11","title":"example.com differs from what its provider serves",…}
`;

const notifications: Operation = {
  operationId: "streamNotifications",
  summary: "Stream your notifications",
  description: `Server-sent events. The first message is \`{"event":"connected"}\`. Later messages are notifications, as in the list. Every message has an \`id\`. To receive missed
messages, send the last \`id\` as \`Last-Event-ID\` when reconnecting; browsers do so automatically. If the id is no longer known (after a restart, or more than 200 notifications later), the
first message has \`"gap": true\` and all stored notifications follow. A comment is sent after 15 seconds without messages.

Each user can have at most five streams; a sixth returns 429. A stream ends when its token expires, its session ends, or the user turns notifications off. A client with
1 MiB of unread data is disconnected.

Send the access token in the header or, with a browser's \`EventSource\`, as the query parameter \`token\`. Personal tokens need the permission \`notifications:read\` and are accepted only in the header.`,
  tags: ["Notifications"],
  security: [{ bearer: [] }],
  parameters: [
    {
      name: "token",
      in: "query",
      description: "An access token, for clients that cannot send headers.",
      required: false,
      schema: { type: "string" },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last received message.",
      required: false,
      schema: { type: "string" },
      example: "01a1fb0f-6204-7000-abd4-276e976be8b7",
    },
  ],
  responses: {
    200: {
      description: "The messages.",
      content: { "text/event-stream": { schema: { type: "string" }, example: sample } },
    },
    ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])),
  },
};

/** Subscriptions that only tRPC serves, by procedure. */
export const trpcStreams: Readonly<Record<string, { summary: string; description: string }>> = {
  "domains.watch": {
    summary: "Watch domains for changes",
    description: `Sends \`{ domainId, revision, changeSetId }\` for each change of the records of 1 to 50 domains, whoever made it and by whatever means. The first message of each domain has its
present revision and no change set. Domains that you may not see are left out; 404 if you may see none. From an assigned domain, only changes of hosts that match your assignments are sent.

Needs the permission \`records:read\`, works with notifications turned off, and counts toward the five streams of a user.`,
  },
};

/** Every streaming operation, by its path in the document. */
export const streamPaths: readonly [string, Operation][] = [["/notifications/stream", notifications]];
