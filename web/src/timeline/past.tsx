import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Snapshot } from "@zonewright/client";
import { ArrowLeft, Camera, ChevronLeft, ChevronRight, Ellipsis } from "lucide-react";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { formatMoment, formatNumber } from "../ui/format.ts";
import { Menu } from "../ui/menu.tsx";
import fields from "../ui/field.module.css";
import { Failure, Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { usePageKeys } from "../ui/use-page-keys.ts";
import { timelineWords } from "../words/timeline.ts";
import { words } from "../words/words.ts";
import { ChangeCounts } from "../zone/change-counts.tsx";
import { exportEntries } from "../zone/export-entries.ts";
import { Patch } from "../zone/patch-view.tsx";
import { differenceLines } from "../zone/patch.ts";
import { RestoreDialog } from "../zone/restore-dialog.tsx";
import { useZone, zoneName, type Zone } from "../zone/use-zone.ts";
import { authorOf, Refusal, useTitle } from "./entry.tsx";
import type { ChangeSet } from "./may-take-back.ts";
import { PastRecords, Unreadable } from "./past-records.tsx";
import { snapshotTitle, useSnapshots } from "./snapshot-entry.tsx";
import styles from "./past.module.css";

const text = timelineWords.past;

/** How long a handle has to rest before the zone is read there. */
const restMilliseconds = 150;

interface PastProps {
  at: number;
  /** The other moment of a difference; null shows the zone at `at`. */
  from: number | null;
}

/** A zone as it was at a revision, or what differs between two, with handles to move through its changes. */
export function Past({ at, from }: PastProps) {
  const zone = useZone();
  const { revision, historyFrom } = zone;
  const name = zoneName(zone);
  const navigate = useNavigate({ from: "/d/$name/timeline" });
  // Two handles may move at once, so each changes only its own part of the address.
  const move = (moved: { at?: number; from?: number | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...moved }), replace: true });
  // Snapshots keep some older moments than the history does, with nothing between them.
  const first = historyFrom;
  const previous = at > first ? () => move({ at: at - 1 }) : null;
  const next = at < revision ? () => move({ at: Math.max(at + 1, first) }) : null;
  usePageKeys({ ArrowLeft: previous, ArrowRight: next });
  const user = useUser();
  const [isRestoring, setRestoring] = useState(false);
  const snapshots = useSnapshots(zone, { enabled: true, until: null });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={styles["page"]}>
      <Link to="/d/$name/timeline" params={{ name }} className={styles["back"]} preload={false}>
        <ArrowLeft aria-hidden /> {text.all}
      </Link>
      <div className={styles["head"]}>
        <h2 ref={heading} tabIndex={-1}>
          {from === null ? text.title(formatNumber(at)) : text.difference(formatNumber(from), formatNumber(at))}
        </h2>
        <span>
          <AsOf zone={zone} onFound={(found) => move({ at: found })} />
          <Button
            onClick={() => move({ from: from === null ? Math.max(first, at - 1) : undefined })}
            aria-pressed={from !== null}
          >
            {from === null ? text.compare : text.stopComparing}
          </Button>
        </span>
      </div>
      {isRestoring ? (
        <RestoreDialog
          zone={zone}
          to={{ revision: at }}
          what={text.revision(formatNumber(at))}
          onClose={() => setRestoring(false)}
        />
      ) : null}
      <div className={styles["move"]}>
        <Button icon aria-label={text.previous} title={text.previous} disabled={!previous} onClick={() => previous?.()}>
          <ChevronLeft aria-hidden />
        </Button>
        <span className={styles["handles"]}>
          {from === null ? null : (
            <Handle
              label={text.fromSlider}
              at={from}
              first={first}
              last={revision}
              snapshots={snapshots}
              onMove={(moved) => move({ from: moved })}
            />
          )}
          <Handle
            label={text.slider}
            at={at}
            first={first}
            last={revision}
            snapshots={snapshots}
            onMove={(moved) => move({ at: moved })}
          />
        </span>
        <Button icon aria-label={text.next} title={text.next} disabled={!next} onClick={() => next?.()}>
          <ChevronRight aria-hidden />
        </Button>
      </div>
      {at > revision || (from ?? 0) > revision ? (
        <Notice
          kind="info"
          action={
            <Button
              onClick={() =>
                move({ at: Math.min(at, revision), ...(from !== null && { from: Math.min(from, revision) }) })
              }
            >
              {text.oldest(formatNumber(revision))}
            </Button>
          }
        >
          {text.beyond(formatNumber(Math.max(at, from ?? 0)), formatNumber(revision))}
        </Notice>
      ) : from === null ? (
        <Moment
          zone={zone}
          at={at}
          snapshots={snapshots.filter((snapshot) => snapshot.revision === at)}
          onOldest={() => move({ at: historyFrom })}
          actions={
            <>
              {user.role === "admin" && at < revision ? (
                <Button onClick={() => setRestoring(true)}>{text.restore}</Button>
              ) : null}
              <Menu
                trigger={
                  <Button icon kind="quiet" aria-label={text.more} title={text.more}>
                    <Ellipsis aria-hidden />
                  </Button>
                }
                groups={[exportEntries({ id: zone.id, address: name, revision: at })]}
              />
            </>
          }
        />
      ) : (
        <Difference zone={zone} from={from} at={at} onOldest={() => move({ from: historyFrom, at: revision })} />
      )}
    </div>
  );
}

interface AsOfProps {
  zone: Zone;
  onFound: (revision: number) => void;
}

/** Finds the revision that a zone had at a time. */
function AsOf({ zone: { id }, onFound }: AsOfProps) {
  const field = useId();
  const [typed, setTyped] = useState("");
  const find = useAction(async () => {
    // The field has minutes: changes within the one that was chosen count.
    const to = new Date(new Date(typed).getTime() + 60_000);
    for (let page = 1; ; page++) {
      const { entries, total } = await client.records.history.query({ id, to, page, limit: 100 });
      const [last] = entries.flatMap(({ revision }) => revision ?? []);
      if (last !== undefined) return onFound(last);
      if (page * 100 >= total) throw new Error(text.nothingThen);
    }
  });
  return (
    <form
      className={styles["as-of"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== "") void find.run();
      }}
    >
      <label htmlFor={field}>{text.asOf}</label>
      <input
        id={field}
        className={fields["input"]}
        type="datetime-local"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          find.reset();
        }}
      />
      <Button type="submit" disabled={typed === ""} pending={find.pending}>
        {text.asOfGo}
      </Button>
      <Failure error={find.error} />
    </form>
  );
}

interface HandleProps {
  label: string;
  at: number;
  first: number;
  last: number;
  /** Marked on the slider. */
  snapshots: readonly Snapshot[];
  onMove: (at: number) => void;
}

/** A slider over the revisions. It says where it is at once, and moves the page when it rests. */
function Handle({ label, at, first, last: newest, snapshots, onMove }: HandleProps) {
  const marks = useId();
  const [dragged, setDragged] = useState<number | null>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  // Changes of others do not move the slider under the hand.
  const [held, setHeld] = useState<number | null>(null);
  const hold = () => {
    setHeld(newest);
    const stop = new AbortController();
    const release = () => {
      stop.abort();
      setHeld(null);
    };
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, { signal: stop.signal });
  };
  const last = held ?? newest;
  // The page is there: what moves it next is shown again.
  if (dragged === at) setDragged(null);
  const shown = dragged ?? at;
  return (
    <label className={styles["handle"]}>
      <span>{label}</span>
      <input
        type="range"
        list={marks}
        // A snapshot may be older than the history.
        min={Math.min(first, at)}
        max={Math.max(last, shown)}
        value={shown}
        onPointerDown={hold}
        aria-valuetext={text.position(formatNumber(shown), formatNumber(last))}
        onChange={(event) => {
          const moved = event.target.valueAsNumber;
          setDragged(moved);
          clearTimeout(rest.current);
          rest.current = setTimeout(() => onMove(moved), restMilliseconds);
        }}
      />
      <output>{formatNumber(shown)}</output>
      <datalist id={marks}>
        {snapshots.map((snapshot) => (
          <option key={snapshot.id} value={snapshot.revision}>
            {snapshotTitle(snapshot)}
          </option>
        ))}
      </datalist>
    </label>
  );
}

interface MomentProps {
  zone: Zone;
  at: number;
  /** Those of that moment. */
  snapshots: readonly Snapshot[];
  onOldest: () => void;
  /** What can be done with the moment, once it was read. */
  actions: ReactNode;
}

/** The change that led to a revision, and the records that the zone had then. */
function Moment({ zone, at, snapshots, onOldest, actions }: MomentProps) {
  const { historyFrom } = zone;
  const change = useChange(zone, at);
  const entry = change.data;
  return (
    <>
      <Change zone={zone} at={at} change={change} />
      {snapshots.length === 0 ? null : (
        <p className={styles["note"]}>
          <Camera aria-hidden /> {snapshots.map(snapshotTitle).join(", ")}
        </p>
      )}
      <Failure error={change.error} />
      {entry && at <= historyFrom ? <p className={styles["note"]}>{text.notMarked}</p> : null}
      <PastRecords
        zone={zone}
        at={at}
        changes={entry?.changes ?? []}
        isCut={entry ? entry.creates + entry.updates + entry.deletes > entry.changes.length : false}
        onOldest={onOldest}
        actions={actions}
      />
    </>
  );
}

/** Reads the change that led to a revision; null if the reader sees nothing of it. */
function useChange({ id }: Zone, at: number) {
  return useQuery({
    queryKey: ["history", id, "revision", at],
    queryFn: async ({ signal }) => {
      const { entries } = await client.records.history.query({ id, revision: at, limit: 1 }, { signal });
      return entries[0] ?? null;
    },
  });
}

interface ChangeProps {
  zone: Zone;
  at: number;
  change: ReturnType<typeof useChange>;
  /** How the moment is called, where there are two. */
  label?: string;
}

/** What led to a revision: what, when, by whom, and what the provider made of it. */
function Change({ zone, at, change: { data: entry, error }, label }: ChangeProps) {
  return (
    <div className={styles["change"]}>
      {label === undefined ? null : <span>{label}</span>}
      {entry ? (
        <>
          <b>
            <Title entry={entry} zone={zone} />
          </b>
          <ChangeCounts creates={entry.creates} updates={entry.updates} deletes={entry.deletes} />
          <small>
            {formatMoment(entry.createdAt)}, {authorOf(entry)}, {outcomeOf(entry)}
          </small>
          <Refusal entry={entry} />
        </>
      ) : entry === null ? (
        <small>{at === 0 ? text.start : text.hidden}</small>
      ) : error ? null : (
        <small role="status">{words.ui.loading}</small>
      )}
    </div>
  );
}

function outcomeOf({ state, unknown }: ChangeSet): string {
  if (unknown > 0) return timelineWords.unknown(formatNumber(unknown));
  return state === "applied" ? text.made : timelineWords.states[state].toLocaleLowerCase();
}

function Title({ entry, zone }: { entry: ChangeSet; zone: Zone }) {
  return useTitle(entry, zone);
}

interface DifferenceProps extends Omit<MomentProps, "actions" | "snapshots"> {
  from: number;
}

function Difference({ zone, from, at, onOldest }: DifferenceProps) {
  const { id } = zone;
  const ends = [
    { revision: from, change: useChange(zone, from) },
    { revision: at, change: useChange(zone, at) },
  ];
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["revision-difference", id, from, at],
    queryFn: async ({ signal }) =>
      differenceLines(await client.snapshots.diff.query({ id, fromRevision: from, toRevision: at }, { signal })),
    placeholderData: (before) => before,
  });
  if (error) return <Unreadable error={error} zone={zone} onOldest={onOldest} />;
  if (!data) return <p role="status">{words.ui.loading}</p>;
  return (
    <>
      {ends.map(({ revision, change }, index) => (
        <Change
          key={index === 0 ? "from" : "to"}
          zone={zone}
          at={revision}
          change={change}
          label={text.revision(formatNumber(revision))}
        />
      ))}
      <div aria-busy={isPlaceholderData || undefined}>
        <Patch lines={data} place={zone} />
      </div>
    </>
  );
}
