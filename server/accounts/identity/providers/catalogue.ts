import type { Egress } from "../../../platform/net/egress.ts";
import { dingtalk } from "./dingtalk.ts";
import { feishu } from "./feishu.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { google } from "./google.ts";
import { oidc } from "./oidc.ts";
import type { IdentityProvider } from "./provider.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";

export type IdentityProviders = Readonly<Record<ProviderId, IdentityProvider>>;

/** Returns all providers, in display order. */
export function createIdentityProviders(egress: Egress, now: () => Date): IdentityProviders {
  return {
    oidc: oidc("oidc", "OpenID Connect", egress, now),
    custom: oidc("custom", "Custom OpenID Connect", egress, now),
    github: github(egress),
    gitlab: gitlab(egress),
    google: google(egress),
    dingtalk: dingtalk(egress),
    feishu: feishu(egress),
  };
}
