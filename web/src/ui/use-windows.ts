import { keepPreviousData, useQueries, type QueryKey } from "@tanstack/react-query";
import { useMemo } from "react";

interface Page<Item> {
  items: readonly Item[];
  total: number;
}

interface WindowsOptions<Item> {
  /** Identifies the list with its filters and revision; the page is appended. */
  queryKey: QueryKey;
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
export function useWindows<Item>({ queryKey, pageSize, first, last, fetch }: WindowsOptions<Item>): Windows<Item> {
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
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
  });
  const head = results[0];
  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]));
  return {
    total: head?.data?.total ?? null,
    at: (index) => byPage.get(Math.floor(index / pageSize))?.items[index % pageSize],
    page: head?.data?.items,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    loading: head?.isPending ?? true,
    stale: head?.isPlaceholderData ?? false,
  };
}
