import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Domain, RouterInputs } from "@zonewright/client";
import { Download, Plus } from "lucide-react";
import { lazy, Suspense, useDeferredValue, useRef, useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, PageHead } from "../ui/page.tsx";
import { patiently } from "../ui/patiently.ts";
import { usePrintKey } from "../ui/printing.ts";
import { local } from "../ui/storage.ts";
import { useRows } from "../ui/use-rows.ts";
import { useWindows } from "../ui/use-windows.ts";
import { domainsWords } from "../words/domains.ts";
import { providerConfigs } from "../zone/domain-queries.ts";
import type { BulkAction } from "./bulk-edit.tsx";
import { columnsKey, knownColumns, usualColumns } from "./columns.ts";
import { DomainTable } from "./domain-table.tsx";
import { ListFilters } from "./list-filters.tsx";
import { noSelection, type Selection } from "./selection.ts";
import { usePageKeys } from "../ui/use-page-keys.ts";
import styles from "./domains.module.css";

/** Only an empty installation needs it. */
const FirstRun = lazy(patiently(async () => ({ default: (await import("./first-run.tsx")).FirstRun })));
const AddDomain = lazy(patiently(async () => ({ default: (await import("./add-domain.tsx")).AddDomain })));
const SelectionBar = lazy(patiently(async () => ({ default: (await import("./selection-bar.tsx")).SelectionBar })));
const BulkEdit = lazy(patiently(async () => ({ default: (await import("./bulk-edit.tsx")).BulkEdit })));

const ListTools = lazy(patiently(async () => ({ default: (await import("./list-tools.tsx")).ListTools })));

const text = domainsWords;

type Filters = Exclude<RouterInputs["domains"]["list"], void>;

const pageSize = 100;
const rowHeight = 39;
/** The height of the filters, which stick to the top. */
const toolsHeight = 56;

/** All domains that the user sees, in windows, with their filters in the address. */
export function DomainsPage() {
  const user = useUser();
  const search = useSearch({ from: "/inside/" });
  const navigate = useNavigate({ from: "/" });
  const filter = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });

  const filters = useDeferredValue<Filters>({
    search: search.search,
    status: search.status as Filters["status"],
    tag: search.tag,
    group: search.group,
    view: search.view,
    providerConfigId: search.provider,
    drift: search.drift as Filters["drift"],
    sort: search.sort as Filters["sort"],
  });
  const [inView, setInView] = useState({ first: 0, last: 0 });
  const [printed, setPrinted] = useState(0);
  const windows = useWindows<Domain>({
    queryKey: ["domains", filters],
    list: "domains",
    pageSize,
    ...(printed > 0 ? { first: 0, last: printed - 1 } : inView),
    fetch: async (page, signal) => {
      const { domains, total } = await client.domains.list.query({ ...filters, page, limit: pageSize }, { signal });
      return { items: domains, total };
    },
  });
  const total = windows.total ?? 0;
  usePrintKey(total, windows.at, printed, setPrinted);
  const rows = useRows(total, rowHeight, undefined, { top: toolsHeight, bottom: 0 });
  if (rows.settled !== inView) setInView(rows.settled);

  const { data: configs = [] } = useQuery(providerConfigs);
  const mayAdd = user.role === "admin" || configs.some(({ membersMayUse }) => membersMayUse);
  const [adding, setAdding] = useState(false);
  const [editing, setEditing] = useState<BulkAction | null>(null);
  const [selection, setSelection] = useState<Selection>(noSelection);
  const [columns, setColumns] = useState(() => knownColumns(local.getItem(columnsKey)?.split(" ") ?? usualColumns));
  const searchField = useRef<HTMLInputElement>(null);
  usePageKeys({ "/": () => searchField.current?.focus(), "Alt+n": mayAdd ? () => setAdding(true) : null });

  /** Every row read so far. */
  const loaded = () =>
    queries
      .getQueriesData<{ items: readonly Domain[] }>({ queryKey: ["domains", filters] })
      .flatMap(([, page]) => page?.items ?? []);
  const loadedAt = (index: number) =>
    queries.getQueryData<{ items: readonly Domain[] }>(["domains", filters, Math.floor(index / pageSize)])?.items[
      index % pageSize
    ];

  const filtered = Object.entries(search).some(([key, value]) => key !== "sort" && value !== undefined);
  const empty = windows.total === 0 && !windows.stale;
  const add = () => setAdding(true);
  const count = total === 1 ? text.one : text.count(formatNumber(total));
  const { data: differing = 0 } = useQuery({
    queryKey: ["domains", "differing"],
    enabled: total > 0 && !filtered,
    queryFn: async ({ signal }) => (await client.domains.list.query({ drift: "true", limit: 1 }, { signal })).total,
  });
  return (
    <>
      <PageHead
        title={text.title}
        subtitle={
          windows.total === null || (empty && !filtered) ? null : (
            <>
              <span role="status">{count}</span>
              {differing === 0 || filtered ? null : (
                <>
                  {" · "}
                  <Link to="/" search={{ drift: "true" }}>
                    {text.countDiffer(differing, formatNumber(differing))}
                  </Link>
                </>
              )}
            </>
          )
        }
        actions={
          empty && !filtered ? null : (
            <>
              {user.role === "admin" ? (
                <Link to="/admin/providers" className={buttonClass()}>
                  <Download aria-hidden /> {text.import}
                </Link>
              ) : null}
              {mayAdd ? (
                <Button kind="primary" onClick={add} aria-keyshortcuts="Alt+N">
                  <Plus aria-hidden /> {text.add}
                </Button>
              ) : null}
            </>
          )
        }
      />
      {empty && !filtered ? (
        <Suspense fallback={null}>
          <FirstRun onAdd={mayAdd ? add : null} />
        </Suspense>
      ) : (
        <>
          <ListFilters
            search={search}
            configs={configs}
            field={searchField}
            onFilter={filter}
            onLeave={() => document.querySelector<HTMLElement>("[role=grid]")?.focus()}
          >
            <Suspense fallback={null}>
              <ListTools search={search} configs={configs} columns={columns} onColumns={setColumns} />
            </Suspense>
          </ListFilters>
          <div className={styles["notices"]}>
            <Failure error={windows.error} />
          </div>
          {empty ? (
            <Empty
              title={text.noneFound}
              action={<Button onClick={() => void navigate({ search: {} })}>{text.clear}</Button>}
            />
          ) : (
            <DomainTable
              rows={rows}
              total={total}
              at={windows.at}
              loaded={loaded}
              loadedAt={loadedAt}
              configs={configs}
              columns={columns}
              sort={search.sort}
              onSort={(sort) => filter({ sort })}
              selection={selection}
              onSelection={setSelection}
            />
          )}
        </>
      )}
      <Suspense fallback={null}>
        {selection.size > 0 ? (
          <SelectionBar selection={selection} onEdit={setEditing} onClear={() => setSelection(noSelection)} />
        ) : null}
        {adding ? <AddDomain onClose={() => setAdding(false)} /> : null}
        {editing ? <BulkEdit action={editing} selection={selection} onClose={() => setEditing(null)} /> : null}
      </Suspense>
    </>
  );
}
