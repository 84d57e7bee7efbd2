import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../ui/button.tsx";
import { Menu, type MenuProps } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { adminWords } from "../words/admin.ts";
import styles from "./admin.module.css";

/** The label of a column, or with whether it holds numbers. */
type Column = string | { label: string; isNumber: true };

interface TableProps {
  columns: readonly Column[];
  /** Whether rows end with buttons. Their column has a name only for those who cannot see it. */
  hasActions?: boolean;
  /** The rows. */
  children: ReactNode;
}

/** A table of an administration page, in its frame. On a phone each row is a small card. */
export function Table({ columns, hasActions = false, children }: TableProps) {
  return (
    <div className={styles["frame"]}>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === "string" ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.label} scope="col" className={styles["number"]}>
                  {column.label}
                </th>
              ),
            )}
            {hasActions ? (
              <th scope="col">
                <span className="sr">{adminWords.actions}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The menu at the end of a row. @param props.label says what it is about */
export function RowMenu({ label, groups }: { label: string; groups: MenuProps["groups"] }) {
  return (
    <Menu
      trigger={
        <button type="button" className={buttonClass("quiet", true)} aria-label={label}>
          <Ellipsis aria-hidden />
        </button>
      }
      groups={groups}
    />
  );
}

/** What is wrong with the row above it. */
export function FaultRow({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tr className={styles["fault"]}>
      <td colSpan={columns}>
        <Notice kind="error">{children}</Notice>
      </td>
    </tr>
  );
}
