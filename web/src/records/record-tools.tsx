import type { Ref } from "react";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { recordsWords } from "../words/records.ts";
import styles from "./records.module.css";

const text = recordsWords;

interface RecordToolsProps {
  /** The filter's field, for the key that leads to it. */
  ref: Ref<HTMLInputElement>;
  search: string;
  onSearch: (search: string) => void;
  types: readonly (readonly [type: string, count: number])[];
  type: string;
  onType: (type: string) => void;
  /** How many records are selected. */
  selected: number;
  onTtl: () => void;
  onValue: () => void;
  onCopy: () => void;
  onDelete: () => void;
  onClear: () => void;
  /** Null for people who may only read. */
  onAdd: (() => void) | null;
}

/** The bar above the grid: the filter, the types or what can be done with the selection, and a new record. */
export function RecordTools(props: RecordToolsProps) {
  const { ref, search, onSearch, selected, onAdd } = props;
  return (
    <div className={styles["tools"]}>
      <input
        ref={ref}
        type="search"
        className={`${field["input"]} ${styles["filter"]}`}
        placeholder={`${text.filter}  /`}
        aria-label={text.filter}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      {selected > 0 ? (
        <div className={styles["selection"]}>
          <span>{text.selected(formatNumber(selected))}</span>
          <Button onClick={props.onTtl}>{text.setTtl}</Button>
          <Button onClick={props.onValue}>{text.setValue}</Button>
          <Button onClick={props.onCopy}>{text.copyLines}</Button>
          <Button kind="danger" onClick={props.onDelete}>
            {text.deleteSelected}
          </Button>
          <Button kind="quiet" onClick={props.onClear}>
            {text.clearSelection}
          </Button>
        </div>
      ) : (
        <TypeButtons {...props} />
      )}
      {onAdd ? (
        <Button kind="primary" className={styles["push"]} onClick={onAdd} aria-keyshortcuts="N">
          {text.add}
        </Button>
      ) : null}
    </div>
  );
}

function TypeButtons({ types, type, onType }: Pick<RecordToolsProps, "types" | "type" | "onType">) {
  return (
    <div className={styles["types"]} role="group" aria-label={text.types}>
      <button type="button" aria-pressed={type === ""} onClick={() => onType("")}>
        {text.all}
      </button>
      {types.slice(0, 7).map(([name, count]) => (
        <button key={name} type="button" aria-pressed={type === name} onClick={() => onType(type === name ? "" : name)}>
          {name}
          <i>{formatNumber(count)}</i>
        </button>
      ))}
    </div>
  );
}
