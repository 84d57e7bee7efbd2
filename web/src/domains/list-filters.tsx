import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { useState, type ReactNode, type RefObject } from "react";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { domainsWords } from "../words/domains.ts";
import { labelsInUse } from "../zone/domain-queries.ts";
import styles from "./domains.module.css";

const text = domainsWords;

interface ListSearch {
  search?: string | undefined;
  status?: string | undefined;
  tag?: string | undefined;
  group?: string | undefined;
  view?: string | undefined;
  provider?: string | undefined;
  drift?: string | undefined;
  sort?: string | undefined;
}

interface ListFiltersProps {
  search: ListSearch;
  configs: RouterOutputs["providerConfigs"]["list"]["configs"];
  field: RefObject<HTMLInputElement | null>;
  onFilter: (changes: ListSearch) => void;
  /** The keyboard leaves the search for the rows. */
  onLeave: () => void;
  children: ReactNode;
}

/** The filters of the list. Those for groups and views appear where there are some. */
export function ListFilters({ search, configs, field: input, onFilter, onLeave, children }: ListFiltersProps) {
  const { data: labels } = useQuery(labelsInUse);
  const tags = labels?.tags ?? [];
  const groups = labels?.groups ?? [];
  const views = labels?.views ?? [];
  /** Where there is little width, the filters unfold. */
  const [isOpen, setIsOpen] = useState(false);
  const { search: _, sort: __, ...chosen } = search;
  const count = Object.values(chosen).filter((value) => value !== undefined).length;
  return (
    <div className={styles["tools"]}>
      <input
        ref={input}
        type="search"
        className={field["input"]}
        placeholder={text.search}
        aria-label={text.search}
        aria-keyshortcuts="/"
        maxLength={253}
        value={search.search ?? ""}
        onChange={(event) => onFilter({ search: event.target.value || undefined })}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
          event.preventDefault();
          onLeave();
        }}
      />
      <Button className={styles["fold"] ?? ""} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {text.filters} {count > 0 ? <strong>{count}</strong> : null}
      </Button>
      <div className={styles["filters"]} data-open={isOpen || undefined}>
        <Filter
          label={text.status}
          any={text.anyStatus}
          value={search.status}
          options={Object.entries(text.statuses)}
          onValue={(status) => onFilter({ status })}
        />
        {tags.length > 0 || search.tag !== undefined ? (
          <Filter
            label={text.tags}
            any={text.anyTag}
            value={search.tag}
            options={tags.map(({ name }) => [name, name])}
            onValue={(tag) => onFilter({ tag })}
          />
        ) : null}
        {groups.length > 0 || search.group !== undefined ? (
          <Filter
            label={text.group}
            any={text.anyGroup}
            value={search.group}
            options={groups.map(({ name }) => [name, name])}
            onValue={(group) => onFilter({ group })}
          />
        ) : null}
        {views.some(({ name }) => name !== "") || search.view !== undefined ? (
          <Filter
            label={text.view}
            any={text.anyView}
            value={search.view}
            options={views.map(({ name }) => (name === "" ? ["default", text.defaultView] : [name, name]))}
            onValue={(view) => onFilter({ view })}
          />
        ) : null}
        {configs.length > 1 || search.provider !== undefined ? (
          <Filter
            label={text.provider}
            any={text.anyProvider}
            value={search.provider}
            options={configs.map(({ id, name }) => [id, name])}
            onValue={(provider) => onFilter({ provider })}
          />
        ) : null}
        <Filter
          label={text.drift}
          any={text.anyDrift}
          value={search.drift}
          options={[
            ["true", text.driftOnly],
            ["false", text.syncOnly],
          ]}
          onValue={(drift) => onFilter({ drift })}
        />
      </div>
      {children}
    </div>
  );
}

interface FilterProps {
  label: string;
  any: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  onValue: (value: string | undefined) => void;
}

function Filter({ label, any, value, options, onValue }: FilterProps) {
  const unknown = value !== undefined && !options.some(([key]) => key === value);
  return (
    <select
      className={`${field["input"]} ${value === undefined ? "" : styles["chosen"]}`}
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onValue(event.target.value || undefined)}
    >
      <option value="">{any}</option>
      {unknown ? <option value={value}>{value}</option> : null}
      {options.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}
