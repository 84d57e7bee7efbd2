import { useNavigate } from "@tanstack/react-router";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useRef, useState, type ReactNode } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { useAction } from "../ui/use-action.ts";
import { textOfFile } from "../ui/text-file.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { words } from "../words/words.ts";
import styles from "./portfolio.module.css";

const text = portfolioWords;
/** Longer texts are not shown in a field: browsers lay out every line of one. */
const mostShown = 200_000;
const rowsOfPage = 50;
/** Imports that change more domains go on as a job, which the page of the job follows. */
const mostAtOnce = 100;

type Imported = RouterOutputs["portfolio"]["import"];
type PlannedRow = Imported["rows"][number];
type DateOrder = NonNullable<RouterInputs["portfolio"]["import"]["dateOrder"]>;

/** A table to import. */
export interface Table {
  csv: string;
  /** Whether its empty cells clear what is known. */
  clears: boolean;
  dateOrder?: DateOrder | "";
}

/** An import that was carried out. */
export interface Outcome extends Imported {
  table: Table;
  plan: Imported;
}

interface ImportTableProps {
  given: Table;
  onClose: () => void;
  onDone: (outcome: Outcome) => void;
}

/** Imports a table in two steps: what it changes row by row, and then exactly that. */
export function ImportTable({ given, onClose, onDone }: ImportTableProps) {
  const [csv, setCsv] = useState(given.csv);
  const [fileName, setFileName] = useState("");
  const [clears, setClears] = useState(given.clears);
  const [dateOrder, setDateOrder] = useState<DateOrder | "">(given.dateOrder ?? "");
  const [reason, setReason] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const [looked, setLooked] = useState<(Table & { plan: Imported }) | null>(null);
  const navigate = useNavigate();
  const chooser = useRef<HTMLInputElement>(null);
  // A plan is of what was given when it was asked for: an answer may come after a change.
  const isOfThis = looked?.csv === csv && looked.clears === clears && looked.dateOrder === dateOrder;
  const plan = isOfThis ? looked.plan : null;
  const input = () => ({
    csv,
    emptyCells: clears ? ("clear" as const) : ("keep" as const),
    ...(dateOrder === "" ? {} : { dateOrder }),
  });
  const apply = useAction(async () => {
    if (plan === null) return;
    const message = reason.trim() === "" ? {} : { message: reason.trim() };
    const applied = { ...input(), planHash: plan.planHash, ...message };
    if (plan.changed > mostAtOnce) {
      const { jobId } = await client.portfolio.startImport.mutate(applied);
      await navigate({ to: "/replace/$id", params: { id: jobId } });
      return;
    }
    const imported = await client.portfolio.import.mutate(applied);
    onDone({ ...imported, table: { csv, clears, dateOrder }, plan });
  });
  const look = useAction(async () => {
    apply.reset();
    setRefused(null);
    if (csv.trim() === "") return setRefused(text.empty);
    const found = await client.portfolio.import.mutate({ ...input(), dryRun: true });
    return setLooked({ csv, clears, dateOrder, plan: found });
  });
  const change = (set: () => void) => {
    set();
    setLooked(null);
    setRefused(null);
    look.reset();
    apply.reset();
  };
  const open = async (file: File) => {
    const opened = await textOfFile(file);
    if (!opened.ok) return setRefused(opened.why === "unreadable" ? text.unreadable(file.name) : text[opened.why]);
    return change(() => {
      setFileName(file.name);
      setCsv(opened.text);
    });
  };
  const asksForOrder = plan?.needsDateOrder === true || dateOrder !== "";
  return (
    <Card title={text.importTitle} hint={text.importHint} flush>
      <div className={styles["form"]}>
        <Form onSubmit={() => void look.run()}>
          {csv.length > mostShown ? (
            <>
              <p>{text.chosen(fileName || text.theTable, formatNumber(csv.length))}</p>
              {refused === null ? null : <Notice kind="error">{refused}</Notice>}
            </>
          ) : (
            <TextArea
              label={text.table}
              hint={text.tableHint}
              error={refused}
              mono
              rows={6}
              wrap="off"
              value={csv}
              onValue={(value) =>
                change(() => {
                  setFileName("");
                  setCsv(value);
                })
              }
            />
          )}
          <input
            ref={chooser}
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            hidden
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) void open(file);
              event.target.value = "";
            }}
          />
          <CheckField label={text.clears} checked={clears} onValue={(checked) => change(() => setClears(checked))} />
          {asksForOrder ? (
            <SelectField
              label={text.dateOrder}
              error={plan?.needsDateOrder ? text.dateOrderHint : null}
              value={dateOrder}
              options={(["", "dmy", "mdy", "ymd"] as const).map((value) => ({ value, label: text.dateOrders[value] }))}
              onValue={(value) => change(() => setDateOrder(value))}
            />
          ) : null}
          <Failure error={look.error} />
          <div className={styles["actions"]}>
            <Button type="submit" kind={plan ? "plain" : "primary"} pending={look.pending}>
              {look.pending ? words.ui.loading : text.showPlan}
            </Button>
            <Button onClick={() => chooser.current?.click()}>{text.choose}</Button>
            <Button kind="quiet" onClick={onClose}>
              {text.cancel}
            </Button>
          </div>
        </Form>
        {plan ? (
          <Plan plan={plan}>
            {plan.changed > 0 ? (
              <Form onSubmit={() => void apply.run()}>
                <TextField
                  label={text.reason}
                  hint={text.reasonHint}
                  maxLength={500}
                  value={reason}
                  onValue={setReason}
                />
                <Failure error={apply.error} />
                <div className={styles["actions"]}>
                  <Button type="submit" kind="primary" pending={apply.pending}>
                    {apply.pending ? words.ui.loading : text.apply(plan.changed, formatNumber(plan.changed))}
                  </Button>
                  {plan.refused > 0 ? <span>{text.leavesOut}</span> : null}
                </div>
              </Form>
            ) : null}
          </Plan>
        ) : null}
      </div>
    </Card>
  );
}

function shownName(address: string): string {
  const [name = "", view = ""] = address.split("!");
  return [toUnicodeName(name), view].filter(Boolean).join(" · ");
}

interface ImportedNoticeProps {
  outcome: Outcome;
  /** Opens a table, to take the import back or to plan it again. */
  onTable: (table: Table) => void;
  onClose: () => void;
}

/** Says what an import changed, and which rows it left out: those that the plan refused, and those that changed meanwhile. */
export function ImportedNotice({ outcome, onTable, onClose }: ImportedNoticeProps) {
  const { changed, refused, rows, undo, table, plan } = outcome;
  const undoButton =
    undo === null ? null : <Button onClick={() => onTable({ csv: undo, clears: true })}>{text.undo}</Button>;
  const done = text.done(changed, formatNumber(changed));
  if (refused === 0)
    return (
      <Notice kind="success" focusFor={outcome} action={undoButton}>
        {done}
      </Notice>
    );
  const foreseen = new Set(plan.rows.filter(({ refusal }) => refusal !== null).map(({ line }) => line));
  const left = rows.filter(({ refusal }) => refusal !== null);
  const isLate = ({ line }: PlannedRow) => !foreseen.has(line);
  // What nobody has seen yet comes first.
  const sorted = [...left.filter(isLate), ...left.filter((row) => !isLate(row))];
  const late = left.filter(isLate).length;
  return (
    <>
      <Notice kind="warning" focusFor={outcome} action={undoButton}>
        {done} {text.notImported(refused, formatNumber(refused))}{" "}
        {late > 0 ? text.late(late, formatNumber(late)) : null}
      </Notice>
      <Card
        title={text.leftOut}
        flush
        action={
          <div className={styles["actions"]}>
            {late > 0 ? <Button onClick={() => onTable(table)}>{text.planAgain}</Button> : null}
            <Button kind="quiet" onClick={onClose}>
              {text.close}
            </Button>
          </div>
        }
      >
        <div className={styles["form"]}>
          <Rows
            label={text.leftOut}
            column={text.why}
            rows={sorted}
            said={(row) => (isLate(row) ? text.refusedLate : text.refusedRow)}
          />
        </div>
      </Card>
    </>
  );
}

function Plan({ plan, children }: { plan: Imported; children: ReactNode }) {
  const [onlyRefused, setOnlyRefused] = useState(false);
  const rows = onlyRefused ? plan.rows.filter(({ refusal }) => refusal !== null) : plan.rows;
  return (
    <div className={styles["plan"]}>
      <Notice kind={plan.refused > 0 ? "warning" : "info"} focusFor={plan}>
        {text.summary(formatNumber(plan.changed), formatNumber(plan.unchanged), formatNumber(plan.refused))}{" "}
        {plan.ignoredColumns.length > 0 ? text.ignored(plan.ignoredColumns.join(", ")) : null}
      </Notice>
      {plan.refused > 0 ? <CheckField label={text.onlyRefused} checked={onlyRefused} onValue={setOnlyRefused} /> : null}
      <Rows
        key={String(onlyRefused)}
        label={text.plan}
        column={text.changes}
        rows={rows}
        said={() => text.refusedRow}
      />
      {children}
    </div>
  );
}

interface RowsProps {
  label: string;
  /** The heading of the last column. */
  column: string;
  rows: readonly PlannedRow[];
  /** Returns what stands before the reason of a refused row. */
  said: (row: PlannedRow) => string;
}

/** The rows of a table, in pages: what changes, and why a row is refused. */
function Rows({ label, column, rows, said }: RowsProps) {
  const [page, setPage] = useState(1);
  const shown = rows.slice((page - 1) * rowsOfPage, page * rowsOfPage);
  return (
    <>
      {shown.length > 0 ? (
        <div className={styles["frame"]}>
          <table className={styles["table"]} aria-label={label}>
            <thead>
              <tr>
                <th scope="col">{text.line}</th>
                <th scope="col">{text.columns.domain}</th>
                <th scope="col">{column}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.line}>
                  <td data-label={text.line}>{row.line}</td>
                  <td>
                    <span className={styles["name"]}>{shownName(row.name)}</span>
                  </td>
                  <td className={styles["wide"]}>
                    {row.refusal === null ? null : (
                      <span className={styles["bad"]}>
                        {said(row)}: {forPeople(row.refusal)}
                      </span>
                    )}
                    {row.changes.map(({ field, before, after }) => (
                      <span key={field} className={styles["change"]}>
                        {text.fields[field]}: {before === "" ? text.nothing : <del>{before}</del>} →{" "}
                        {after === "" ? text.nothing : <ins>{after}</ins>}
                      </span>
                    ))}
                    {row.warnings.map((warning) => (
                      <small key={warning}>{warning}</small>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <Pager page={page} pages={Math.ceil(rows.length / rowsOfPage)} isKnown onPage={setPage} />
    </>
  );
}
