import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { adminWords } from "../words/admin.ts";
import { locale } from "../words/language.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { PersonFilter } from "./person-filter.tsx";
import styles from "./admin.module.css";

const text = adminWords.audit;

/** What the address of the page may have. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  /** Id of a domain, also of one that is gone. */
  domain?: string | undefined;
  /** Name of a domain, as it is typed. */
  zone?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

interface AuditFiltersProps {
  search: AuditSearch;
  /** What the field of the zone shows. */
  zone: string;
  zoneError: string | null;
  onFilter: (changes: AuditSearch) => void;
  onClear: () => void;
}

const order = new Intl.Collator(locale);
const titles = Object.entries(text.actions)
  .map(([value, { title }]) => ({ value, label: title }))
  .toSorted((one, other) => order.compare(one.label, other.label));

/** By whom, about which zone, what and when. On a phone they are behind a heading. */
export function AuditFilters({ search, zone, zoneError, onFilter, onClear }: AuditFiltersProps) {
  const { actor, action, target, domain, from, until } = search;
  /** How often all filters were cleared, with what was typed for a person. */
  const [clears, setClears] = useState(0);
  const isFiltered = [actor, action, target, domain, search.zone, from, until].some(Boolean);
  // An action of an earlier version, or one that somebody wrote into the address.
  const actions =
    action === undefined || action in text.actions ? titles : [{ value: action, label: action }, ...titles];
  const [isOpen, setIsOpen] = useState(() => isFiltered || matchMedia("(min-width: 761px)").matches);
  return (
    <details className={styles["filters"]} open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{text.filters}</summary>
      <div>
        <PersonFilter key={clears} text={text} present={actor} onPerson={(id) => onFilter({ actor: id })} />
        <ZoneField
          label={text.zone}
          hint={null}
          value={zone}
          error={zoneError}
          onValue={(typed) => onFilter({ zone: typed || undefined, domain: undefined })}
        />
        <SelectField
          label={text.action}
          value={action ?? ""}
          options={[{ value: "", label: text.anyAction }, ...actions]}
          onValue={(chosen) => onFilter({ action: chosen || undefined })}
        />
        <TextField
          type="date"
          label={text.from}
          value={from ?? ""}
          onValue={(day) => onFilter({ from: day || undefined })}
        />
        <TextField
          type="date"
          label={text.until}
          value={until ?? ""}
          onValue={(day) => onFilter({ until: day || undefined })}
        />
      </div>
      {isFiltered ? (
        <p>
          {target === undefined ? null : text.onlyTarget}{" "}
          <Button
            kind="quiet"
            onClick={() => {
              setClears(clears + 1);
              onClear();
            }}
          >
            {text.clear}
          </Button>
        </p>
      ) : null}
    </details>
  );
}
