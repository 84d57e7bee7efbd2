import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queries } from "./api.ts";
import { Frame } from "./frame.tsx";
import { currentUser } from "./session/current-user.ts";
import { leadOn } from "./session/external.ts";
import { Crashed, CrashedPage } from "./ui/failures.tsx";
import type { HistorySearch } from "./timeline/history-filters.tsx";
import { zoneQuery } from "./zone/use-zone.ts";

/** The table of pages. Rooms do not import each other; they meet here and in frame.tsx. */

const adminPages = async () => await import("./admin/pages.ts");
const templatePages = async () => await import("./templates/pages.ts");
const sessionPages = async () => await import("./session/pages.ts");
const acrossZones = async () => await import("./across-zones.ts");
const zonePages = async () => await import("./zone-pages.ts");
const accountPages = async () => await import("./account/pages.ts");
const notFound = async () => await import("./ui/not-found.tsx");
const rootRoute = createRootRoute({
  notFoundComponent: lazyRouteComponent(notFound, "NotFoundPage"),
  errorComponent: CrashedPage,
});

const optionalText = (value: unknown) =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** Search parameters that are texts; absent ones are undefined. */
const texts =
  <Key extends string>(...keys: readonly Key[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(keys.map((key) => [key, optionalText(search[key])])) as { [Name in Key]?: string | undefined };

const revision = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined);

/** Only addresses of this site, so that a link cannot lead elsewhere after the sign-in. */
const ownPath = (value: unknown) => (typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string | undefined; ended?: true | undefined; error?: string | undefined } => ({
    next: ownPath(search["next"]),
    ended: search["ended"] === true ? true : undefined,
    error: optionalText(search["error"]),
  }),
  component: lazyRouteComponent(() => import("./session/sign-in.tsx"), "SignIn"),
});

const forgot = createRoute({
  getParentRoute: () => rootRoute,
  path: "/forgot-password",
  component: lazyRouteComponent(sessionPages, "ForgotPassword"),
});
const reset = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset-password",
  component: lazyRouteComponent(sessionPages, "ResetPassword"),
});
const verify = createRoute({
  getParentRoute: () => rootRoute,
  path: "/verify-email",
  component: lazyRouteComponent(sessionPages, "VerifyEmail"),
});
const register = createRoute({
  getParentRoute: () => rootRoute,
  path: "/register",
  validateSearch: (search): { code?: string | undefined } => ({ code: optionalText(search["code"]) }),
  component: lazyRouteComponent(sessionPages, "Register"),
});
const arrival = createRoute({
  getParentRoute: () => rootRoute,
  path: "/welcome-back",
  component: lazyRouteComponent(sessionPages, "ArrivalPage"),
});

/** What a return from an identity provider needs. Rare, so it is loaded for it. */
const endOfReturn = async () => await import("./session/say-return.ts");

/** Everything behind the sign-in. */
const inside = createRoute({
  getParentRoute: () => rootRoute,
  id: "inside",
  beforeLoad: async ({ location }) => {
    const back = location.pathname === "/" ? leadOn() : null;
    if (back?.kind === "ticket" || back?.kind === "needsInvite") throw redirect({ to: "/welcome-back", replace: true });
    if (back?.kind === "bound") {
      (await endOfReturn()).endReturn(back, true);
      throw redirect({ to: "/account/security", replace: true });
    }
    const user = await queries.ensureQueryData(currentUser);
    // A sign-in that failed at the provider returns to where it began.
    const began = back?.kind === "error" ? (await endOfReturn()).endReturn(back, user !== null) : undefined;
    if (user) {
      if (began !== undefined && began !== "/") throw redirect({ href: began, replace: true });
      return;
    }
    const error = back?.kind === "error" ? back.code : undefined;
    const next = began ?? (location.href === "/" ? undefined : location.href);
    throw redirect({ to: "/sign-in", search: { next, error }, replace: true });
  },
  component: Frame,
});

const domainList = createRoute({
  getParentRoute: () => inside,
  path: "/",
  validateSearch: texts("search", "status", "tag", "group", "view", "provider", "drift", "sort"),
  component: lazyRouteComponent(() => import("./domains/list-page.tsx"), "DomainsPage"),
});

const zone = createRoute({
  getParentRoute: () => inside,
  path: "/d/$name",
  // The zone is read while the page's code loads.
  loader: ({ params }) => void queries.prefetchQuery(zoneQuery(params.name)),
  component: lazyRouteComponent(() => import("./zone/zone-page.tsx"), "ZonePage"),
});

const zoneIndex = createRoute({
  getParentRoute: () => zone,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/d/$name/records", params, replace: true });
  },
});

const zoneRecords = createRoute({
  getParentRoute: () => zone,
  path: "/records",
  validateSearch: texts("search", "type"),
  component: lazyRouteComponent(() => import("./records/records-page.tsx"), "RecordsPage"),
});

const zoneText = createRoute({
  getParentRoute: () => zone,
  path: "/text",
  component: lazyRouteComponent(() => import("./records/from-text.ts"), "TextPage"),
});
const zoneTimeline = createRoute({
  getParentRoute: () => zone,
  path: "/timeline",
  validateSearch: (search): HistorySearch & { at?: number | undefined; from?: number | undefined } => ({
    ...texts("name", "by", "since")(search),
    at: revision(search["at"]),
    from: revision(search["from"]),
  }),
  component: lazyRouteComponent(() => import("./timeline/timeline-page.tsx"), "TimelinePage"),
});
const zoneRequests = createRoute({
  getParentRoute: () => zone,
  path: "/requests",
  validateSearch: texts("show", "page"),
  component: lazyRouteComponent(() => import("./requests/zone-requests-page.tsx"), "ZoneRequestsPage"),
});
const requests = createRoute({
  getParentRoute: () => inside,
  path: "/requests",
  validateSearch: texts("show", "page"),
  component: lazyRouteComponent(() => import("./requests/requests-page.tsx"), "RequestsPage"),
});
const search = createRoute({
  getParentRoute: () => inside,
  path: "/search",
  validateSearch: texts("q", "value", "host", "note", "type", "tag", "page"),
  component: lazyRouteComponent(acrossZones, "SearchPage"),
});
const replace = createRoute({
  getParentRoute: () => inside,
  path: "/replace",
  validateSearch: texts("type", "value", "to", "ttl", "tag"),
  component: lazyRouteComponent(acrossZones, "ReplacePage"),
});
const replacement = createRoute({
  getParentRoute: () => inside,
  path: "/replace/$id",
  validateSearch: texts("show", "page"),
  component: lazyRouteComponent(acrossZones, "JobPage"),
});
const portfolio = createRoute({
  getParentRoute: () => inside,
  path: "/portfolio",
  validateSearch: texts("search", "status", "group", "sort", "page", "month"),
  component: lazyRouteComponent(acrossZones, "PortfolioPage"),
});
const reverse = createRoute({
  getParentRoute: () => inside,
  path: "/reverse",
  component: lazyRouteComponent(acrossZones, "ReversePage"),
});
const secondaries = createRoute({
  getParentRoute: () => inside,
  path: "/secondaries",
  validateSearch: texts("only", "mirrors", "secondaries"),
  component: lazyRouteComponent(acrossZones, "SecondariesPage"),
});
const zoneCompare = createRoute({
  getParentRoute: () => zone,
  path: "/compare",
  validateSearch: texts("with"),
  component: lazyRouteComponent(zonePages, "ComparePage"),
});
const templates = createRoute({
  getParentRoute: () => inside,
  path: "/templates",
  validateSearch: texts("search", "page", "zone"),
  component: lazyRouteComponent(templatePages, "TemplatesPage"),
});
const template = createRoute({
  getParentRoute: () => inside,
  path: "/templates/$id",
  validateSearch: texts("zone", "host"),
  component: lazyRouteComponent(templatePages, "TemplatePage"),
});
const request = createRoute({
  getParentRoute: () => inside,
  path: "/requests/$id",
  component: lazyRouteComponent(() => import("./requests/request-page.tsx"), "RequestPage"),
});

/** Pages about the user's own account. */
const profile = createRoute({
  getParentRoute: () => inside,
  path: "/account/profile",
  component: lazyRouteComponent(accountPages, "ProfilePage"),
});
const security = createRoute({
  getParentRoute: () => inside,
  path: "/account/security",
  component: lazyRouteComponent(accountPages, "SecurityPage"),
});
const tokens = createRoute({
  getParentRoute: () => inside,
  path: "/account/tokens",
  component: lazyRouteComponent(accountPages, "TokensPage"),
});
/** What `zonewright login` opens, and where the code of a device is typed. */
const authorize = createRoute({
  getParentRoute: () => inside,
  path: "/authorize",
  component: lazyRouteComponent(accountPages, "AuthorizePage"),
});
const device = createRoute({
  getParentRoute: () => inside,
  path: "/device",
  component: lazyRouteComponent(accountPages, "DevicePage"),
});
const keys = createRoute({
  getParentRoute: () => inside,
  path: "/account/keys",
  component: lazyRouteComponent(accountPages, "KeysPage"),
});
const sessions = createRoute({
  getParentRoute: () => inside,
  path: "/account/sessions",
  component: lazyRouteComponent(accountPages, "SessionsPage"),
});

/** Pages of administrators; auditors read some of them. */
const users = createRoute({
  getParentRoute: () => inside,
  path: "/admin/users",
  validateSearch: texts("search", "role", "page"),
  component: lazyRouteComponent(adminPages, "UsersPage"),
});
const audit = createRoute({
  getParentRoute: () => inside,
  path: "/admin/audit",
  validateSearch: texts("actor", "action", "target", "domain", "zone", "from", "until", "before"),
  component: lazyRouteComponent(adminPages, "AuditPage"),
});
const assignments = createRoute({
  getParentRoute: () => inside,
  path: "/admin/assignments",
  validateSearch: texts("owner", "zone", "page"),
  component: lazyRouteComponent(adminPages, "AssignmentsPage"),
});
const tsigKeys = createRoute({
  getParentRoute: () => inside,
  path: "/admin/keys",
  validateSearch: texts("owner", "zone", "page"),
  component: lazyRouteComponent(adminPages, "TsigKeysPage"),
});
const system = createRoute({
  getParentRoute: () => inside,
  path: "/admin/system",
  component: lazyRouteComponent(adminPages, "SystemPage"),
});
const invitations = createRoute({
  getParentRoute: () => inside,
  path: "/admin/invitations",
  validateSearch: texts("page"),
  component: lazyRouteComponent(adminPages, "InvitationsPage"),
});
const providers = createRoute({
  getParentRoute: () => inside,
  path: "/admin/providers",
  component: lazyRouteComponent(adminPages, "ProvidersPage"),
});
const newProvider = createRoute({
  getParentRoute: () => inside,
  path: "/admin/providers/new",
  validateSearch: texts("kind"),
  component: lazyRouteComponent(adminPages, "NewProviderPage"),
});
const providerZones = createRoute({
  getParentRoute: () => inside,
  path: "/admin/providers/$id/zones",
  component: lazyRouteComponent(adminPages, "ProviderZonesPage"),
});
const registrars = createRoute({
  getParentRoute: () => inside,
  path: "/admin/registrars",
  component: lazyRouteComponent(adminPages, "RegistrarsPage"),
});
const channels = createRoute({
  getParentRoute: () => inside,
  path: "/admin/channels",
  component: lazyRouteComponent(adminPages, "ChannelsPage"),
});
const newChannel = createRoute({
  getParentRoute: () => inside,
  path: "/admin/channels/new",
  component: lazyRouteComponent(adminPages, "NewChannelPage"),
});
const channel = createRoute({
  getParentRoute: () => inside,
  path: "/admin/channels/$id",
  component: lazyRouteComponent(adminPages, "ChannelPage"),
});
const providerGroups = createRoute({
  getParentRoute: () => inside,
  path: "/admin/sign-in/$provider",
  component: lazyRouteComponent(adminPages, "GroupsPage"),
});
const signInProviders = createRoute({
  getParentRoute: () => inside,
  path: "/admin/sign-in",
  component: lazyRouteComponent(adminPages, "SignInProvidersPage"),
});

const notifications = createRoute({
  getParentRoute: () => inside,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./notifications/notifications-page.tsx"), "NotificationsPage"),
});

const elsewhere = createRoute({
  getParentRoute: () => inside,
  path: "$",
  component: lazyRouteComponent(notFound, "NotFound"),
});

const zoneSettings = createRoute({
  getParentRoute: () => zone,
  path: "/settings",
  component: lazyRouteComponent(zonePages, "SettingsPage"),
});
const zoneRegistration = createRoute({
  getParentRoute: () => zone,
  path: "/registration",
  component: lazyRouteComponent(zonePages, "RegistrationPage"),
});
const zoneHealth = createRoute({
  getParentRoute: () => zone,
  path: "/health",
  component: lazyRouteComponent(zonePages, "HealthPage"),
});
const zoneAccess = createRoute({
  getParentRoute: () => zone,
  path: "/access",
  component: lazyRouteComponent(zonePages, "AccessPage"),
});

const routeTree = rootRoute.addChildren([
  signIn,
  forgot,
  reset,
  verify,
  register,
  arrival,
  inside.addChildren([
    domainList,
    search,
    replace,
    replacement,
    templates,
    template,
    portfolio,
    reverse,
    secondaries,
    zone.addChildren([
      zoneIndex,
      zoneRecords,
      zoneText,
      zoneTimeline,
      zoneRequests,
      zoneHealth,
      zoneRegistration,
      zoneSettings,
      zoneAccess,
      zoneCompare,
    ]),
    requests,
    request,
    notifications,
    profile,
    security,
    tokens,
    authorize,
    device,
    keys,
    sessions,
    users,
    audit,
    assignments,
    tsigKeys,
    system,
    invitations,
    providers,
    newProvider,
    providerZones,
    registrars,
    signInProviders,
    providerGroups,
    channels,
    newChannel,
    channel,
    elsewhere,
  ]),
]);

/** Creates the router, in the browser's history. */
export function createConsoleRouter() {
  return createRouter({
    routeTree,
    defaultErrorComponent: Crashed,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: false,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
