import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, Rewind } from "lucide-react";
import { useId, useState } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { Menu } from "../ui/menu.tsx";
import { timelineWords } from "../words/timeline.ts";
import { words } from "../words/words.ts";
import { useIsAutomatic, type TtlPlace } from "../zone/automatic-ttl.tsx";
import { ChangeCounts } from "../zone/change-counts.tsx";
import { Patch } from "../zone/patch-view.tsx";
import { madeLines } from "../zone/patch.ts";
import { shortestTtl } from "../zone/ttl.ts";
import { zoneName, type Zone } from "../zone/use-zone.ts";
import type { ChangeSet } from "./may-take-back.ts";
import styles from "./timeline.module.css";
import { titleOf } from "./titles.ts";

const text = timelineWords;

/** Who made a change: a person, a DNS key, or the service itself. */
export function authorOf({ actorId, actor, tsigKey }: Pick<ChangeSet, "actorId" | "actor" | "tsigKey">): string {
  if (tsigKey !== null) return text.byKey(tsigKey);
  return actor ?? (actorId === null ? text.nobody : text.deletedUser);
}

/** The title of a change, in the words of the zone's provider. */
export function useTitle(entry: ChangeSet, zone: TtlPlace): string {
  const isShortest = entry.changes.some(({ before, after }) => [before?.ttl, after?.ttl].includes(shortestTtl));
  return titleOf(entry, useIsAutomatic(zone, isShortest));
}

interface EntryProps {
  zone: Zone;
  entry: ChangeSet;
  /** The oldest revision whose state is stored; the records of later changes are, too. */
  historyFrom: number;
  /** Null where it would be refused. */
  onTakeBack: (() => void) | null;
}

/** One change of a zone: who, when, what, and on request its records. */
export function Entry({ zone, entry, historyFrom, onTakeBack }: EntryProps) {
  const { revision, state, causedBy, unknown, createdAt, creates, updates, deletes } = entry;
  const shown = revision !== null && revision >= historyFrom ? revision : null;
  const details = useId();
  const [open, setOpen] = useState(false);
  const title = useTitle(entry, zone);
  // Many changes have the same title.
  const named = (action: string) =>
    revision === null ? `${action} ${title}` : `${action} ${title}, ${text.revision(formatNumber(revision))}`;
  const facts = [
    revision === null ? null : text.revision(formatNumber(revision)),
    entry.message === null ? null : text.kinds[entry.kind],
    state === "pending" ? text.states.pending : null,
    causedBy === null ? null : text.follows,
    unknown === 0 ? null : text.unknown(formatNumber(unknown)),
  ].filter((fact) => fact !== null);
  return (
    <li>
      <div className={styles["item"]}>
        <div className={styles["what"]}>
          <span>{title}</span>
          <small>
            <span title={formatMoment(createdAt)}>{formatAgo(createdAt)}</span>, {authorOf(entry)}
            {facts.map((fact) => `, ${fact}`)}
          </small>
          <Refusal entry={entry} />
        </div>
        <ChangeCounts creates={creates} updates={updates} deletes={deletes} />
        <span className={styles["actions"]}>
          {shown === null ? null : (
            <Link
              to="/d/$name/timeline"
              params={{ name: zoneName(zone) }}
              search={{ at: shown }}
              className={`${buttonClass("quiet")} ${styles["inline"] ?? ""}`}
              aria-label={named(text.showThen)}
              preload={false}
            >
              <Rewind aria-hidden /> {text.showThen}
            </Link>
          )}
          <Button
            kind="quiet"
            aria-expanded={open}
            aria-controls={details}
            aria-label={named(open ? text.hide : text.show)}
            onClick={() => setOpen(!open)}
          >
            {open ? text.hide : text.show}
          </Button>
          {onTakeBack ? (
            <Button className={styles["inline"]} aria-label={named(text.takeBack)} onClick={onTakeBack}>
              {text.takeBack}
            </Button>
          ) : null}
        </span>
        <MoreActions zone={zoneName(zone)} label={named(words.ui.more)} revision={shown} onTakeBack={onTakeBack} />
      </div>
      <div id={details} hidden={!open} className={styles["details"]}>
        {open ? <Details zone={zone} entry={entry} isStored={revision === null || revision > historyFrom} /> : null}
      </div>
    </li>
  );
}

interface MoreActionsProps {
  /** Its name in the address. */
  zone: string;
  label: string;
  /** The revision that can be shown; null for none. */
  revision: number | null;
  onTakeBack?: (() => void) | null;
}

/** On a phone: what has no room in the entry. */
export function MoreActions({ zone, label, revision, onTakeBack = null }: MoreActionsProps) {
  const navigate = useNavigate();
  const show = async (at: number) =>
    await navigate({ to: "/d/$name/timeline", params: { name: zone }, search: { at } });
  const entries = [
    ...(revision === null ? [] : [{ id: "show", label: text.showThen, run: () => void show(revision) }]),
    ...(onTakeBack ? [{ id: "revert", label: text.takeBack, run: onTakeBack }] : []),
  ];
  if (entries.length === 0) return null;
  return (
    <span className={styles["menu"]}>
      <Menu
        trigger={
          <Button icon kind="quiet" aria-label={label}>
            <Ellipsis aria-hidden />
          </Button>
        }
        groups={[entries]}
      />
    </span>
  );
}

/** That the provider refused a change, or a part of it, and why: nobody should have to open it to learn that. */
export function Refusal({ entry: { state, failures } }: Pick<EntryProps, "entry">) {
  if (state !== "partial" && state !== "failed") return null;
  const causes = [...new Set(failures.map(({ error }) => error))];
  const [cause] = causes;
  return (
    <small className={styles["refusal"]}>
      {cause === undefined ? text.states[state] : text.because(text.states[state], cause)}
      {causes.length > 1 ? ` ${text.more(formatNumber(causes.length - 1))}` : null}
    </small>
  );
}

function Details({ zone, entry, isStored }: Pick<EntryProps, "zone" | "entry"> & { isStored: boolean }) {
  const { revision, changes, failures, creates, updates, deletes } = entry;
  const more = creates + updates + deletes - changes.length;
  if (!isStored) return <p>{text.notStored}</p>;
  return (
    <>
      {/* Without a revision it has changed no record, or not yet. */}
      {revision === null ? null : <Patch lines={madeLines(changes)} place={zone} />}
      {revision !== null && more > 0 ? <p>{text.more(formatNumber(more))}</p> : null}
      {failures.length === 0 ? null : (
        <div>
          <p>{text.failures}</p>
          <ul>
            {failures.map(({ action, recordType, name, value, error }) => (
              <li key={`${action} ${name} ${recordType} ${value}`}>
                <code>{`${name} ${recordType} ${value}`}</code> {error}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
