import { useEffect, useEffectEvent } from "react";
import { Button } from "./button.tsx";
import { formatNumber } from "./format.ts";
import { words } from "../words/words.ts";
import styles from "./page.module.css";

interface PagerProps {
  /** From 1. */
  page: number;
  pages: number;
  /** Whether `pages` is of the list that is shown: not while it loads, nor of the list before it. */
  isKnown: boolean;
  /** `replace` is for a page that is not there, which the way back must not lead to. */
  onPage: (page: number, replace: boolean) => void;
}

/**
 * Turns the pages of a list. Absent for a single page. Leads to the last page from a page past it, which an old link may name, and which the last
 * row of a page leaves when it is deleted.
 */
export function Pager({ page, pages, isKnown, onPage }: PagerProps) {
  const last = Math.max(1, pages);
  const isPastEnd = isKnown && page > last;
  const leave = useEffectEvent(() => onPage(last, true));
  useEffect(() => {
    if (isPastEnd) leave();
  }, [isPastEnd]);
  if (pages <= 1) return null;
  return (
    <div className={styles["pager"]}>
      <span>{words.ui.pageOf(formatNumber(page), formatNumber(pages))}</span>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1, false)}>
        {words.ui.previous}
      </Button>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1, false)}>
        {words.ui.next}
      </Button>
    </div>
  );
}
