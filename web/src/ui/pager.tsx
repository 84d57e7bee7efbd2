import { Button } from "./button.tsx";
import { formatNumber } from "./format.ts";
import { words } from "../words/words.ts";
import styles from "./page.module.css";

interface PagerProps {
  /** From 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Turns the pages of a list. Absent for a single page. */
export function Pager({ page, pages, onPage }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <div className={styles["pager"]}>
      <span>{words.ui.pageOf(formatNumber(page), formatNumber(pages))}</span>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {words.ui.previous}
      </Button>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {words.ui.next}
      </Button>
    </div>
  );
}
