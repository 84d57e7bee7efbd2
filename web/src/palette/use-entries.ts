import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { usePreferences } from "../session/preferences.ts";
import { setTheme, useTheme } from "../theme/theme.ts";
import { menuWords } from "../words/menu.ts";
import { paletteWords } from "../words/palette.ts";
import { words } from "../words/words.ts";
import { inGroups, matching, type Entry } from "./entries.ts";

const text = paletteWords;
const pages = words.shell;
const shownOfEach = 8;
/** The service searches records from so many characters on. */
export const leastForRecords = 3;
/** And up to so many. The beginning of a longer text finds it as well. */
export const longestSearch = 253;

interface Actions {
  onKeys: () => void;
  onSignOut: () => void;
}

const action = (id: string, label: string, run: () => void): Entry => ({
  id,
  label,
  detail: "",
  group: "actions",
  run,
});
const qualifiedName = ({ name, view }: { name: string; view: string }) => (view === "" ? name : `${name}!${view}`);
const zonePath = (name: string, tab: string) => `/d/${encodeURIComponent(name)}/${tab}`;

/** Everything that a search finds; `stale`: answers to it are still on their way. @param search trimmed, and settled */
export function useEntries(
  search: string,
  { onKeys, onSignOut }: Actions,
): { entries: Entry[]; error: unknown; stale: boolean } {
  const user = useUser();
  const navigate = useNavigate();
  const theme = useTheme();
  const pins = usePreferences()?.pinnedZones ?? [];
  const { name: here } = useParams({ strict: false });
  const domains = useQuery({
    queryKey: ["palette", "domains", search],
    queryFn: async ({ signal }) =>
      (await client.domains.list.query({ search: search || undefined, limit: shownOfEach }, { signal })).domains,
    placeholderData: keepPreviousData,
  });
  const records = useQuery({
    queryKey: ["palette", "records", search],
    queryFn: async ({ signal }) =>
      (await client.records.search.query({ search, limit: shownOfEach }, { signal })).records,
    enabled: search.length >= leastForRecords,
    placeholderData: search.length >= leastForRecords ? keepPreviousData : undefined,
  });

  const go = (to: string) => () => void navigate({ to });
  const page = (label: string, to: string): Entry => ({ id: to, label, detail: "", group: "pages", run: go(to) });
  const own =
    here === undefined
      ? []
      : [
          page(text.recordsOf(here), zonePath(here, "records")),
          page(text.textOf(here), zonePath(here, "text")),
          page(text.historyOf(here), zonePath(here, "timeline")),
          page(text.requestsOf(here), zonePath(here, "requests")),
          page(text.healthOf(here), zonePath(here, "health")),
          page(text.registrationOf(here), zonePath(here, "registration")),
          page(text.settingsOf(here), zonePath(here, "settings")),
          page(text.accessOf(here), zonePath(here, "access")),
          page(text.compareOf(here), zonePath(here, "compare")),
        ];
  const next = { system: "light", light: "dark", dark: "system" } as const;
  const fixed = [
    ...own,
    page(pages.search, "/search"),
    page(pages.domains, "/"),
    ...(user.role === "auditor" ? [] : [page(pages.replace, "/replace")]),
    page(pages.templates, "/templates"),
    page(text.portfolio, "/portfolio"),
    page(text.reverse, "/reverse"),
    page(text.secondaries, "/secondaries"),
    page(pages.requests, "/requests"),
    page(pages.notifications, "/notifications"),
    page(pages.account, "/account/profile"),
    ...(user.role === "member"
      ? []
      : [
          page(menuWords.users, "/admin/users"),
          page(menuWords.assignments, "/admin/assignments"),
          page(menuWords.tsigKeys, "/admin/keys"),
          page(menuWords.audit, "/admin/audit"),
          page(menuWords.registrars, "/admin/registrars"),
        ]),
    ...(user.role === "admin"
      ? [
          page(menuWords.invitations, "/admin/invitations"),
          page(menuWords.providers, "/admin/providers"),
          page(menuWords.signIn, "/admin/sign-in"),
          page(menuWords.channels, "/admin/channels"),
          page(menuWords.system, "/admin/system"),
        ]
      : []),
    action("theme", text.theme, () => setTheme(next[theme])),
    action("keys", text.keys, onKeys),
    action("sign-out", text.signOut, onSignOut),
  ];
  // Before anything is typed, the zones that are wanted most.
  const pinned = search === "" ? pins.slice(0, shownOfEach) : [];
  const found = [
    ...pinned.map((pin): Entry => {
      const [name = "", view = ""] = pin.split("!");
      return { id: `pin ${pin}`, label: name, detail: view, group: "domains", run: go(zonePath(pin, "records")) };
    }),
    ...(domains.data ?? [])
      .filter((domain) => !pinned.includes(qualifiedName(domain)))
      .map(({ id, name, view }): Entry => {
        const qualified = qualifiedName({ name, view });
        return { id, label: name, detail: view, group: "domains", run: go(zonePath(qualified, "records")) };
      }),
    ...(search.length < leastForRecords ? [] : (records.data ?? [])).map((record): Entry => {
      const { id, name, recordType, value, domainName } = record;
      const zone = domainName.split("!")[0] ?? "";
      return {
        id,
        label: name === "@" ? zone : `${name}.${zone}`,
        detail: `${recordType} ${value}`,
        group: "records",
        run: () =>
          void navigate({
            to: "/d/$name/records",
            params: { name: domainName },
            search: { search: name === "@" ? undefined : name, type: recordType },
          }),
      };
    }),
  ];
  // Below what was found, so that Enter goes there only if there is nothing nearer.
  const everywhere: Entry = {
    id: "search",
    label: text.searchAll(search),
    detail: "",
    group: "records",
    run: () => void navigate({ to: "/search", search: { q: search } }),
  };
  return {
    entries: inGroups([...found, ...matching(fixed, search), ...(search.length < leastForRecords ? [] : [everywhere])]),
    error: domains.error ?? records.error,
    stale: [domains, ...(search.length < leastForRecords ? [] : [records])].some(
      ({ isPending, isPlaceholderData }) => isPending || isPlaceholderData,
    ),
  };
}
