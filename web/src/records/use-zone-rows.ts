import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { client } from "../api.ts";
import { searched } from "../ui/pasted.ts";
import { usePrintKey } from "../ui/printing.ts";
import { useRows, type Rows } from "../ui/use-rows.ts";
import { useWindows } from "../ui/use-windows.ts";
import type { Draft } from "../zone/draft/draft.ts";
import { allRows, countTypes, disabledOnly, loadedRows, windowedRows, type Row, type RowSource } from "./grid/rows.ts";

/** Up to this number the whole zone is loaded, and filtered in the browser as one types. */
const pageSize = 500;

/** What lies over the rows: tools and column heads at the top, as long as they stay there, and the bar of a draft at the bottom. */
function covered(hasDraft: boolean): { top: number; bottom: number } {
  const isNarrow = matchMedia("(max-width: 760px)").matches;
  return { top: isNarrow ? 37 : 124, bottom: hasDraft ? (isNarrow ? 150 : 84) : 0 };
}

/** Pixels of most rows, as in the style: each row of another height makes the places of all rows below it be calculated again. */
const rowHeight = () => (matchMedia("(max-width: 760px)").matches ? 51 : 34);

interface ZoneRowsOptions {
  domainId: string;
  zone: string;
  revision: number;
  search: string;
  type: string;
  draft: Draft;
  /** The edits whose records others deleted. */
  gone: ReadonlySet<string>;
}

export interface ZoneRows {
  rows: RowSource;
  view: Rows;
  /** The number of records in the zone that the user sees; null before the first answer. */
  total: number | null;
  types: readonly (readonly [type: string, count: number])[];
  /** How many records DNS does not have. */
  disabled: number;
  records: readonly DnsRecord[];
  loading: boolean;
  error: unknown;
  /** Returns every row that the filter shows: at once if all are loaded. */
  readAll: () => Row[] | Promise<Row[]>;
}

/** The rows of a zone: all of them if they are few, else windows of 500 around what is in view. */
export function useZoneRows({ domainId, zone, revision, search, type, draft, gone }: ZoneRowsOptions): ZoneRows {
  const [inView, setInView] = useState({ first: 0, last: 0 });
  const [printed, setPrinted] = useState(0);
  const all = useWindows<DnsRecord>({
    queryKey: ["records", domainId, revision],
    list: domainId,
    pageSize,
    first: 0,
    last: 0,
    fetch: async (page, signal) => await readPage(domainId, page, {}, signal),
  });
  const counts = useQuery({
    queryKey: ["record-types", domainId, revision],
    enabled: all.total !== null && all.total > pageSize,
    queryFn: async ({ signal }) => {
      const asked = { id: domainId, limit: 1 };
      const [{ typeCounts }, { total: disabled }] = await Promise.all([
        client.records.list.query({ ...asked, counts: true }, { signal }),
        client.records.list.query({ ...asked, status: "disabled" }, { signal }),
      ]);
      return { typeCounts: typeCounts ?? {}, disabled };
    },
  });
  const whole = all.total !== null && all.total <= pageSize;
  const asked = searched(useDeferredValue(search));
  const filters = { ...(asked && { filter: asked }), ...(type && typeFilter(type)) };
  const filtered = !whole && (asked !== "" || type !== "");
  const windows = useWindows<DnsRecord>({
    queryKey: filtered ? ["records", domainId, revision, filters] : ["records", domainId, revision],
    list: domainId,
    pageSize,
    ...(whole ? { first: 0, last: 0 } : printed > 0 ? { first: 0, last: printed - 1 } : inView),
    fetch: async (page, signal) => await readPage(domainId, page, filtered ? filters : {}, signal),
  });
  const records = useMemo(() => (whole ? (all.page ?? []) : []), [whole, all.page]);
  const loaded = useMemo(
    () => loadedRows(records, draft, { search, type }, zone, gone),
    [records, draft, search, type, zone, gone],
  );
  const windowed = useMemo(
    () => windowedRows(windows.total ?? 0, windows.at, draft, gone),
    [windows.total, windows.at, draft, gone],
  );
  const source = whole ? loaded : windowed;
  usePrintKey(source.count, source.at, printed, setPrinted);
  const keyAt = useCallback((index: number) => source.at(index)?.key, [source]);
  const view = useRows(source.count, rowHeight(), keyAt, covered(draft.edits.length > 0));
  if (!whole && view.settled !== inView) setInView(view.settled);
  return {
    rows: source,
    view,
    total: all.total,
    types: whole ? countTypes(records) : byFrequency(counts.data?.typeCounts ?? {}),
    disabled: whole ? records.filter(({ status }) => status === "disabled").length : (counts.data?.disabled ?? 0),
    records,
    loading: all.loading,
    error: all.error ?? windows.error,
    readAll: () => {
      const shown = Array.from({ length: source.count }, (_, index) => source.at(index));
      const known = shown.filter((row) => row !== undefined);
      return known.length === source.count ? known : readEach(domainId, filtered ? filters : {}, draft);
    },
  };
}

async function readEach(id: string, filters: { filter?: string } & ReturnType<typeof typeFilter>, draft: Draft) {
  const records: DnsRecord[] = [];
  for await (const record of client.eachRecord({ id, ...filters })) records.push(record);
  return allRows(records, draft);
}

/** The query of the first rows of a zone in a revision. */
export function firstPage(domainId: string, revision: number) {
  return {
    queryKey: ["records", domainId, revision, 0],
    queryFn: async ({ signal }: { signal: AbortSignal }) => await readPage(domainId, 1, {}, signal),
  };
}

function typeFilter(type: string): { type?: string; status?: "disabled" } {
  return type === disabledOnly ? { status: "disabled" } : { type };
}

function byFrequency(counts: Readonly<Record<string, number>>): [type: string, count: number][] {
  return Object.entries(counts).toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

async function readPage(
  id: string,
  page: number,
  filters: { filter?: string } & ReturnType<typeof typeFilter>,
  signal: AbortSignal,
): Promise<{ items: readonly DnsRecord[]; total: number }> {
  const { records, total } = await client.records.list.query({ id, page, limit: pageSize, ...filters }, { signal });
  return { items: records, total };
}
