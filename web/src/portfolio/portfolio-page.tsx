import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useDeferredValue, useState, type ReactNode } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatAgo, formatDate, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useAction } from "../ui/use-action.ts";
import { locale } from "../words/language.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { words } from "../words/words.ts";
import { labelsInUse } from "../zone/domain-queries.ts";
import { DomainLink } from "./domain-link.tsx";
import { ImportedNotice, ImportTable, type Outcome, type Table } from "./import-table.tsx";
import { Month, monthOf } from "./month.tsx";
import styles from "./portfolio.module.css";

const text = portfolioWords;
const pageSize = 50;
/** Findings that are shown before all are asked for. */
const fewFindings = 8;

type Filters = Exclude<RouterInputs["portfolio"]["list"], void>;
type PortfolioDomain = RouterOutputs["portfolio"]["list"]["domains"][number];

/** Returns an amount of money. Browsers know the currencies, and print a code that they do not know. */
function formatMoney(amount: number, currency: string): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount);
}

/** All domains as registrations: until when, at whom, for how much, and what to do first. */
export function PortfolioPage() {
  const search = useSearch({ from: "/inside/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const mayImport = useUser().role !== "auditor";
  /** The table that is being imported; null while none is. */
  const [table, setTable] = useState<Table | null>(null);
  /** The last import, until another one is done. */
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const save = useAction(async () => {
    const { csv } = await client.portfolio.export.query({});
    // Without the mark, Excel takes the file for Latin-1.
    saveFile("portfolio.csv", `\uFEFF${csv}`);
  });
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const filters = useDeferredValue<Filters>({
    search: search.search,
    status: search.status as Filters["status"],
    group: search.group,
    sort: (search.sort ?? "expiresAt") as Filters["sort"],
    page,
    limit: pageSize,
  });
  const { month } = search;
  const list = useQuery({
    queryKey: ["portfolio", "list", filters],
    enabled: month === undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await client.portfolio.list.query(filters, { signal }),
  });
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  const total = list.data?.total;
  return (
    <Page
      title={text.title}
      subtitle={total === undefined ? null : <span role="status">{text.count(total, formatNumber(total))}</span>}
      actions={
        <>
          <Button pending={save.pending} onClick={() => void save.run()}>
            {text.export}
          </Button>
          {mayImport ? <Button onClick={() => setTable({ csv: "", clears: false })}>{text.import}</Button> : null}
        </>
      }
    >
      <Failure error={save.error} />
      {outcome ? <ImportedNotice outcome={outcome} onTable={setTable} onClose={() => setOutcome(null)} /> : null}
      {table ? (
        <ImportTable
          key={table.csv}
          given={table}
          onClose={() => setTable(null)}
          onDone={(done) => {
            setTable(null);
            setOutcome(done);
            void queries.invalidateQueries({ queryKey: ["portfolio"] });
            void queries.invalidateQueries({ queryKey: ["domains"] });
          }}
        />
      ) : null}
      <Findings />
      <Costs />
      <Card title={text.domains} flush>
        <Filters search={search} onFilter={filter} />
        {month === undefined ? (
          <>
            <Failure error={list.error} />
            {list.data ? (
              <Domains domains={list.data.domains} />
            ) : (
              <p className={styles["inset"]}>{list.error ? null : words.ui.loading}</p>
            )}
            <div className={styles["pager"]}>
              <Pager
                // Of the list that is shown, which may be that before the last change of a filter.
                page={filters.page ?? 1}
                pages={Math.ceil((total ?? 0) / pageSize)}
                isKnown={total !== undefined && !list.isPlaceholderData}
                onPage={(next, replace) =>
                  void navigate({ search: (before) => ({ ...before, page: String(next) }), replace })
                }
              />
            </div>
          </>
        ) : (
          <Month
            month={month}
            filters={{ search: filters.search, status: filters.status, group: filters.group }}
            onMonth={(next) => filter({ month: next })}
          />
        )}
      </Card>
    </Page>
  );
}

function Findings() {
  const [showsAll, setShowsAll] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["portfolio", "findings"],
    queryFn: async ({ signal }) => await client.portfolio.findings.query(undefined, { signal }),
  });
  const found = data?.findings ?? [];
  const shown = showsAll ? found : found.slice(0, fewFindings);
  return (
    <Card
      title={text.findings}
      hint={text.findingsHint}
      flush
      action={
        found.length > shown.length ? (
          <Button onClick={() => setShowsAll(true)}>{text.showAll(formatNumber(found.length))}</Button>
        ) : null
      }
    >
      <Failure error={error} />
      {data ? null : <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>}
      {data && found.length === 0 ? <p className={styles["inset"]}>{text.fine}</p> : null}
      {found.length > 0 ? (
        <ul className={styles["list"]} aria-label={text.findings}>
          {shown.map((finding, index) => (
            // Several name servers of a domain may have the same fault.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={`${finding.domainId} ${finding.code} ${index}`}>
              <i className={styles["dot"]} data-severity={finding.severity} aria-hidden />
              <DomainLink domain={finding} />
              <span>
                <span className="sr">{text.severities[finding.severity]}: </span>
                {finding.message}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {data?.more && showsAll ? <p className={styles["inset"]}>{text.moreThan}</p> : null}
    </Card>
  );
}

function Costs() {
  const { data, error } = useQuery({
    queryKey: ["portfolio", "costs"],
    queryFn: async ({ signal }) => await client.portfolio.costs.query(undefined, { signal }),
  });
  const groups = data?.groups ?? [];
  const priced = groups.filter(({ yearlyCost }) => yearlyCost !== null);
  const sums = [...Map.groupBy(priced, ({ currency }) => currency ?? "")]
    .map(([currency, of]) => ({ currency, sum: of.reduce((all, { yearlyCost }) => all + (yearlyCost ?? 0), 0) }))
    .toSorted((one, other) => (one.currency < other.currency ? -1 : 1));
  const count = (of: typeof groups) => formatNumber(of.reduce((all, { domains }) => all + domains, 0));
  return (
    <Card title={text.costs} hint={sums.length > 0 ? text.costsHint(count(priced), count(groups)) : undefined} flush>
      <Failure error={error} />
      {data && sums.length === 0 ? <p className={styles["inset"]}>{text.noCosts}</p> : null}
      {sums.length > 0 ? (
        <ul className={styles["sums"]} aria-label={text.costs}>
          {sums.map(({ currency, sum }) => (
            <li key={currency}>
              <strong>{formatMoney(sum, currency)}</strong>
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}

interface FiltersProps {
  search: {
    search?: string | undefined;
    status?: string | undefined;
    group?: string | undefined;
    sort?: string | undefined;
    month?: string | undefined;
  };
  onFilter: (changes: FiltersProps["search"]) => void;
}

function Filters({ search, onFilter }: FiltersProps) {
  const { data: labels } = useQuery(labelsInUse);
  const groups = labels?.groups ?? [];
  return (
    <div className={styles["tools"]}>
      <input
        type="search"
        className={field["input"]}
        placeholder={text.search}
        aria-label={text.search}
        maxLength={253}
        value={search.search ?? ""}
        onChange={(event) => onFilter({ search: event.target.value || undefined })}
      />
      <Filter
        label={text.status}
        value={search.status}
        options={[["", text.anyStatus], ...Object.entries(text.statuses)]}
        onValue={(status) => onFilter({ status })}
      />
      {groups.length > 0 || search.group !== undefined ? (
        <Filter
          label={text.group}
          value={search.group}
          options={[["", text.anyGroup], ...groups.map(({ name }) => [name, name] as const)]}
          onValue={(group) => onFilter({ group })}
        />
      ) : null}
      {search.month === undefined ? (
        <Filter
          label={text.sort}
          value={search.sort ?? "expiresAt"}
          options={Object.entries(text.sorts)}
          onValue={(sort) => onFilter({ sort })}
        />
      ) : null}
      <div className={styles["layout"]} role="group" aria-label={text.layout}>
        <Button aria-pressed={search.month === undefined} onClick={() => onFilter({ month: undefined })}>
          {text.asList}
        </Button>
        <Button aria-pressed={search.month !== undefined} onClick={() => onFilter({ month: monthOf(new Date()) })}>
          {text.asMonth}
        </Button>
      </div>
    </div>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  onValue: (value: string | undefined) => void;
}

function Filter({ label, value, options, onValue }: FilterProps) {
  return (
    <select
      className={field["input"]}
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onValue(event.target.value || undefined)}
    >
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Domains({ domains }: { domains: readonly PortfolioDomain[] }) {
  if (domains.length === 0) return <p className={styles["inset"]}>{text.none}</p>;
  const { columns } = text;
  // Until a registrar is connected, most columns would be empty.
  const has = {
    registrar: domains.some(({ registration }) => isKnown(registration?.registrar)),
    autoRenew: domains.some(({ registration }) => isKnown(registration?.autoRenew)),
    locked: domains.some(({ registration }) => isKnown(registration?.locked)),
    cost: domains.some(({ registration }) => isKnown(registration?.yearlyCost)),
    findings: domains.some(({ findings }) => findings.length > 0),
  };
  return (
    <table className={styles["table"]} aria-label={text.domains}>
      <thead>
        <tr>
          <th scope="col">{columns.domain}</th>
          <th scope="col">{columns.expires}</th>
          {has.registrar ? <th scope="col">{columns.registrar}</th> : null}
          {has.autoRenew ? <th scope="col">{columns.autoRenew}</th> : null}
          {has.locked ? <th scope="col">{columns.locked}</th> : null}
          {has.cost ? (
            <th scope="col" className={styles["number"]}>
              {columns.cost}
            </th>
          ) : null}
          {has.findings ? <th scope="col">{columns.findings}</th> : null}
        </tr>
      </thead>
      <tbody>
        {domains.map((domain) => (
          <Row key={domain.id} domain={domain} has={has} />
        ))}
      </tbody>
    </table>
  );
}

const isKnown = (value: unknown) => value !== null && value !== undefined;

/** The columns that are shown. */
type Shown = Readonly<Record<"registrar" | "autoRenew" | "locked" | "cost" | "findings", boolean>>;

const flag = (value: boolean | null | undefined) =>
  value === null || value === undefined ? null : value ? text.on : <span className={styles["warn"]}>{text.off}</span>;

function Row({ domain, has }: { domain: PortfolioDomain; has: Shown }) {
  const { expiresAt, status, registration, findings } = domain;
  const { columns } = text;
  const [first, ...others] = findings;
  const { yearlyCost = null, currency = null } = registration ?? {};
  const cell = (label: string, content: ReactNode, className = "") => (
    <td className={className} data-label={label} data-unknown={content === null || undefined}>
      {content ?? text.unknown}
    </td>
  );
  return (
    <tr>
      <td className={styles["wide"]}>
        <span className={styles["name"]}>
          <DomainLink domain={domain} />
        </span>
        {domain.groupName === null ? null : <small>{domain.groupName}</small>}
      </td>
      {cell(
        columns.expires,
        expiresAt ? (
          <>
            <time dateTime={expiresAt.toISOString()}>{formatDate(expiresAt)}</time>{" "}
            {status === "active" ? null : (
              <small className={status === "expired" ? styles["bad"] : styles["warn"]}>{formatAgo(expiresAt)}</small>
            )}
          </>
        ) : null,
        styles["nowrap"],
      )}
      {has.registrar ? cell(columns.registrar, registration?.registrar ?? null) : null}
      {has.autoRenew ? cell(columns.autoRenew, flag(registration?.autoRenew)) : null}
      {has.locked ? cell(columns.locked, flag(registration?.locked)) : null}
      {has.cost
        ? cell(
            columns.cost,
            yearlyCost !== null && currency !== null ? formatMoney(yearlyCost, currency) : null,
            styles["number"],
          )
        : null}
      {has.findings ? (
        <td className={styles["wide"]} data-unknown={first === undefined || undefined}>
          {first ? (
            <>
              <span className={first.severity === "error" ? styles["bad"] : ""}>{first.message}</span>
              {others.length > 0 ? <small>{text.more(formatNumber(others.length))}</small> : null}
            </>
          ) : (
            text.unknown
          )}
        </td>
      ) : null}
    </tr>
  );
}
