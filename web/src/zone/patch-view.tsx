import { formatNumber } from "../ui/format.ts";
import { zoneWords } from "../words/zone.ts";
import type { PatchLine } from "./patch.ts";
import styles from "./patch.module.css";

const text = zoneWords;
const signs = { create: "+", update: "~", delete: "−" } as const;
/** More lines than anybody reads; the counts say how many there are. */
const shownLines = 300;

/** Changes of records, one below the other, each with its sign. */
export function Patch({ lines }: { lines: readonly PatchLine[] }) {
  if (lines.length === 0) return <p>{text.noChanges}</p>;
  const count = (kind: PatchLine["kind"]) => formatNumber(lines.filter((line) => line.kind === kind).length);
  return (
    <>
      <p className={styles["counts"]}>
        <span className={styles["create"]}>+{count("create")}</span>
        <span className={styles["update"]}>~{count("update")}</span>
        <span className={styles["delete"]}>−{count("delete")}</span>
      </p>
      <ul className={styles["patch"]} aria-label={text.patch}>
        {lines.slice(0, shownLines).map((line) => (
          <Line key={`${line.kind} ${line.name} ${line.recordType} ${line.value}`} line={line} />
        ))}
        {lines.length > shownLines ? (
          <li className={styles["more"]}>{text.moreLines(formatNumber(lines.length - shownLines))}</li>
        ) : null}
      </ul>
    </>
  );
}

function Line({ line: { kind, name, recordType, value, before, note } }: { line: PatchLine }) {
  return (
    <li className={`${styles["line"]} ${styles[kind] ?? ""}`}>
      <span className={styles["sign"]} aria-hidden>
        {signs[kind]}
      </span>
      <span className="sr">{text.signs[kind]}: </span>
      <span className={styles["name"]}>{name}</span>
      <span className={styles["type"]}>{recordType}</span>
      <span className={styles["value"]}>
        {before === null ? null : <del>{before}</del>}
        {before === null ? null : <br />}
        {value}
      </span>
      <span className={styles["note"]}>{note}</span>
    </li>
  );
}
