export interface InterfaceEndpoint {
  method: string;
  /** As the interface writes it: `:name` marks a parameter. */
  path: string;
  area: string;
  /** Whether this version offers the area. */
  built: boolean;
}

/** Every row of the endpoint tables of the interface, by area. An area that gets built changes one word here. */
const areas: { area: string; built: boolean; endpoints: string[] }[] = [
  {
    area: "sign-in",
    built: true,
    endpoints: ["POST /api/auth/login", "POST /api/auth/refresh", "POST /api/auth/logout", "GET /api/auth/me"],
  },
  {
    area: "second factors",
    built: true,
    endpoints: ["POST /api/2fa/verify"],
  },
  {
    area: "account",
    built: true,
    endpoints: [
      "PUT /api/auth/me/profile",
      "PUT /api/auth/me/password",
      "PUT /api/auth/me/email",
      "GET /api/auth/me/tokens",
      "POST /api/auth/me/tokens",
      "DELETE /api/auth/me/tokens/:id",
    ],
  },
  {
    area: "external sign-in",
    built: true,
    endpoints: [
      "GET /api/auth/oauth/providers",
      "GET /api/auth/oauth/:providerId/callback-url",
      "GET /api/auth/oauth/:providerId/authorize",
      "GET /api/auth/oauth/:providerId/callback",
      "GET /oauth/oidc",
      "POST /api/auth/oauth/exchange-ticket",
      "POST /api/auth/oauth/:providerId/bind/start",
      "POST /api/auth/oauth/:providerId/register",
      "GET /api/auth/oauth/bindings",
      "DELETE /api/auth/oauth/unbind/:providerId",
    ],
  },
  {
    area: "identity provider configuration",
    built: true,
    endpoints: [
      "GET /api/oauth/providers",
      "POST /api/oauth/providers",
      "PUT /api/oauth/providers/:id",
      "DELETE /api/oauth/providers/:id",
    ],
  },
  {
    area: "domains",
    built: true,
    endpoints: [
      "GET /api/domains",
      "GET /api/domains/:id",
      "POST /api/domains",
      "PUT /api/domains/:id",
      "DELETE /api/domains/:id",
      "PUT /api/domains/:id/expiry-remind",
      "PUT /api/domains/:id/expiry",
      "GET /api/domains/tags",
    ],
  },
  {
    area: "expiry look-up",
    built: true,
    endpoints: ["POST /api/domains/:id/check-expiry", "POST /api/domains/check-expiry-preview"],
  },
  {
    area: "Open API",
    built: true,
    endpoints: [
      "GET /api/v1/domains",
      "GET /api/v1/domains/:id",
      "GET /api/v1/domains/:id/records",
      "POST /api/v1/domains/:id/records",
      "PUT /api/v1/domains/:id/records/:recordId",
      "DELETE /api/v1/domains/:id/records/:recordId",
    ],
  },
  {
    area: "records",
    built: true,
    endpoints: [
      "GET /api/domains/:id/records",
      "POST /api/domains/:id/records",
      "PUT /api/domains/:id/records/:recordId",
      "DELETE /api/domains/:id/records/:recordId",
      "POST /api/domains/:id/records/bulk",
      "POST /api/domains/:id/sync",
    ],
  },
  {
    area: "snapshots",
    built: true,
    endpoints: [
      "GET /api/domains/:id/snapshots",
      "POST /api/domains/:id/snapshots",
      "GET /api/domains/:id/snapshots/:snapshotId",
      "GET /api/domains/:id/snapshots/diff",
      "POST /api/domains/:id/snapshots/:snapshotId/rollback",
    ],
  },
  {
    area: "notifications",
    built: true,
    endpoints: [
      "GET /api/notifications/stream",
      "GET /api/notifications",
      "POST /api/notifications/:id/read",
      "POST /api/notifications/read-all",
      "DELETE /api/notifications/:id",
      "DELETE /api/notifications",
    ],
  },
  {
    area: "notification channels",
    built: true,
    endpoints: [
      "GET /api/notifications/configs",
      "POST /api/notifications",
      "PUT /api/notifications/configs/:id",
      "DELETE /api/notifications/configs/:id",
    ],
  },
];

export const interfaceEndpoints: InterfaceEndpoint[] = areas.flatMap(({ area, built, endpoints }) =>
  endpoints.map((endpoint) => {
    const [method = "", path = ""] = endpoint.split(" ");
    return { method, path, area, built };
  }),
);
