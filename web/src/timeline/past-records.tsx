import { isZonewrightError, type DnsRecord } from "@zonewright/client";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useRows } from "../ui/use-rows.ts";
import { useWindows } from "../ui/use-windows.ts";
import { timelineWords } from "../words/timeline.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import { Ttl } from "../zone/automatic-ttl.tsx";
import { Sign, tintOf, Values } from "../zone/patch-view.tsx";
import { ttlText } from "../zone/ttl.ts";
import type { Zone } from "../zone/use-zone.ts";
import type { ChangeSet } from "./may-take-back.ts";
import { markedRows } from "./marked-rows.ts";
import styles from "./past.module.css";

const text = timelineWords.past;
const pageSize = 500;
const rowHeight = () => (matchMedia("(max-width: 760px)").matches ? 51 : 34);

interface PastRecordsProps {
  zone: Zone;
  at: number;
  /** What the change that led there did. */
  changes: ChangeSet["changes"];
  /** Whether it did more than that. */
  isCut: boolean;
  /** Goes to the oldest revision that is whole. */
  onOldest: () => void;
  /** What can be done with them. */
  actions: ReactNode;
}

/** The records of a zone at a revision, with the marks of the change that led there. Long zones are read as they come into view. */
export function PastRecords({ zone, at, changes, isCut, onOldest, actions }: PastRecordsProps) {
  const { id } = zone;
  const [inView, setInView] = useState({ first: 0, last: 0 });
  const deleted = changes.filter(({ action }) => action === "delete").length;
  const windows = useWindows<DnsRecord>({
    queryKey: ["past-records", id, at],
    list: id,
    pageSize,
    // Deleted records may stand above the others.
    first: inView.first - deleted,
    last: inView.last - deleted,
    fetch: async (page, signal) => {
      const { records, total } = await client.records.list.query({ id, at, page, limit: pageSize }, { signal });
      return { items: records, total };
    },
  });
  const { total, page, at: recordAt, stale } = windows;
  const rows = useMemo(
    () => markedRows({ total: total ?? 0, at: recordAt, changes: stale ? [] : changes }),
    [total, recordAt, changes, stale],
  );
  const keyAt = useCallback((index: number) => rows.at(index)?.key, [rows]);
  const { container, virtualizer, settled } = useRows(rows.count, rowHeight(), keyAt);
  if (settled !== inView) setInView(settled);
  if (windows.error) return <Unreadable error={windows.error} zone={zone} onOldest={onOldest} />;
  if (page === undefined || total === null) return <p role="status">{words.ui.loading}</p>;
  return (
    <>
      {isCut && changes.length > 0 ? (
        <p className={styles["note"]}>{text.firstMarked(formatNumber(changes.length))}</p>
      ) : null}
      <div className={styles["head"]}>
        <p className={styles["note"]}>{total === 0 ? text.empty : zoneWords.recordCount(total, formatNumber(total))}</p>
        <span>{actions}</span>
      </div>
      {rows.count === 0 ? null : (
        <div
          className={styles["table"]}
          role="table"
          aria-label={text.table(formatNumber(at))}
          aria-rowcount={rows.count + 1}
          aria-busy={stale || undefined}
        >
          <div className={`${styles["row"]} ${styles["titles"]}`} role="row" aria-rowindex={1}>
            <span role="columnheader">
              <span className="sr">{timelineWords.show}</span>
            </span>
            {[text.name, text.type, text.value, text.ttl].map((label) => (
              <span key={label} role="columnheader">
                {label}
              </span>
            ))}
          </div>
          <div
            ref={container}
            className={styles["body"]}
            role="rowgroup"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map((item) => {
              const row = rows.at(item.index);
              const kind = row?.kind ?? null;
              return (
                <div
                  key={item.key}
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  data-kind={kind ?? undefined}
                  className={`${styles["row"]} ${kind === null ? "" : tintOf(kind)}`}
                  role="row"
                  aria-rowindex={item.index + 2}
                  style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
                >
                  {row ? <Cells zone={zone} row={row} /> : <span role="cell" aria-busy aria-label={words.ui.loading} />}
                </div>
              );
            })}
          </div>
        </div>
      )}
    </>
  );
}

type Row = NonNullable<ReturnType<ReturnType<typeof markedRows>["at"]>>;

function Cells({ zone, row: { kind, data, before } }: { zone: Zone; row: Row }) {
  const { name, recordType, value, ttl, proxied, status } = data;
  return (
    <>
      <span className={styles["sign"]} role="cell">
        {kind === null ? null : <Sign kind={kind} />}
      </span>
      <span className={styles["name"]} role="cell">
        {before && before.name !== name ? <del>{toUnicodeName(before.name)}</del> : null}
        {toUnicodeName(name)}
        {status === "disabled" ? <small> {zoneWords.nowDisabled}</small> : null}
      </span>
      <span className={styles["type"]} role="cell">
        {recordType}
      </span>
      <span className={styles["value"]} role="cell">
        <span className={styles["clamp"]}>
          <Values before={before && before.value !== value ? before.value : null} value={value} />
        </span>
      </span>
      <span className={styles["ttl"]} role="cell">
        {before && ttlText(before) !== ttlText(data) ? (
          <del>
            <Ttl ttl={before.ttl} proxied={before.proxied} place={zone} />
          </del>
        ) : null}
        <Ttl ttl={ttl} proxied={proxied} place={zone} />
      </span>
    </>
  );
}

interface UnreadableProps {
  error: unknown;
  zone: Zone;
  onOldest: () => void;
}

/** Why a moment cannot be shown. What is older than the history is no failure. */
export function Unreadable({ error, zone: { historyFrom }, onOldest }: UnreadableProps) {
  const isGone = isZonewrightError(error) && error.code === "HISTORY_GONE";
  if (!isGone) return <Failure error={error} />;
  const oldest = formatNumber(historyFrom);
  return (
    <Notice kind="info" action={<Button onClick={onOldest}>{text.oldest(oldest)}</Button>}>
      {text.gone(oldest)}
    </Notice>
  );
}
