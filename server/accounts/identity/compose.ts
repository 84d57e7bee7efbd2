import type { Authenticator } from "../../access/authenticator.ts";
import type { AccessRevocation } from "../users/access/revocation.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { SignIn } from "../auth/sign-in.ts";
import type { WaysIn } from "../auth/ways-in.ts";
import type { Egress } from "../../platform/net/egress.ts";
import { SecretCipher, type Keyring } from "../../platform/secret-cipher.ts";
import type { Invitations } from "../users/invitations/service.ts";
import type { Confirmation } from "../auth/confirmation/service.ts";
import type { AdministratorNotices } from "../users/administrator-notices.ts";
import type { Users } from "../users/service.ts";
import { IdentityBindings } from "./bindings.ts";
import { ClientSecrets, IdentityAddresses } from "./config-fields.ts";
import { IdentityConfigs } from "./configs.ts";
import { GroupGrants } from "./groups/grants.ts";
import { GroupTests } from "./groups/rules.ts";
import { IdentityFlows, SharedCallback } from "./flows.ts";
import { createIdentityProviders } from "./providers/catalogue.ts";
import { ExternalRegistration } from "./registration.ts";
import { TicketSignIn, IdentityTickets } from "./tickets.ts";
import { ExternalSignIn } from "./external-sign-in.ts";

/** The services of external sign-in. */
export type IdentityServices = ReturnType<typeof composeIdentity>;

/** Builds the services of external sign-in. */
export function composeIdentity(parts: {
  siteUrl: string;
  keyring: Keyring;
  egress: Egress;
  signIn: SignIn;
  users: Users;
  invitations: Invitations;
  waysIn: WaysIn;
  authenticator: Authenticator;
  revocation: AccessRevocation;
  confirmation: Confirmation;
  administratorNotices: AdministratorNotices;
  audit: Audit;
  now: () => Date;
}) {
  const { siteUrl, keyring, egress, signIn, users, invitations, waysIn, audit, now } = parts;
  const addresses = new IdentityAddresses(siteUrl);
  const providers = createIdentityProviders(egress, now);
  const secrets = new ClientSecrets(new SecretCipher(keyring, "identity-client-secret"));
  const { confirmation, administratorNotices } = parts;
  const { authenticator, revocation } = parts;
  const grants = new GroupGrants({ authenticator, revocation, administratorNotices, audit, now });
  const configs = new IdentityConfigs({
    providers,
    addresses,
    secrets,
    confirmation,
    administratorNotices,
    grants,
    audit,
    now,
  });
  const flows = new IdentityFlows(new SecretCipher(keyring, "identity-flow"), siteUrl.startsWith("https:"), now);
  const tickets = new IdentityTickets(now);
  const sharedCallback = new SharedCallback(now);
  const bindings = new IdentityBindings({ providers, audit, waysIn, grants, now });
  return {
    identityAddresses: addresses,
    identityConfigs: configs,
    identityBindings: bindings,
    externalSignIn: new ExternalSignIn({ configs, flows, tickets, bindings, sharedCallback, addresses, grants, now }),
    ticketSignIn: new TicketSignIn(tickets, signIn, audit),
    externalRegistration: new ExternalRegistration({
      grants,
      tickets,
      bindings,
      users,
      invitations,
      signIn,
      audit,
    }),
    groupTests: new GroupTests(),
  };
}
