import { createAssignmentsRouter } from "./accounts/assignments/router.ts";
import { createAuditRouter } from "./notifications/audit/router.ts";
import { createSessionsRouter } from "./accounts/auth/own-sessions/router.ts";
import { createTokensRouter } from "./accounts/auth/personal-tokens/router.ts";
import { createTsigKeysRouter } from "./accounts/auth/tsig-keys/router.ts";
import { createCommandLineRouter } from "./accounts/auth/command-line/router.ts";
import { createAuthRouter } from "./accounts/auth/router.ts";
import { createTwoFactorRouter } from "./accounts/auth/second-factors/router.ts";
import { createChannelsRouter } from "./notifications/channels/router.ts";
import { createProviderConfigsRouter, createProvidersRouter } from "./dns-providers/router.ts";
import { createSecondariesRouter } from "./dns-service/router.ts";
import { createDnssecRouter } from "./registry/dnssec/router.ts";
import { createDelegationRouter } from "./registry/delegation/router.ts";
import { createChangeRequestsRouter } from "./zones/change-requests/router.ts";
import { createDomainsRouter, createPortfolioRouter, createZoneImportsRouter } from "./zones/domains/router.ts";
import { createIdentityConfigsRouter, createIdentityRouter } from "./accounts/identity/router.ts";
import { createMirrorsRouter } from "./zones/mirrors/router.ts";
import { createNotificationsRouter } from "./notifications/router.ts";
import { createFeedsRouter } from "./zones/calendar/router.ts";
import { createRecordsRouter } from "./zones/records/router.ts";
import { createPortfolioImportsRouter, createReplacementsRouter } from "./bulk/replacements/router.ts";
import { createHealthRouter } from "./zones/health/router.ts";
import { createReverseRouter } from "./zones/reverse/router.ts";
import { createSigningRouter } from "./zones/signing/router.ts";
import { createCompareRouter, createSnapshotsRouter } from "./zones/snapshots/router.ts";
import { createTemplatesRouter } from "./bulk/templates/router.ts";
import { historyRouter } from "./zones/changes/router.ts";
import { createRegistrarConfigsRouter, createRegistrationsRouter } from "./registry/registrars/router.ts";
import { createTlsHostsRouter } from "./registry/certificates/router.ts";
import { createExpiryRouter } from "./registry/expiry/router.ts";
import { createSystemRouter } from "./composition/system.ts";
import { merged, router } from "./api/trpc.ts";
import type { Services } from "./composition/services.ts";
import { createInvitationsRouter } from "./accounts/users/invitations/router.ts";
import { createAcmeRouter } from "./dns-service/update-clients/router.ts";
import { createUsersRouter } from "./accounts/users/router.ts";
import { createProfileRouter } from "./accounts/users/profile/router.ts";
import { createV1Router } from "./zones/v1/router.ts";

/** The table of features. Everything that clients can do is in here, over tRPC and over REST. Each router gets the services that it calls. */
export function createAppRouter(services: Services) {
  const domains = createDomainsRouter(services);
  const records = createRecordsRouter(services);
  return router({
    auth: merged(createAuthRouter(services), createCommandLineRouter(services)),
    twoFactor: createTwoFactorRouter(services),
    tokens: createTokensRouter(services),
    feeds: createFeedsRouter(services),
    tsigKeys: createTsigKeysRouter(services),
    sessions: createSessionsRouter(services),
    profile: createProfileRouter(services),
    users: createUsersRouter(services),
    invitations: createInvitationsRouter(services),
    identity: createIdentityRouter(services),
    identityConfigs: createIdentityConfigsRouter(services),
    domains: merged(domains, createExpiryRouter(services), createCompareRouter(services)),
    portfolio: merged(createPortfolioRouter(services), createPortfolioImportsRouter(services)),
    delegation: createDelegationRouter(services),
    secondaries: createSecondariesRouter(services),
    mirrors: createMirrorsRouter(services),
    records: merged(records, historyRouter, createHealthRouter(services)),
    replacements: createReplacementsRouter(services),
    changeRequests: createChangeRequestsRouter(services),
    reverse: createReverseRouter(services),
    snapshots: createSnapshotsRouter(services),
    templates: createTemplatesRouter(services),
    assignments: createAssignmentsRouter(services),
    providers: createProvidersRouter(services),
    providerConfigs: merged(createProviderConfigsRouter(services), createZoneImportsRouter(services)),
    registrations: createRegistrationsRouter(services),
    tlsHosts: createTlsHostsRouter(services),
    dnssec: merged(createDnssecRouter(services), createSigningRouter(services)),
    registrarConfigs: createRegistrarConfigsRouter(services),
    notifications: createNotificationsRouter(services),
    channels: createChannelsRouter(services),
    audit: createAuditRouter(),
    system: createSystemRouter(services),
    acme: createAcmeRouter(services),
    v1: createV1Router({ domains, records }),
  });
}
