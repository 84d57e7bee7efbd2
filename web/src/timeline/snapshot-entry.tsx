import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Snapshot } from "@zonewright/client";
import { Camera, Rewind } from "lucide-react";
import { useEffect } from "react";
import { client } from "../api.ts";
import { buttonClass } from "../ui/button.tsx";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { timelineWords } from "../words/timeline.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import type { Zone } from "../zone/use-zone.ts";
import { MoreActions } from "./entry.tsx";
import styles from "./timeline.module.css";

const text = timelineWords;
const pageSize = 100;

/**
 * The snapshots that people and the schedule took, as far back as the list of changes goes. Those that a change took show what the change
 * itself does.
 * @param until the time of the oldest change that is shown; null shows all
 */
export function useSnapshots(
  { id, revision }: Pick<Zone, "id" | "revision">,
  { enabled, until }: { enabled: boolean; until: Date | null },
): readonly Snapshot[] {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    queryKey: ["snapshots", id, revision, "timeline"],
    enabled,
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) =>
      await client.snapshots.list.query({ id, page: pageParam, limit: pageSize, records: "false" }, { signal }),
    getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length + 1 : undefined),
    placeholderData: (before) => before,
  });
  const read = data?.pages.flatMap((page) => page.snapshots) ?? [];
  const last = read.at(-1);
  const isShort = last !== undefined && (until === null || last.createdAt > until);
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, isError, fetchNextPage]);
  return read.filter(({ trigger, createdAt }) => trigger !== "on_change" && (until === null || createdAt >= until));
}

/** How the console calls a snapshot: by its number, and its name if it has one. */
export function snapshotTitle({ version, name }: Pick<Snapshot, "version" | "name">): string {
  return name === null ? zoneWords.snapshot(version) : `${zoneWords.snapshot(version)}: ${name}`;
}

/** A snapshot among the changes of a zone. */
export function SnapshotEntry({ zone, snapshot }: { zone: string; snapshot: Snapshot }) {
  const { trigger, revision, recordCount, createdAt } = snapshot;
  const title = snapshotTitle(snapshot);
  const facts = [
    ...(trigger === "on_change" ? [] : [text.snapshotKind[trigger]]),
    zoneWords.recordCount(recordCount, formatNumber(recordCount)),
  ];
  return (
    <li>
      <div className={styles["item"]}>
        <div className={styles["what"]}>
          <span>
            <Camera aria-hidden className={styles["icon"]} /> {title}
          </span>
          <small>
            <span title={formatMoment(createdAt)}>{formatAgo(createdAt)}</span>
            {facts.map((fact) => `, ${fact}`)}
          </small>
        </div>
        <span />
        <span className={styles["actions"]}>
          <Link
            to="/d/$name/timeline"
            params={{ name: zone }}
            search={{ at: revision }}
            className={`${buttonClass("quiet")} ${styles["inline"] ?? ""}`}
            aria-label={`${text.showThen} ${title}`}
            preload={false}
          >
            <Rewind aria-hidden /> {text.showThen}
          </Link>
        </span>
        <MoreActions zone={zone} label={`${words.ui.more} ${title}`} revision={revision} />
      </div>
    </li>
  );
}
