import { useInfiniteQuery } from "@tanstack/react-query";
import { useRouterState, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useState } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, useTitle } from "../ui/page.tsx";
import { timelineWords } from "../words/timeline.ts";
import { zoneWords } from "../words/zone.ts";
import { useOwnRights } from "../zone/own-rights.ts";
import { isBound } from "../zone/review-rule.ts";
import { useManages } from "../zone/rights.ts";
import { useZone, zoneName } from "../zone/use-zone.ts";
import { Entry } from "./entry.tsx";
import { askedFor, HistoryFilters, type HistorySearch } from "./history-filters.tsx";
import { Past } from "./past.tsx";
import { SnapshotEntry, useSnapshots } from "./snapshot-entry.tsx";
import { Snapshots } from "./snapshots.tsx";
import { mayTakeBack, type ChangeSet } from "./may-take-back.ts";
import { TakeBack } from "./take-back.tsx";
import styles from "./timeline.module.css";
import { byDay } from "./titles.ts";

const text = timelineWords;
const pageSize = 20;

/** What happened to a zone; with a revision in the address, the zone as it was then; with `#snapshots`, its snapshots. */
export function TimelinePage() {
  const { at, from, ...search } = useSearch({ from: "/inside/d/$name/timeline" });
  const ofSnapshots = useRouterState({ select: ({ location }) => location.hash === "snapshots" });
  const zone = useZone();
  const title = ofSnapshots ? zoneWords.snapshots : text.title;
  useTitle(`${title} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  if (ofSnapshots)
    return (
      <div className={styles["page"]}>
        <Snapshots key={zone.id} zone={zone} />
      </div>
    );
  return at === undefined ? (
    <Timeline key={zone.id} search={search} />
  ) : (
    <Past key={zone.id} at={at} from={from ?? null} />
  );
}

/** The changes and snapshots of a zone, newest first, and how to take a change back. */
function Timeline({ search }: { search: HistorySearch }) {
  const zone = useZone();
  const { id, revision, historyFrom } = zone;
  const user = useUser();
  const manages = useManages(zone);
  const list = useInfiniteQuery({
    queryKey: ["history", id, revision, search],
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) =>
      await client.records.history.query({ id, page: pageParam, limit: pageSize, ...askedFor(search) }, { signal }),
    getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length + 1 : undefined),
    placeholderData: (before) => before,
  });
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const oldest = list.hasNextPage ? (entries.at(-1)?.createdAt ?? null) : null;
  const isFiltered = Object.values(search).some(Boolean);
  const all = useSnapshots(zone, { enabled: list.isSuccess && !isFiltered, until: oldest });
  const snapshots = isFiltered ? [] : all;
  const [leaving, setLeaving] = useState<ChangeSet | null>(null);
  // Administrators may give a reason instead.
  const mustRequest = user.role !== "admin" && isBound(zone, user.role);
  const { seesAll, writes } = useOwnRights(zone);
  const may = { userId: user.id, manages, mustRequest, seesAll, writes };
  return (
    <div className={styles["page"]}>
      <Failure error={list.error} />
      {isFiltered || entries.length > 0 ? (
        <HistoryFilters
          search={search}
          authors={[...new Set(entries.flatMap(({ actor, tsigKey }) => tsigKey ?? actor ?? []))].toSorted()}
        />
      ) : null}
      {list.isSuccess && isFiltered && entries.length === 0 ? (
        <Empty title={text.filters.none}>{search.name ? text.filters.stored : null}</Empty>
      ) : list.isSuccess && entries.length + snapshots.length === 0 ? (
        <Empty icon={<History aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {byDay(newestFirst([...entries, ...snapshots])).map(([day, changes]) => (
        <section key={day} className={styles["day"]}>
          <h2>{day}</h2>
          <ul className={styles["list"]} aria-label={text.list(day)}>
            {changes.map((entry) =>
              "trigger" in entry ? (
                <SnapshotEntry key={entry.id} zone={zoneName(zone)} snapshot={entry} />
              ) : (
                <Entry
                  key={entry.id}
                  zone={zone}
                  entry={entry}
                  historyFrom={historyFrom}
                  onTakeBack={mayTakeBack(entry, historyFrom, may) ? () => setLeaving(entry) : null}
                />
              ),
            )}
          </ul>
        </section>
      ))}
      {list.hasNextPage ? (
        <div>
          <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {text.older}
          </Button>
        </div>
      ) : null}
      {list.isSuccess && !list.hasNextPage && !isFiltered && historyFrom > 0 ? (
        <p className={styles["note"]}>{text.keptFrom(formatNumber(historyFrom))}</p>
      ) : null}
      {leaving ? <TakeBack zone={zone} entry={leaving} onClose={() => setLeaving(null)} /> : null}
    </div>
  );
}

function newestFirst<Item extends { createdAt: Date }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}
