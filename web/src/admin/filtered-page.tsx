import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { adminWords } from "../words/admin.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { PersonFilter } from "./person-filter.tsx";
import { useTypedZone } from "./typed-zone.ts";
import styles from "./admin.module.css";

const pageSize = 50;

/** What stands in the address of such a page. */
interface Search {
  owner?: string | undefined;
  zone?: string | undefined;
  page?: string | undefined;
}

interface ListOptions<Answer> {
  /** Begins the query's key. */
  queryKey: string;
  search: Search;
  /** Puts other filters, or another page, into the address. */
  onSearch: (next: Search, replace: boolean) => void;
  read: (
    asked: { userId: string | undefined; domainId: string | undefined; page: number; limit: number },
    signal: AbortSignal,
  ) => Promise<Answer>;
}

/** What the service has in all zones, filtered by a person and a zone, a page at a time. */
export function useFilteredList<Answer extends { total: number }>(options: ListOptions<Answer>) {
  const { queryKey, search, onSearch, read } = options;
  const zone = useTypedZone(search.zone);
  const page = Math.max(1, Math.trunc(Number(search.page ?? 1)) || 1);
  const filters = { userId: search.owner, domainId: zone.id };
  const {
    data: answer,
    error,
    isPlaceholderData,
  } = useQuery({
    queryKey: [queryKey, "all", filters, zone.key, page],
    placeholderData: keepPreviousData,
    enabled: zone.isReady,
    queryFn: async ({ signal }) => await read({ ...filters, page, limit: pageSize }, signal),
  });
  const data = zone.isUnknown ? undefined : answer;
  return {
    search,
    onSearch,
    zoneFault: zone.fault,
    error: error ?? zone.error,
    data,
    page,
    isKnown: data !== undefined && !isPlaceholderData,
    /** Filters by something else, from the first page. */
    filter: (changes: Search) => onSearch({ ...search, page: undefined, ...changes }, true),
  };
}

interface PageProps {
  text: Parameters<typeof PersonFilter>[0]["text"] &
    Readonly<Record<"title" | "one" | "hint" | "zone" | "clear" | "noneFound" | "emptyTitle" | "empty", string>> & {
      count: (total: string) => string;
    };
  list: ReturnType<typeof useFilteredList<{ total: number }>>;
  icon: ReactNode;
  /** Of what somebody does on the page. */
  error?: unknown;
  /** The table, if there are rows, and dialogs. */
  children: ReactNode;
}

/** A page with such a list: its filters, what it says without rows, and its pages. */
export function FilteredPage({ text, list, icon, error, children }: PageProps) {
  const { search, onSearch, zoneFault, data, page, isKnown, filter } = list;
  /** How often all filters were cleared, with what was typed for a person. */
  const [clears, setClears] = useState(0);
  const total = data?.total ?? 0;
  const isFiltered = search.owner !== undefined || search.zone !== undefined;
  return (
    <Page title={text.title} subtitle={data ? (total === 1 ? text.one : text.count(formatNumber(total))) : null}>
      <p className={styles["lead"]}>{text.hint}</p>
      {isFiltered || total > 0 ? (
        <div className={styles["picks"]}>
          <PersonFilter key={clears} text={text} present={search.owner} onPerson={(id) => filter({ owner: id })} />
          <ZoneField
            label={text.zone}
            hint={null}
            value={search.zone ?? ""}
            error={zoneFault && adminWords.zoneFaults[zoneFault]}
            onValue={(typed) => filter({ zone: typed || undefined })}
          />
          {isFiltered ? (
            <Button
              kind="quiet"
              onClick={() => {
                setClears(clears + 1);
                onSearch({}, true);
              }}
            >
              {text.clear}
            </Button>
          ) : null}
        </div>
      ) : null}
      <Failure error={list.error ?? error} />
      {data && total === 0 ? (
        isFiltered ? (
          <Empty title={text.noneFound} />
        ) : (
          <Empty icon={icon} title={text.emptyTitle}>
            {text.empty}
          </Empty>
        )
      ) : null}
      {children}
      <Pager
        page={page}
        pages={Math.ceil(total / pageSize)}
        isKnown={isKnown}
        onPage={(next, replace) => onSearch({ ...search, page: String(next) }, replace)}
      />
    </Page>
  );
}
