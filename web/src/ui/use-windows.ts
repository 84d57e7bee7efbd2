import { useQueries, type QueryKey } from "@tanstack/react-query";
import { useMemo, useState } from "react";

interface Page<Item> {
  items: readonly Item[];
  total: number;
}

interface WindowsOptions<Item> {
  /** Identifies the list with its filters and revision; the page is appended. */
  queryKey: QueryKey;
  /** Identifies the list alone. Its first page stays in view until that of another filter or revision has come. */
  list: string;
  pageSize: number;
  /** The rows in view, from 0. */
  first: number;
  last: number;
  /** Reads a page, from 1. */
  fetch: (page: number, signal: AbortSignal) => Promise<Page<Item>>;
}

export interface Windows<Item> {
  /** The number of rows, or null before the first answer. */
  total: number | null;
  /** The row at an index, if it is loaded. Another function when rows come or change, the same while the list is scrolled. */
  at: (index: number) => Item | undefined;
  /** The rows of the first page; another array when they change. */
  page: readonly Item[] | undefined;
  error: unknown;
  /** Whether the first page is still on its way. */
  loading: boolean;
  /** Whether the rows shown belong to an earlier filter. */
  stale: boolean;
}

/** Reads a long list in windows: the first page, and those that are in view. */
export function useWindows<Item>({
  queryKey,
  list,
  pageSize,
  first,
  last,
  fetch,
}: WindowsOptions<Item>): Windows<Item> {
  const pages = useMemo(() => {
    const wanted = new Set([0]);
    for (
      let page = Math.floor(Math.max(0, first) / pageSize);
      page <= Math.floor(Math.max(0, last) / pageSize);
      page += 1
    ) {
      wanted.add(page);
    }
    return [...wanted];
  }, [first, last, pageSize]);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...queryKey, page],
      queryFn: async ({ signal }: { signal: AbortSignal }) => await fetch(page + 1, signal),
    })),
  });
  const head = results[0];
  // Queries of several keys have no earlier data of their own.
  const [before, setBefore] = useState<{ list: string; head: Page<Item> } | null>(null);
  const data = head?.data;
  if (data !== undefined && before?.head !== data) setBefore({ list, head: data });
  const shown = data ?? (before?.list === list ? before.head : undefined);
  const loaded = useSame(pages.map((page, index) => (page === 0 ? shown : results[index]?.data)));
  const at = useMemo(() => {
    const byPage = new Map(pages.map((page, index) => [page, loaded[index]]));
    return (index: number) => byPage.get(Math.floor(index / pageSize))?.items[index % pageSize];
  }, [pages, loaded, pageSize]);
  return {
    total: shown?.total ?? null,
    at,
    page: shown?.items,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    loading: shown === undefined && (head?.isPending ?? true),
    stale: data === undefined && shown !== undefined,
  };
}

/** Returns the same array as long as its elements are the same. */
function useSame<Item>(items: readonly Item[]): readonly Item[] {
  const [held, setHeld] = useState(items);
  if (held.length === items.length && held.every((item, index) => item === items[index])) return held;
  setHeld(items);
  return items;
}
