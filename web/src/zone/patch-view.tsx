import { useCallback, useMemo, useState, type ComponentProps, type KeyboardEvent } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { formatNumber } from "../ui/format.ts";
import { useRows } from "../ui/use-rows.ts";
import { zoneWords } from "../words/zone.ts";
import { ChangeCounts } from "./change-counts.tsx";
import { folded, markedWords, noteOf, type Fold, type PatchLine } from "./patch.ts";
import styles from "./patch.module.css";
import { useIsAutomatic, type TtlPlace } from "./automatic-ttl.tsx";

const text = zoneWords;
const signs = { create: "+", update: "~", delete: "−" } as const;

type Kind = keyof typeof signs;

/** The class of a line of a diff, for lists that place its parts themselves. */
export const tintOf = (kind: Kind): string => `${styles["tint"] ?? ""} ${styles[kind] ?? ""}`;

/** The sign of a line, with its meaning for those who do not see it. */
export function Sign({ kind }: { kind: Kind }) {
  return (
    <>
      <span className={styles["sign"]} aria-hidden>
        {signs[kind]}
      </span>
      <span className="sr">{text.signs[kind]}: </span>
    </>
  );
}
/** A longer list scrolls by itself where there is no room for it. */
const mostInView = 12;
/** Of a longer list only the lines in view are drawn. */
const mostDrawn = 300;
const lineHeight = 28;
const keyOf = ({ kind, name, recordType, value }: PatchLine) => `${kind} ${name} ${recordType} ${value}`;

interface PatchProps {
  lines: readonly PatchLine[];
  /** The domain of the records. */
  place: TtlPlace;
}

/** One row of a patch: a line, or many equal ones. */
type Row = { key: string; line: PatchLine } | { key: string; fold: Fold; isOpen: boolean };

function rowsOf(lines: readonly PatchLine[], opened: readonly string[]): Row[] {
  const rows: Row[] = [];
  for (const each of folded(lines)) {
    if ("lines" in each) {
      const key = each.lines.map(keyOf).join(" ");
      const isOpen = opened.includes(key);
      rows.push({ key, fold: each, isOpen });
      if (isOpen) for (const line of each.lines) rows.push({ key: `in ${keyOf(line)}`, line });
    } else rows.push({ key: keyOf(each), line: each });
  }
  return rows;
}

/**
 * Changes of records, one below the other, each with its sign. Equal changes of many records are one line with their number. In a dialog, a
 * long list scrolls by itself: what stands around it stays in view.
 */
export function Patch({ lines: given, place }: PatchProps) {
  const isAutomatic = useIsAutomatic(
    place,
    given.some(({ automaticNote }) => automaticNote !== null),
  );
  const [opened, setOpened] = useState<readonly string[]>([]);
  const rows = useMemo(
    () => rowsOf(isAutomatic ? given.map((line) => ({ ...line, note: noteOf(line, true) })) : given, opened),
    [given, isAutomatic, opened],
  );
  if (given.length === 0) return <p>{text.noChanges}</p>;
  const count = (kind: Kind) => given.filter((line) => line.kind === kind).length;
  const toggle = (key: string) =>
    setOpened(opened.includes(key) ? opened.filter((each) => each !== key) : [...opened, key]);
  const isLong = rows.length > mostInView;
  return (
    <div className={`${styles["root"]} ${isLong ? styles["long"] : ""}`}>
      <div className={styles["counts"]}>
        <ChangeCounts creates={count("create")} updates={count("update")} deletes={count("delete")} />
      </div>
      {rows.length > mostDrawn ? (
        <LinesInView rows={rows} onToggle={toggle} />
      ) : (
        <div role={isLong ? "group" : undefined} className={styles["lines"]} {...(isLong && scrolling)}>
          <ul className={styles["patch"]} aria-label={text.patch}>
            {rows.map((row) => (
              <RowOf key={row.key} row={row} onToggle={toggle} />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The keyboard reaches what scrolls. */
const scrolling = { tabIndex: 0, "aria-label": text.patch };

interface LinesProps {
  rows: readonly Row[];
  onToggle: (key: string) => void;
}

/** A list too long to be drawn as a whole. */
function LinesInView({ rows, onToggle }: LinesProps) {
  const keyAt = useCallback((index: number) => rows[index]?.key, [rows]);
  const { container, virtualizer } = useRows(rows.length, lineHeight, keyAt);
  /** The browser's own way there ends where the heights of the lines passed turn out different. */
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    virtualizer.scrollToIndex(to);
  };
  return (
    // What scrolls takes the keys that scroll.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      className={`${styles["lines"]} ${styles["windowed"]}`}
      {...scrolling}
      data-scroll
      onKeyDown={onKeyDown}
    >
      <ul
        ref={container}
        className={styles["patch"]}
        aria-label={text.patch}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <RowOf
              key={key}
              row={row}
              onToggle={onToggle}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            />
          );
        })}
      </ul>
    </div>
  );
}

type ItemProps = Pick<ComponentProps<"li">, "ref" | "style" | "aria-setsize" | "aria-posinset"> & {
  "data-index"?: number;
};

function RowOf({ row, onToggle, ...item }: { row: Row; onToggle: (key: string) => void } & ItemProps) {
  if ("line" in row) return <Line {...item} line={row.line} />;
  return <FoldLine {...item} lines={row.fold.lines} isOpen={row.isOpen} onToggle={() => onToggle(row.key)} />;
}

/** One line for many equal changes. Pressed, it shows them below. */
function FoldLine({ lines, isOpen, onToggle, ...item }: Fold & { isOpen: boolean; onToggle: () => void } & ItemProps) {
  const [first] = lines;
  if (!first) return null;
  const names = [...new Set(lines.map(({ name }) => toUnicodeName(name)))];
  const types = new Set(lines.map(({ recordType }) => recordType));
  return (
    <li {...item} className={`${styles["line"]} ${styles["update"]}`}>
      <Sign kind="update" />
      <button type="button" className={styles["fold"]} aria-expanded={isOpen} onClick={onToggle}>
        {text.foldedRecords(types.size === 1 ? first.recordType : null, formatNumber(lines.length))}
      </button>
      <span className={styles["value"]}>
        {first.before === null ? (
          <span className={styles["names"]}>{names.join(", ")}</span>
        ) : (
          <Values before={first.before} value={first.value} />
        )}
      </span>
      <span className={styles["note"]}>{first.note}</span>
    </li>
  );
}

function Words({ value, other }: { value: string; other: string }) {
  return markedWords(value, other).map(({ at, text: word, changed }) => (
    <span key={at}>
      {at > 0 ? " " : ""}
      {changed ? <b>{word}</b> : word}
    </span>
  ));
}

/** What goes and what comes, with the words that differ marked. */
export function Values({ before, value }: Pick<PatchLine, "before" | "value">) {
  if (before === null) return value;
  return (
    <>
      <del>
        <Words value={before} other={value} />
      </del>{" "}
      <br />
      <Words value={value} other={before} />
    </>
  );
}

function Line({ line: { kind, name, recordType, value, before, note }, ...item }: { line: PatchLine } & ItemProps) {
  const readable = toUnicodeName(name);
  return (
    <li {...item} className={`${styles["line"]} ${styles[kind] ?? ""}`}>
      <Sign kind={kind} />
      <span className={styles["name"]}>
        {readable}
        {readable === name ? null : <small> {name}</small>}
      </span>
      <span className={styles["type"]}>{recordType}</span>
      <span className={styles["value"]}>
        <Values before={before} value={value} />
      </span>
      <span className={styles["note"]}>{note}</span>
    </li>
  );
}
