import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Bookmark, Replace, SlidersHorizontal, TextSearch } from "lucide-react";
import { lazy, Suspense, useId, useRef, useState, type ReactNode } from "react";
import { editableTypes } from "../../../server/dns/record.ts";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { SavedSearches, SaveSearch } from "../session/saved-searches.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { patiently } from "../ui/patiently.ts";
import { usePageKeys } from "../ui/use-page-keys.ts";
import { useSettled } from "../ui/use-settled.ts";
import { pinsWords } from "../words/pins.ts";
import { searchWords } from "../words/search.ts";
import { labelsInUse } from "../zone/domain-queries.ts";
import { askedBy, replacementOf, suggestedName, type SearchFilters } from "./filters.ts";
import type { Hit, HitAction } from "./hit-changes.ts";
import { HitTable } from "./hit-table.tsx";
import styles from "./search.module.css";

/** Only for those who select what was found. */
const loadActions = async () => await import("./hit-actions.tsx");
const HitBar = lazy(patiently(async () => ({ default: (await loadActions()).HitBar })));
const HitDialog = lazy(patiently(async () => ({ default: (await loadActions()).HitDialog })));

const text = searchWords;
const pageSize = 100;
const typingPause = 250;

/** Records of every zone that the user sees, by what they are called, what they say and what is noted about them. */
export function SearchPage() {
  const filters = useSearch({ from: "/inside/search" });
  const navigate = useNavigate({ from: "/search" });
  const user = useUser();
  const filter = (changes: SearchFilters) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...changes }), replace: true });
  const settled = JSON.parse(useSettled(JSON.stringify(filters), typingPause)) as SearchFilters;
  const asked = askedBy(settled);
  const page = Math.max(1, Math.trunc(Number(settled.page ?? 1)) || 1);
  const query = asked.kind === "query" ? asked.query : null;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["search", query, page],
    enabled: query !== null,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await client.records.search.query({ ...query, page, limit: pageSize }, { signal }),
  });
  const found = query === null || error !== null ? undefined : data;
  const [saving, setSaving] = useState(false);
  const [selected, setSelected] = useState<{ of: string; hits: ReadonlyMap<string, Hit> }>({ of: "", hits: new Map() });
  const [acting, setActing] = useState<HitAction["kind"] | null>(null);
  // A selection goes on over the pages of a search, and ends with it.
  const searched = JSON.stringify(query);
  const selection: ReadonlyMap<string, Hit> = selected.of === searched ? selected.hits : new Map();
  const select = (some: readonly Hit[], isSelected: boolean) => {
    const next = new Map(selection);
    for (const hit of some) {
      if (isSelected) next.set(hit.id, hit);
      else next.delete(hit.id);
    }
    setSelected({ of: searched, hits: next });
  };
  const clearSelection = () => setSelected({ of: searched, hits: new Map() });
  const chosen = [...selection.values()];
  const input = useRef<HTMLInputElement>(null);
  const hits = useRef<HTMLTableElement>(null);
  usePageKeys({ "/": () => input.current?.focus() });
  const count = found && (found.total === 1 ? text.one : text.count(formatNumber(found.total)));
  // Whoever looks for an address means that one, and might move others with it.
  const longer = isAddress(filters.q ?? "")
    ? found?.records.map((hit) => hit.value).find((held) => held.startsWith(filters.q ?? "") && held !== filters.q)
    : undefined;
  const isFiltered = Object.entries(filters).some(([key, value]) => key !== "page" && value !== undefined);
  return (
    <Page
      title={text.title}
      subtitle={found ? <span role="status">{count}</span> : null}
      actions={
        found && found.total > 0 && user.role !== "auditor" ? (
          <Link to="/replace" search={replacementOf(settled, found.records)} className={buttonClass()}>
            <Replace aria-hidden /> {text.replace}
          </Link>
        ) : null
      }
    >
      <Filters
        filters={filters}
        error={error}
        onFilter={filter}
        onClear={isFiltered ? () => void navigate({ search: {}, replace: true }) : null}
        onSave={() => setSaving(true)}
        input={input}
        onLeave={() => hits.current?.querySelector("a")?.focus()}
      />
      <SavedSearches page="search" filters={{ ...filters }} />
      {query !== null && ["host", "value", "comment", "search"].some((name) => issueOf(error, name) !== null) ? null : (
        <Failure error={query === null ? null : error} />
      )}
      {asked.kind === "short" ? <p className={styles["say"]}>{text.short}</p> : null}
      {asked.kind === "nothing" ? (
        <Empty icon={<TextSearch aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {found?.total === 0 && !isPlaceholderData ? <Empty title={text.noneFound} /> : null}
      {longer === undefined ? null : (
        <Notice
          kind="info"
          action={<Button onClick={() => filter({ q: undefined, value: filters.q })}>{text.onlyExact}</Button>}
        >
          {text.alsoLonger(longer)}
        </Notice>
      )}
      {found && !found.totalIsExact ? <Notice kind="info">{text.many(formatNumber(found.total))}</Notice> : null}
      {found && found.records.length > 0 ? (
        <HitTable
          ref={hits}
          hits={found.records}
          search={query?.search ?? query?.value}
          stale={isPlaceholderData}
          selection={user.role === "auditor" ? null : selection}
          onSelect={select}
        />
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil((found?.total ?? 0) / pageSize)}
        isKnown={found !== undefined && !isPlaceholderData}
        onPage={(next, replace) => void navigate({ search: (before) => ({ ...before, page: String(next) }), replace })}
      />
      <Suspense fallback={null}>
        {chosen.length > 0 ? <HitBar hits={chosen} onAct={setActing} onClear={clearSelection} /> : null}
        {acting && chosen.length > 0 ? (
          <HitDialog
            kind={acting}
            hits={chosen}
            onClose={(isDone) => {
              setActing(null);
              if (isDone) clearSelection();
            }}
          />
        ) : null}
      </Suspense>
      {saving ? (
        <SaveSearch
          page="search"
          filters={{ ...filters }}
          suggested={suggestedName(filters)}
          onClose={() => setSaving(false)}
        />
      ) : null}
    </Page>
  );
}

const isAddress = (sought: string) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f]*:[\da-f:.]*)$/i.test(sought);

interface FiltersProps {
  filters: SearchFilters;
  error: unknown;
  onFilter: (changes: SearchFilters) => void;
  /** Null if there is nothing to clear. */
  onClear: (() => void) | null;
  onSave: () => void;
  input: React.RefObject<HTMLInputElement | null>;
  /** The keyboard goes on to the hits. */
  onLeave: () => void;
}

function Filters({ filters, error, onFilter, onClear, onSave, input, onLeave }: FiltersProps) {
  const id = useId();
  const { data: labels } = useQuery(labelsInUse);
  const { value, host, note, type, tag } = filters;
  // On a narrow page, they would push the hits out of sight.
  const [open, setOpen] = useState(
    () => [value, host, note, type, tag].some(Boolean) || matchMedia("(min-width: 760px)").matches,
  );
  const tags = labels?.tags ?? [];
  const texts = { value, host, note } as const;
  const issues = { value: "value", host: "host", note: "comment" } as const;
  return (
    <search className={styles["filters"]}>
      <div className={styles["first"]}>
        <input
          ref={input}
          type="search"
          className={field["input"]}
          placeholder={text.example}
          aria-label={text.q}
          aria-keyshortcuts="/"
          maxLength={253}
          // Whoever opens the page means to type.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={Object.values(filters).every((each) => each === undefined)}
          value={filters.q ?? ""}
          onChange={(event) => onFilter({ q: event.target.value || undefined })}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
            event.preventDefault();
            onLeave();
          }}
        />
        <Button aria-expanded={open} aria-controls={`${id}-more`} onClick={() => setOpen(!open)}>
          <SlidersHorizontal aria-hidden /> {open ? text.fewer : text.filters}
        </Button>
        {onClear ? (
          <>
            <Button onClick={onSave}>
              <Bookmark aria-hidden /> {pinsWords.save}
            </Button>
            <Button kind="quiet" onClick={onClear}>
              {text.clear}
            </Button>
          </>
        ) : null}
      </div>
      <div id={`${id}-more`} className={styles["more"]} hidden={!open}>
        {(["value", "host", "note"] as const).map((name) => (
          <Labelled key={name} label={text[name]} error={issueOf(error, issues[name])}>
            <input
              className={field["input"]}
              placeholder={name === "value" ? text.valueHint : name === "host" ? text.hostHint : ""}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="none"
              maxLength={name === "value" ? 10_000 : 200}
              value={texts[name] ?? ""}
              onChange={(event) => onFilter({ [name]: event.target.value || undefined })}
            />
          </Labelled>
        ))}
        <Labelled label={text.type}>
          <select
            className={field["input"]}
            value={type ?? ""}
            onChange={(event) => onFilter({ type: event.target.value || undefined })}
          >
            <option value="">{text.anyType}</option>
            {[...new Set([...editableTypes, ...(type === undefined ? [] : [type])])].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Labelled>
        {tags.length > 0 || tag !== undefined ? (
          <Labelled label={text.tag}>
            <select
              className={field["input"]}
              value={tag ?? ""}
              onChange={(event) => onFilter({ tag: event.target.value || undefined })}
            >
              <option value="">{text.anyTag}</option>
              {[...new Set([...tags.map(({ name }) => name), ...(tag === undefined ? [] : [tag])])].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Labelled>
        ) : null}
      </div>
    </search>
  );
}

function Labelled({ label, error, children }: { label: string; error?: string | null; children: ReactNode }) {
  return (
    <div>
      <label className={styles["labelled"]}>
        <span>{label}</span>
        {children}
      </label>
      {error ? (
        <span className={field["error"]} role="alert">
          {error}
        </span>
      ) : null}
    </div>
  );
}
