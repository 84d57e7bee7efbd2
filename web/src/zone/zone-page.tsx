import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import { Columns2, GitBranch, Pin } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { client, healing, queries } from "../api.ts";
import { useZoneChanges } from "../live/use-live.ts";
import { useUser } from "../session/current-user.ts";
import { togglePin, usePreferences } from "../session/preferences.ts";
import { buttonClass } from "../ui/button.tsx";
import { NotFound } from "../ui/not-found.tsx";
import { formatAgo, formatDate, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, useTitle } from "../ui/page.tsx";
import { pinsWords } from "../words/pins.ts";
import { zoneWords } from "../words/zone.ts";
import { draftKey, onEditCount } from "./draft/store.ts";
import { DriftBanner } from "./drift-banner.tsx";
import { partsText, useOwnRights } from "./own-rights.ts";
import { useManages } from "./rights.ts";
import { useProviderConfigs } from "./use-provider-configs.ts";
import { ZoneFacts } from "./zone-facts.tsx";
import { refreshZone, useZoneName, zoneName, zoneQuery, type Zone } from "./use-zone.ts";
import styles from "./zone.module.css";

const text = zoneWords;

/** The frame of a zone's pages: its header and tabs. */
export function ZonePage() {
  const name = useZoneName();
  const { data, error } = useQuery(zoneQuery(name));
  if (!data) return error ? <Failure error={error} /> : <HeaderOnItsWay name={name} />;
  if (data.kind === "missing") return <NotFound />;
  if (data.kind === "ambiguous") return <Choices name={name} choices={data.choices} />;
  return (
    <>
      <Header zone={data.zone} />
      <Content zone={data.zone} />
    </>
  );
}

/** The pages with room for the facts of the zone beside them. The others are as wide as the window, or have a list of their own there. */
const besideFacts = new Set(
  ["timeline", "requests", "health", "registration", "access"].map((page) => `/inside/d/$name/${page}`),
);

function Content({ zone }: { zone: Zone }) {
  const page = useRouterState({ select: ({ matches }) => matches.at(-1)?.routeId });
  if (page === undefined || !besideFacts.has(page)) return <Outlet />;
  return (
    <div className={styles["sheet"]}>
      <div>
        <Outlet />
      </div>
      <ZoneFacts zone={zone} />
    </div>
  );
}

/** As high as the header, so that nothing moves when it comes. */
function HeaderOnItsWay({ name }: { name: string }) {
  return (
    <header className={styles["head"]} aria-busy aria-label={text.loading}>
      <div className={styles["title"]}>
        <h1>{name}</h1>
      </div>
      <div className={styles["facts"]} />
      <div className={styles["tabs"]}>&nbsp;</div>
    </header>
  );
}

function Choices({ name, choices }: { name: string; choices: readonly string[] }) {
  useTitle(name);
  return (
    <>
      <h1 className="sr">{name}</h1>
      <Empty
        icon={<GitBranch aria-hidden />}
        title={text.ambiguousTitle}
        action={
          <div className={styles["choices"]}>
            {choices.map((choice) => (
              <Link key={choice} to="/d/$name/records" params={{ name: choice }} className={buttonClass()}>
                {choice}
              </Link>
            ))}
          </div>
        }
      >
        {text.ambiguous(name)}
      </Empty>
    </>
  );
}

function Header({ zone }: { zone: Zone }) {
  const manages = useManages(zone);
  const name = useZoneName();
  const page = useRouterState({ select: ({ location: { pathname, hash } }) => `${pathname} ${hash}` });
  const tabs = useRef<HTMLElement>(null);
  // On phones the tabs are wider than the window.
  useEffect(() => {
    const tab = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tab) tabs.current?.scrollTo({ left: tab.offsetLeft - (innerWidth - tab.offsetWidth) / 2 });
    // The page decides which tab is marked.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [page]);
  useTitle(zoneName({ ...zone, name: zone.nameUnicode }));
  useZoneChanges(zone.id, ({ revision }) => {
    if (revision <= zone.revision) return;
    void refreshZone(name);
    void queries.invalidateQueries({ queryKey: ["records", zone.id] });
    void queries.invalidateQueries({ queryKey: ["domains"], refetchType: "none" });
  });
  return (
    <>
      <header className={styles["head"]}>
        <div className={styles["title"]}>
          <h1>{zone.nameUnicode}</h1>
          <PinButton name={zoneName(zone)} />
          <Link
            to="/d/$name/compare"
            params={{ name }}
            className={styles["pin"]}
            aria-label={text.compareZones}
            title={text.compareZones}
            preload={false}
          >
            <Columns2 aria-hidden />
          </Link>
          {zone.nameUnicode === zone.name ? null : <span className={styles["ascii"]}>{zone.name}</span>}
          {zone.view === "" ? null : (
            <span className={styles["chip"]} data-kind="view">
              {zone.view}
            </span>
          )}
          {zone.status === "disabled" ? <span className={styles["chip"]}>{text.disabled}</span> : null}
          {zone.tags.map((tag) => (
            <span key={tag} className={styles["chip"]}>
              {tag}
            </span>
          ))}
        </div>
        <Facts zone={zone} />
        <nav ref={tabs} className={styles["tabs"]} aria-label={text.tabs}>
          <Link to="/d/$name/records" params={{ name }}>
            {text.recordsTab} <span>{formatNumber(zone.recordCount)}</span>
          </Link>
          <Link to="/d/$name/text" params={{ name }}>
            {text.textTab}
          </Link>
          <Link to="/d/$name/timeline" params={{ name }} activeOptions={{ includeHash: true }}>
            {text.historyTab}
          </Link>
          <Link to="/d/$name/timeline" params={{ name }} hash="snapshots" activeOptions={{ includeHash: true }}>
            {text.snapshots}
          </Link>
          <Link to="/d/$name/requests" params={{ name }}>
            {text.requestsTab}
          </Link>
          <Link to="/d/$name/health" params={{ name }}>
            {text.healthTab}
          </Link>
          <Link to="/d/$name/registration" params={{ name }}>
            {text.registrationTab}
          </Link>
          {manages ? (
            <Link to="/d/$name/settings" params={{ name }}>
              {text.settingsTab}
            </Link>
          ) : null}
          <Link to="/d/$name/access" params={{ name }}>
            {text.accessTab}
          </Link>
        </nav>
      </header>
      <Stuck zone={zone} />
      <DriftBanner zone={zone} />
    </>
  );
}

/** What stays of the header when it has scrolled away. It says nothing that the page does not say elsewhere. */
function Stuck({ zone }: { zone: Zone }) {
  const key = draftKey(useUser().id, zone.id);
  const [draft, setDraft] = useState({ key, count: 0 });
  useEffect(() => onEditCount(key, (count) => setDraft({ key, count })), [key]);
  const count = draft.key === key ? draft.count : 0;
  return (
    <div
      className={styles["stuck"]}
      aria-hidden
      data-name={zoneName({ ...zone, name: zone.nameUnicode })}
      data-draft={count === 0 ? undefined : text.inDraft(formatNumber(count))}
    />
  );
}

/** Keeps the zone in the rail. */
function PinButton({ name }: { name: string }) {
  const chosen = usePreferences();
  if (!chosen) return null;
  const isPinned = chosen.pinnedZones.includes(name);
  const label = isPinned ? pinsWords.unpin : pinsWords.pin;
  return (
    <button
      type="button"
      className={styles["pin"]}
      aria-pressed={isPinned}
      aria-label={pinsWords.pin}
      title={label}
      onClick={() => togglePin(name)}
    >
      <Pin aria-hidden />
    </button>
  );
}

function Facts({ zone }: { zone: Zone }) {
  const { status, expiresAt, driftError, driftedAt, signedBy } = zone;
  const provider = useProviderConfigs().find(({ id }) => id === zone.providerConfigId);
  const mayChange = partsText(useOwnRights(zone));
  const state = driftError === null ? (driftedAt === null ? "sync" : "drift") : "error";
  const stateText = { sync: text.inSync, drift: text.drifted, error: text.unreadable }[state];
  const late = status === "expired" ? styles["bad"] : status === "expiring" ? styles["warn"] : undefined;
  return (
    <div className={styles["facts"]}>
      <span>
        <i className={styles["dot"]} data-state={state} aria-hidden />
        <strong>{provider?.name ?? ""}</strong> {stateText}
      </span>
      {expiresAt === null ? null : (
        <span className={late}>
          {status === "expired" ? text.expired : text.expires} <strong>{formatDate(expiresAt)}</strong>
        </span>
      )}
      {signedBy === null ? null : (
        <span>
          <strong>{text.signed}</strong> {text.signedBy[signedBy]}
        </span>
      )}
      <LastChange zone={zone} />
      {mayChange === null ? null : <span>{mayChange}</span>}
    </div>
  );
}

function LastChange({ zone: { id, revision, updatedAt, providerConfigId } }: { zone: Zone }) {
  const isTransferred = useProviderConfigs().find((config) => config.id === providerConfigId)?.kind === "primary";
  const { data } = useQuery({
    queryKey: ["zone-history", id, revision],
    queryFn: async ({ signal }) =>
      (await client.records.history.query({ id, limit: 1 }, { signal })).entries[0] ?? null,
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      healing(state.error) || (isOnItsWay(state.data ?? null, isTransferred) ? lookAgain : false),
  });
  const made = data?.revision === revision ? data : null;
  const at = made?.finishedAt ?? made?.createdAt ?? updatedAt;
  return (
    <span title={formatMoment(at)}>
      {text.revision} <strong>{formatNumber(revision)}</strong>
      {revision === 0 ? "" : `, ${made?.actor ? text.by(formatAgo(at), made.actor) : formatAgo(at)}`}
      {made === null ? "" : reachOf(made).map((reach) => `, ${reach}`)}
    </span>
  );
}

type ChangeSet = RouterOutputs["records"]["history"]["entries"][number];

/** Milliseconds between looks at a change that has not arrived everywhere, and after which it is looked at no longer. */
const lookAgain = 1_000;
const longestLook = 60_000;
/** A change has no secondaries until it is announced to them, which is a moment after it was made. */
const longestAnnouncement = 10_000;

/** @param isTransferred whether secondaries transfer the zone from its main provider */
function isOnItsWay(made: ChangeSet | null, isTransferred: boolean): boolean {
  const age = made?.finishedAt ? Date.now() - made.finishedAt.getTime() : Infinity;
  if (!made || age > longestLook) return false;
  const { propagation, mirrors } = made;
  // Mirrors may be transferred, too.
  if (propagation === null && (isTransferred || mirrors !== null) && age < longestAnnouncement) return true;
  return (
    (propagation !== null && propagation.inSync < propagation.secondaries) ||
    (mirrors !== null && mirrors.inSync < mirrors.mirrors)
  );
}

/** Where a change is live by now, in words. */
function reachOf({ propagation, mirrors }: ChangeSet): string[] {
  return [
    ...(propagation ? [text.liveOn(propagation.inSync, propagation.secondaries, propagation.seconds)] : []),
    ...(mirrors ? [text.liveAt(mirrors.inSync, mirrors.mirrors, mirrors.seconds)] : []),
  ];
}
