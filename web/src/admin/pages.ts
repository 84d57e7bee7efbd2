/** The pages of administrators. They load together: the first page names every file that it may load, and has little room. */
export { AssignmentsPage } from "./assignments-page.tsx";
export { AuditPage } from "./audit-page.tsx";
export { NewChannelPage, ChannelPage } from "./channel-page.tsx";
export { ChannelsPage } from "./channels-page.tsx";
export { GroupsPage } from "./groups-page.tsx";
export { InvitationsPage } from "./invitations-page.tsx";
export { NewProviderPage } from "./provider-new-page.tsx";
export { TsigKeysPage } from "./keys-page.tsx";
export { ProvidersPage } from "./providers-page.tsx";
export { RegistrarsPage } from "./registrars-page.tsx";
export { SignInProvidersPage } from "./sign-in-page.tsx";
export { SystemPage } from "./system-page.tsx";
export { UsersPage } from "./users-page.tsx";
export { ProviderZonesPage } from "./zones-page.tsx";
