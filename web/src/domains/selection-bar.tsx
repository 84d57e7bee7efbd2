import { Button } from "../ui/button.tsx";
import { domainsWords } from "../words/domains.ts";
import { formatNumber } from "../ui/format.ts";
import type { Selection } from "./selection.ts";
import styles from "./domains.module.css";

const text = domainsWords;

interface SelectionBarProps {
  selection: Selection;
  onTag: (action: "add" | "remove") => void;
  onClear: () => void;
}

/** What can be done with the selected domains. */
export function SelectionBar({ selection, onTag, onClear }: SelectionBarProps) {
  const { size } = selection;
  return (
    <section className={styles["bottom"]} aria-label={text.selection}>
      <strong role="status">{size === 1 ? text.selectedOne : text.selected(formatNumber(size))}</strong>
      <Button kind="quiet" className={styles["push"]} onClick={onClear}>
        {text.clearSelection}
      </Button>
      <Button onClick={() => onTag("remove")}>{text.removeTag}</Button>
      <Button kind="primary" onClick={() => onTag("add")}>
        {text.addTag}
      </Button>
    </section>
  );
}
