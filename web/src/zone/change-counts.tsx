import { formatNumber } from "../ui/format.ts";
import styles from "./change-counts.module.css";

interface ChangeCountsProps {
  creates: number;
  updates: number;
  deletes: number;
}

/** How many records a change creates, changes and deletes. */
export function ChangeCounts({ creates, updates, deletes }: ChangeCountsProps) {
  return (
    <span className={styles["counts"]}>
      {creates > 0 ? <span className={styles["creates"]}>+{formatNumber(creates)}</span> : null}
      {updates > 0 ? <span className={styles["updates"]}>~{formatNumber(updates)}</span> : null}
      {deletes > 0 ? <span className={styles["deletes"]}>−{formatNumber(deletes)}</span> : null}
    </span>
  );
}
