import { assignmentsRouter } from "./accounts/assignments/router.ts";
import { auditRouter } from "./notifications/audit/router.ts";
import { sessionsRouter } from "./accounts/auth/own-sessions/router.ts";
import { tokensRouter } from "./accounts/auth/personal-tokens/router.ts";
import { tsigKeysRouter } from "./accounts/auth/tsig-keys/router.ts";
import { commandLineRouter } from "./accounts/auth/command-line/router.ts";
import { authRouter } from "./accounts/auth/router.ts";
import { twoFactorRouter } from "./accounts/auth/second-factors/router.ts";
import { channelsRouter } from "./notifications/channels/router.ts";
import { providerConfigsRouter, providersRouter } from "./dns-providers/router.ts";
import { secondariesRouter } from "./dns-service/router.ts";
import { delegationRouter } from "./registry/delegation/router.ts";
import { changeRequestsRouter } from "./zones/change-requests/router.ts";
import { domainsRouter } from "./zones/domains/router.ts";
import { identityConfigsRouter, identityRouter } from "./accounts/identity/router.ts";
import { mirrorsRouter } from "./zones/mirrors/router.ts";
import { notificationsRouter } from "./notifications/router.ts";
import { recordsRouter } from "./zones/records/router.ts";
import { replacementsRouter } from "./bulk/replacements/router.ts";
import { reverseRouter } from "./zones/reverse/router.ts";
import { compareRouter, snapshotsRouter } from "./zones/snapshots/router.ts";
import { templatesRouter } from "./bulk/templates/router.ts";
import { historyRouter } from "./zones/changes/router.ts";
import { expiryRouter } from "./registry/expiry/router.ts";
import { merged, router } from "./api/trpc.ts";
import { invitationsRouter } from "./accounts/users/invitations/router.ts";
import { acmeRouter } from "./dns-service/update-clients/router.ts";
import { usersRouter } from "./accounts/users/router.ts";
import { profileRouter } from "./accounts/users/profile/router.ts";
import { v1Router } from "./zones/v1/router.ts";

/** The table of features. Everything that clients can do is in here, over tRPC and over REST. */
export const appRouter = router({
  auth: merged(authRouter, commandLineRouter),
  twoFactor: twoFactorRouter,
  tokens: tokensRouter,
  tsigKeys: tsigKeysRouter,
  sessions: sessionsRouter,
  profile: profileRouter,
  users: usersRouter,
  invitations: invitationsRouter,
  identity: identityRouter,
  identityConfigs: identityConfigsRouter,
  domains: merged(domainsRouter, expiryRouter, compareRouter),
  delegation: delegationRouter,
  secondaries: secondariesRouter,
  mirrors: mirrorsRouter,
  records: merged(recordsRouter, historyRouter),
  replacements: replacementsRouter,
  changeRequests: changeRequestsRouter,
  reverse: reverseRouter,
  snapshots: snapshotsRouter,
  templates: templatesRouter,
  assignments: assignmentsRouter,
  providers: providersRouter,
  providerConfigs: providerConfigsRouter,
  notifications: notificationsRouter,
  channels: channelsRouter,
  audit: auditRouter,
  acme: acmeRouter,
  v1: v1Router,
});

/** The type of that table: what clients are typed by. Types only; nothing of the server is loaded. */
export type AppRouter = typeof appRouter;
