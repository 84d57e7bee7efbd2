import { useState } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { formatNumber } from "../ui/format.ts";
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
/** More lines than anybody reads; the counts say how many there are. */
const shownLines = 300;
const keyOf = ({ kind, name, recordType, value }: PatchLine) => `${kind} ${name} ${recordType} ${value}`;

interface PatchProps {
  lines: readonly PatchLine[];
  /** The domain of the records. */
  place: TtlPlace;
}

/** Changes of records, one below the other, each with its sign. Equal changes of many records are one line with their number. */
export function Patch({ lines: given, place }: PatchProps) {
  const isAutomatic = useIsAutomatic(
    place,
    given.some(({ automaticNote }) => automaticNote !== null),
  );
  const lines = isAutomatic ? given.map((line) => ({ ...line, note: noteOf(line, true) })) : given;
  if (lines.length === 0) return <p>{text.noChanges}</p>;
  const count = (kind: Kind) => lines.filter((line) => line.kind === kind).length;
  const shown = folded(lines);
  return (
    <div>
      <div className={styles["counts"]}>
        <ChangeCounts creates={count("create")} updates={count("update")} deletes={count("delete")} />
      </div>
      <ul className={styles["patch"]} aria-label={text.patch}>
        {shown
          .slice(0, shownLines)
          .map((each) =>
            "lines" in each ? (
              <FoldedLines key={each.lines.map(keyOf).join(" ")} lines={each.lines} />
            ) : (
              <Line key={keyOf(each)} line={each} />
            ),
          )}
        {shown.length > shownLines ? (
          <li className={styles["more"]}>{text.moreLines(formatNumber(shown.length - shownLines))}</li>
        ) : null}
      </ul>
    </div>
  );
}

function FoldedLines({ lines }: Fold) {
  const [open, setOpen] = useState(false);
  const [first] = lines;
  if (!first) return null;
  const names = [...new Set(lines.map(({ name }) => toUnicodeName(name)))];
  const types = new Set(lines.map(({ recordType }) => recordType));
  return (
    <>
      <li className={`${styles["line"]} ${styles["update"]}`}>
        <Sign kind="update" />
        <button type="button" className={styles["fold"]} aria-expanded={open} onClick={() => setOpen(!open)}>
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
      {open ? lines.slice(0, shownLines).map((line) => <Line key={keyOf(line)} line={line} />) : null}
    </>
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

function Line({ line: { kind, name, recordType, value, before, note } }: { line: PatchLine }) {
  const readable = toUnicodeName(name);
  return (
    <li className={`${styles["line"]} ${styles[kind] ?? ""}`}>
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
