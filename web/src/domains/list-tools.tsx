import type { RouterOutputs } from "@zonewright/client";
import { Bookmark, Columns3 } from "lucide-react";
import { useEffect, useState } from "react";
import { messageOf } from "../api.ts";
import { changePreferences, usePreferences } from "../session/preferences.ts";
import { savedFilters, type Filters } from "../session/saved-filters.ts";
import { SavedSearches, SaveSearch } from "../session/saved-searches.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { local } from "../ui/storage.ts";
import { useAction } from "../ui/use-action.ts";
import { domainsWords } from "../words/domains.ts";
import { pinsWords } from "../words/pins.ts";
import { columnsKey, columnTable, knownColumns, usualColumns } from "./columns.ts";
import { columnLabel } from "./domain-table.tsx";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...pinsWords };

interface ListToolsProps {
  search: Filters;
  configs: RouterOutputs["providerConfigs"]["list"]["configs"];
  columns: readonly string[];
  onColumns: (columns: string[]) => void;
}

/** What few need at once, and so is no part of the first page's code: saved filters, and the choice of columns. */
export function ListTools({ search, configs, columns, onColumns }: ListToolsProps) {
  const chosen = usePreferences()?.columns;
  const stored = chosen && knownColumns(chosen.domains ?? usualColumns).join(" ");
  // Another browser may have chosen others.
  useEffect(() => {
    if (stored === undefined) return;
    local.setItem(columnsKey, stored);
    onColumns(stored.split(" ").filter(Boolean));
  }, [stored, onColumns]);
  const [open, setOpen] = useState<"columns" | "save" | null>(null);
  const close = () => setOpen(null);
  const { sort: _, ...filters } = savedFilters("domains", search);
  return (
    <div className={styles["more"]}>
      <SavedSearches page="domains" filters={search} />
      {Object.keys(filters).length > 0 ? (
        <Button aria-label={text.save} title={text.saveTitle.domains} onClick={() => setOpen("save")}>
          <Bookmark aria-hidden /> <span className={styles["wide"]}>{text.save}</span>
        </Button>
      ) : null}
      <Button aria-label={text.columns} title={text.columns} onClick={() => setOpen("columns")}>
        <Columns3 aria-hidden />
      </Button>
      {open === "columns" ? <ColumnsDialog columns={columns} onClose={close} /> : null}
      {open === "save" ? (
        <SaveSearch page="domains" filters={search} suggested={nameOf(search, configs)} onClose={close} />
      ) : null}
    </div>
  );
}

/** What filters are called unless their user says otherwise: what the page says of them. */
function nameOf(search: Filters, configs: ListToolsProps["configs"]): string {
  const { status, view, provider, drift } = search;
  const statuses: Filters = text.statuses;
  const parts = [
    search["search"],
    status && (statuses[status] ?? status),
    search["tag"],
    search["group"],
    view === "default" ? text.defaultView : view,
    configs.find(({ id }) => id === provider)?.name,
    drift && (drift === "true" ? text.driftOnly : text.syncOnly),
  ];
  return parts.filter(Boolean).join(" ").slice(0, 100).trim();
}

function ColumnsDialog({ columns, onClose }: { columns: readonly string[]; onClose: () => void }) {
  const [shown, setShown] = useState(columns);
  const save = useAction(async () => {
    await changePreferences((now) => ({ columns: { ...now.columns, domains: [...shown] } }));
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.columns}
      description={text.columnsHint}
      alert={save.error === null ? null : <Notice kind="error">{messageOf(save.error)}</Notice>}
      footer={
        <>
          <Button kind="quiet" className={styles["start"] ?? ""} onClick={() => setShown(usualColumns)}>
            {text.usualColumns}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button kind="primary" type="submit" form="columns" pending={save.pending}>
            {text.saveNow}
          </Button>
        </>
      }
    >
      <Form id="columns" onSubmit={() => void save.run()}>
        {Object.keys(columnTable).map((column) => (
          <CheckField
            key={column}
            label={columnLabel(column)}
            checked={shown.includes(column)}
            onValue={(isShown) => setShown(withColumn(shown, column, isShown))}
          />
        ))}
      </Form>
    </Dialog>
  );
}

/** A column that is added stands where it does in the table of columns, as far as the others do. */
function withColumn(shown: readonly string[], column: string, isShown: boolean): string[] {
  const others = shown.filter((each) => each !== column);
  if (!isShown) return others;
  const order = Object.keys(columnTable);
  const next = others.findIndex((each) => order.indexOf(each) > order.indexOf(column));
  return others.toSpliced(next < 0 ? others.length : next, 0, column);
}
