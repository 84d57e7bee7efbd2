import { providerIds } from "../../database/tables/identity.ts";

/** A redirect, for the API document. */
export interface RedirectOperation {
  /** As the document writes paths: below its servers' addresses. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: "path" | "query"; description: string; example?: string }[];
  /** Where it is when not below /api. */
  server?: string;
  /** What the 302 leads to. */
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
    description: "As `authorize` gave it to the provider. It works once, in the browser that set out, for ten minutes.",
    example: "eyJhbGciOi…",
  },
  { name: "code", in: "query", description: "The provider's authorisation code.", example: "4/0AX4XfWh…" },
  { name: "iss", in: "query", description: "The issuer of the answer (RFC 9207)." },
  { name: "error", in: "query", description: "Why there is no code." },
  { name: "error_description", in: "query", description: "The same for people. It goes to the log only." },
];

const outcome =
  "The front end, at SITE_URL, with one of: `ticket`; `needs_invite=true` and `pending_token`; `bound=1` and `provider_id`; `error`, which is access_denied, " +
  "state_invalid, provider_error, provider_disabled, already_bound or account_disabled.";

const comesBack =
  "For browsers that come back from the provider. Call `exchangeTicket` with the ticket, `registerExternally` with the pending token.";

/** What answers with a redirect and so is no procedure (`http.ts`). */
export const redirectOperations: RedirectOperation[] = [
  {
    path: "/auth/oauth/{providerId}/authorize",
    operationId: "authorize",
    summary: "Go to a provider to sign in",
    description:
      "For browsers: send them here. The cookie that comes with the answer binds the sign-in to the browser.",
    parameters: [
      provider,
      {
        name: "prompt",
        in: "query",
        description:
          "`login`: an OpenID provider has the person sign in anew and has to say when that was. For the others any completed sign-in counts.",
        example: "login",
      },
    ],
    leadsTo: "The provider's page, or the front end with `error` where the provider is disabled or cannot be reached.",
  },
  {
    path: "/auth/oauth/{providerId}/callback",
    operationId: "oauthCallback",
    summary: "Come back from a provider",
    description: comesBack,
    parameters: [provider, ...answer, { name: "authCode", in: "query", description: "DingTalk's name for the code." }],
    leadsTo: outcome,
  },
  {
    path: "/oauth/oidc",
    operationId: "oidcCallback",
    summary: "Come back from an OpenID provider",
    description: `${comesBack} The address that \`oidc\` and \`custom\` share; \`state\` says which of them it is. It is not below /api: a reverse proxy has to pass it on as well.`,
    parameters: answer,
    server: "/",
    leadsTo: outcome,
  },
];
