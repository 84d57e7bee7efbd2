import type { DnsRecord } from "@zonewright/client";
import {
  CalendarClock,
  Copy,
  CopyPlus,
  Ellipsis,
  EyeOff,
  Globe,
  FileClock,
  Lock,
  Pencil,
  Power,
  Trash2,
  Undo2,
  User,
  Users,
} from "lucide-react";
import { memo, useRef, type MouseEvent as Press } from "react";
import { toUnicodeName } from "../../../../server/dns/names/names.ts";
import { Button } from "../../ui/button.tsx";
import { formatAgo, formatDate, formatMoment } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { recordsWords } from "../../words/records.ts";
import { isDisabled, isProxied } from "../../zone/draft/draft.ts";
import { useZone } from "../../zone/use-zone.ts";
import { Ttl } from "../../zone/automatic-ttl.tsx";
import { shortestTtl, ttlText } from "../../zone/ttl.ts";
import type { ShownClash } from "../draft/use-clashes.ts";
import type { Column } from "./cursor.ts";
import type { Row } from "./rows.ts";
import styles from "./grid.module.css";

const text = recordsWords;
/** The characters of a value that leave room for a note beside it on a phone. */
const mostBesideNote = 20;
const signs = { create: "+", update: "~", delete: "−" } as const;

/** The keys that are held while a cell is clicked. */
type Held = Pick<Press, "shiftKey" | "ctrlKey" | "metaKey">;

/** What a row can ask of the grid. */
export interface RowActions {
  activate: (index: number, column: Column, keys: Held) => void;
  select: (index: number, extend: boolean) => void;
  edit: (index: number, column: Column) => void;
  /** Makes a row the active one, and leaves the selection as it is. */
  point: (index: number) => void;
  remove: (index: number) => void;
  keepMine: (clash: ShownClash) => void;
  takeTheirs: (clash: ShownClash) => void;
  takeBack: (key: string) => void;
  duplicate: (row: Row) => void;
  switch: (row: Row) => void;
  details: (row: Row) => void;
  served: (row: Row) => void;
  history: (row: Row) => void;
  copy: (row: Row) => void;
}

interface RowProps {
  row: Row;
  index: number;
  /** The active column, if the cursor is in this row. */
  column: Column | null;
  selected: boolean;
  /** Whether somebody else has just changed it. */
  live: boolean;
  readOnly: boolean;
  /** Whether the menu leads to the record's lock, owner and review date. */
  hasDetails: boolean;
  /** Whether Zonewright can edit records of its type at all. */
  typeIsEditable: boolean;
  faults: readonly string[];
  warnings: readonly string[];
  /** What others did to the record since it was edited here. */
  clash: ShownClash | null;
  actions: RowActions;
}

/** The id of a cell, for the grid's active descendant. */
export const cellId = (key: string, column: Column): string => `cell-${key}-${column}`;

/** A record as a row: what it is, and what the draft makes of it. */
export const RecordRow = memo(function RecordRow(props: RowProps) {
  const { row, index, column, selected, live, readOnly, faults, warnings, clash, actions } = props;
  const { key, record, edit, fields } = row;
  const kind = edit?.kind ?? null;
  const readable = toUnicodeName(fields.name);
  // What the edit was made from. Others may have changed the record since.
  const old = edit?.kind === "update" ? edit.before : null;
  const cell = (of: Column, className: string) => ({
    id: cellId(key, of),
    role: "gridcell",
    className: `${className} ${column === of ? styles["active"] : ""}`,
    // With Shift, the browser would select the text in between.
    onMouseDown: (event: Press) => event.shiftKey && event.preventDefault(),
    onClick: (event: Press) => actions.activate(index, of, event),
    onDoubleClick: () => !readOnly && actions.edit(index, of),
  });
  const className = [
    styles["row"],
    kind && styles[kind],
    selected && styles["selected"],
    live && styles["live"],
    readOnly && styles["readOnly"],
    isDisabled(fields) && styles["disabled"],
    fields.value.length > mostBesideNote && styles["long"],
  ];
  const unsupported = record !== null && !record.serverManaged && readOnly && !props.typeIsEditable;
  const note = record?.serverManaged ? text.serverManaged : unsupported ? text.readOnly : (fields.comment ?? "");
  return (
    <div className={className.filter(Boolean).join(" ")} role="row" aria-rowindex={index + 2} aria-selected={selected}>
      <span className={styles["sign"]} aria-hidden>
        {kind ? signs[kind] : ""}
      </span>
      <span className={`${styles["check"]} ${styles["checkCell"]}`} role="gridcell">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={text.select(fields.name, fields.recordType)}
          checked={selected}
          disabled={readOnly}
          onChange={(event) => actions.select(index, (event.nativeEvent as MouseEvent).shiftKey)}
        />
      </span>
      <span {...cell("name", styles["name"] ?? "")}>
        {old && old.name !== fields.name ? <span className={styles["old"]}>{old.name}</span> : null}
        {readable}
        {readable === fields.name ? null : <small>{fields.name}</small>}
        {isDisabled(fields) ? (
          <span className={styles["mark"]} title={text.disabledHint}>
            <EyeOff aria-hidden />
            <span className="sr">, {text.disabled}</span>
          </span>
        ) : null}
        {record ? <Marks record={record} /> : null}
      </span>
      <span {...cell("type", styles["type"] ?? "")}>{fields.recordType}</span>
      <span {...cell("value", styles["value"] ?? "")}>
        {old && old.value !== fields.value ? <span className={styles["old"]}>{old.value}</span> : null}
        <span className={column === null ? styles["clamp"] : undefined}>{fields.value}</span>
      </span>
      <span {...cell("ttl", styles["ttl"] ?? "")}>
        {old && old.ttl !== fields.ttl ? (
          <span className={styles["old"]}>
            <RowTtl ttl={old.ttl} proxied={old.proxied} />
          </span>
        ) : null}
        {fields.ttl === null ? text.ttlAuto : <RowTtl ttl={fields.ttl} proxied={isProxied(fields, record)} />}
      </span>
      <span {...cell("note", styles["note"] ?? "")} title={note || undefined}>
        {note}
      </span>
      <span className={styles["when"]} role="gridcell" title={record ? formatMoment(record.updatedAt) : undefined}>
        {kind ? text.draft : record ? formatAgo(record.updatedAt) : ""}
      </span>
      <span className={styles["menuCell"]} role="gridcell">
        <RowMenu
          row={row}
          index={index}
          readOnly={readOnly}
          hasDetails={props.hasDetails}
          clash={clash}
          actions={actions}
        />
      </span>
      {clash ? (
        <span className={`${styles["message"]} ${styles["clash"]}`} role="gridcell">
          <span>{clash.message}</span>
          <Button tabIndex={-1} onClick={() => actions.keepMine(clash)}>
            {clash.keepLabel}
          </Button>
          <Button tabIndex={-1} onClick={() => actions.takeTheirs(clash)}>
            {clash.takeLabel}
          </Button>
        </span>
      ) : null}
      {[...faults, ...warnings].map((message, at) => (
        <span
          key={message}
          className={`${styles["message"]} ${at < faults.length ? styles["fault"] : ""}`}
          role="gridcell"
        >
          {message}
        </span>
      ))}
    </div>
  );
});

interface RowTtlProps {
  ttl: number;
  proxied: boolean;
}

/** Rows scroll by: only the shortest TTL needs the zone. */
function RowTtl({ ttl, proxied }: RowTtlProps) {
  return ttl === shortestTtl ? <ShortestTtl ttl={ttl} proxied={proxied} /> : ttlText({ ttl, proxied });
}

function ShortestTtl(props: RowTtlProps) {
  return <Ttl {...props} place={useZone()} />;
}

const isPast = (date: Date) => date.getTime() <= Date.now();

/** What people noted about a record that is not published: that it is locked, and when it is to be looked at again. */
function Marks({ record: { locked, reviewAt } }: { record: DnsRecord }) {
  const isDue = reviewAt !== null && isPast(reviewAt);
  const review = reviewAt && (isDue ? text.reviewDue : text.reviewOn)(formatDate(reviewAt));
  return (
    <>
      {locked ? (
        <span className={styles["mark"]} title={text.locked}>
          <Lock aria-hidden />
          <span className="sr">, {text.locked}</span>
        </span>
      ) : null}
      {review === null ? null : (
        <span className={styles["mark"]} data-due={isDue || undefined} title={review}>
          <CalendarClock aria-hidden />
          <span className="sr">, {review}</span>
        </span>
      )}
    </>
  );
}

type RowMenuProps = Pick<RowProps, "row" | "index" | "readOnly" | "hasDetails" | "clash" | "actions">;

function RowMenu({ row, index, readOnly, hasDetails, clash, actions }: RowMenuProps) {
  const { fields, edit, key } = row;
  const deciding = clash
    ? [
        { id: "mine", label: clash.keepLabel, icon: <User aria-hidden />, run: () => actions.keepMine(clash) },
        { id: "theirs", label: clash.takeLabel, icon: <Users aria-hidden />, run: () => actions.takeTheirs(clash) },
      ]
    : [];
  const button = useRef<HTMLButtonElement>(null);
  const editing = readOnly
    ? []
    : [
        {
          id: "edit",
          label: text.edit,
          icon: <Pencil aria-hidden />,
          keys: text.editKeys,
          run: () => actions.edit(index, "value"),
        },
        { id: "duplicate", label: text.duplicate, icon: <CopyPlus aria-hidden />, run: () => actions.duplicate(row) },
        ...(edit?.kind === "delete"
          ? []
          : [
              {
                id: "switch",
                label: isDisabled(fields) ? text.enable : text.disable,
                icon: <Power aria-hidden />,
                run: () => actions.switch(row),
              },
            ]),
      ];
  const undoing = edit
    ? [
        {
          id: "back",
          label: edit.kind === "delete" ? text.restore : text.undo,
          icon: <Undo2 aria-hidden />,
          run: () => actions.takeBack(key),
        },
      ]
    : readOnly
      ? []
      : [
          {
            id: "delete",
            label: text.remove,
            icon: <Trash2 aria-hidden />,
            keys: text.removeKeys,
            danger: true,
            run: () => actions.remove(index),
          },
        ];
  return (
    <Menu
      trigger={
        <button
          ref={button}
          type="button"
          tabIndex={-1}
          className={styles["menu"]}
          aria-label={text.actions(fields.name, fields.recordType)}
          onPointerDown={() => actions.point(index)}
        >
          <Ellipsis aria-hidden />
        </button>
      }
      returnTo={() => {
        const grid = button.current?.closest<HTMLElement>("[role=grid]") ?? null;
        // The keys belong to the form that the menu may have opened.
        return grid?.querySelector<HTMLElement>(`.${styles["editor"]} :focus`) ?? grid;
      }}
      groups={[
        deciding,
        editing,
        [
          { id: "copy", label: text.copy, icon: <Copy aria-hidden />, run: () => actions.copy(row) },
          ...(hasDetails
            ? [{ id: "details", label: text.details, icon: <Lock aria-hidden />, run: () => actions.details(row) }]
            : []),
          // ALIAS is not a DNS type: name servers answer with addresses.
          ...(row.record?.status === "active" && row.record.recordType !== "ALIAS"
            ? [{ id: "served", label: text.served, icon: <Globe aria-hidden />, run: () => actions.served(row) }]
            : []),
          ...(row.record
            ? [{ id: "history", label: text.history, icon: <FileClock aria-hidden />, run: () => actions.history(row) }]
            : []),
        ],
        undoing,
      ].filter((group) => group.length > 0)}
    />
  );
}
