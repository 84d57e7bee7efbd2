import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "../ui/button.tsx";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { formatNumber } from "../ui/format.ts";
import { mostZones } from "../zone/use-zone.ts";
import type { BulkAction } from "./bulk-edit.tsx";
import { qualified, type Selection } from "./selection.ts";
import styles from "./domains.module.css";

const text = domainsWords;

interface SelectionBarProps {
  selection: Selection;
  onEdit: (action: BulkAction) => void;
  onClear: () => void;
}

/** What can be done with the selected domains. */
export function SelectionBar({ selection, onEdit, onClear }: SelectionBarProps) {
  const { size } = selection;
  const zones = [...selection.values()].map(qualified).join(",");
  return (
    <section className={styles["bottom"]} aria-label={text.selection}>
      <strong role="status">{size === 1 ? text.selectedOne : text.selected(formatNumber(size))}</strong>
      <Button kind="quiet" className={styles["push"]} onClick={onClear}>
        {text.clearSelection}
      </Button>
      {size > mostZones ? null : (
        <Link to="/templates" search={{ zone: zones }} className={buttonClass()}>
          {domainDialogsWords.applyTemplate}
        </Link>
      )}
      <Button onClick={() => onEdit("remind")}>{domainDialogsWords.reminders}</Button>
      <Button onClick={() => onEdit("removeTag")}>{text.removeTag}</Button>
      <Button kind="primary" onClick={() => onEdit("addTag")}>
        {text.addTag}
      </Button>
    </section>
  );
}
