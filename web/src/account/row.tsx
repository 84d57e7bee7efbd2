import type { ReactNode } from "react";
import { formatAgo, formatMoment } from "../ui/format.ts";
import styles from "./row.module.css";

interface RowProps {
  icon?: ReactNode;
  title: ReactNode;
  /** States beside the title. */
  chips?: ReactNode;
  /** Facts below the title. */
  facts?: ReactNode;
  actions?: ReactNode;
  /** What opens below the row. */
  children?: ReactNode;
}

/** One thing of a list in a card. */
export function Row({ icon, title, chips, facts, actions, children }: RowProps) {
  return (
    <li className={styles["row"]}>
      {icon ? <span className={styles["icon"]}>{icon}</span> : null}
      <div className={styles["what"]}>
        <div className={styles["name"]}>
          <span>{title}</span>
          {chips}
        </div>
        {facts ? <div className={styles["facts"]}>{facts}</div> : null}
      </div>
      {actions ? <div className={styles["actions"]}>{actions}</div> : null}
      {children ? <div className={styles["opened"]}>{children}</div> : null}
    </li>
  );
}

/** A state in one or two words. */
export function Chip({ kind = "plain", children }: { kind?: "plain" | "good" | "warn" | "bad"; children: ReactNode }) {
  return <span className={`${styles["chip"]} ${styles[kind] ?? ""}`}>{children}</span>;
}

/** How long ago something was, with the exact time on hover. */
export function Ago({ date }: { date: Date }) {
  return (
    <time dateTime={date.toISOString()} title={formatMoment(date)}>
      {ago(date)}
    </time>
  );
}

/** A browser's clock may be slow: what has happened is never in its future. */
function ago(date: Date, now = Date.now()): string {
  return formatAgo(date, Math.max(now, date.getTime()));
}
