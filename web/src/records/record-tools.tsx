import { Ellipsis } from "lucide-react";
import type { Ref } from "react";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { Menu, type MenuProps } from "../ui/menu.tsx";
import { recordsWords } from "../words/records.ts";
import { disabledOnly } from "./grid/rows.ts";
import styles from "./records.module.css";

const text = recordsWords;

interface RecordToolsProps {
  /** The filter's field, for the key that leads to it. */
  ref: Ref<HTMLInputElement>;
  search: string;
  onSearch: (search: string) => void;
  types: readonly (readonly [type: string, count: number])[];
  /** How many records DNS does not have. */
  disabled: number;
  type: string;
  onType: (type: string) => void;
  /** Goes on to the records. */
  onLeave: () => void;
  /** How many records are selected. */
  selected: number;
  onTtl: () => void;
  onValue: () => void;
  onCopy: () => void;
  onDelete: () => void;
  onClear: () => void;
  /** Null for people who may only read. */
  onAdd: (() => void) | null;
  /** What can be done with the zone as a whole. */
  menu: MenuProps["groups"];
}

/** The bar above the grid: the filter, the types or what can be done with the selection, and a new record. */
export function RecordTools(props: RecordToolsProps) {
  const { ref, search, onSearch, onLeave, selected, onAdd } = props;
  return (
    <div className={styles["tools"]} data-selecting={selected > 0 || undefined}>
      <input
        ref={ref}
        type="search"
        className={`${field["input"]} ${styles["filter"]}`}
        placeholder={`${text.filter}  /`}
        aria-label={text.filter}
        maxLength={1_000}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
          event.preventDefault();
          onLeave();
        }}
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
        <TypeFilter {...props} />
      )}
      <div className={styles["push"]}>
        <Menu
          trigger={
            <Button icon aria-label={text.zoneActions}>
              <Ellipsis aria-hidden />
            </Button>
          }
          groups={props.menu}
        />
        {onAdd ? (
          <Button kind="primary" onClick={onAdd} aria-keyshortcuts="Alt+N Insert">
            {text.add}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** As many types as have a button; a list has the others, and all of them where there is little room. */
const mostButtons = 7;

function TypeFilter({
  types,
  disabled,
  type,
  onType,
}: Pick<RecordToolsProps, "types" | "disabled" | "type" | "onType">) {
  // A type of the address may have no record.
  const isKnown = type === "" || type === disabledOnly || types.some(([name]) => name === type);
  const known = isKnown ? types : [...types, [type, 0] as const];
  const hasDisabled = disabled > 0 || type === disabledOnly;
  return (
    <>
      <div className={styles["types"]} role="group" aria-label={text.types}>
        <button type="button" aria-pressed={type === ""} onClick={() => onType("")}>
          {text.all}
        </button>
        {known.slice(0, mostButtons).map(([name, count]) => (
          <button
            key={name}
            type="button"
            aria-pressed={type === name}
            onClick={() => onType(type === name ? "" : name)}
          >
            {name}
            <i>{formatNumber(count)}</i>
          </button>
        ))}
        {hasDisabled ? (
          <button
            type="button"
            aria-pressed={type === disabledOnly}
            title={text.disabledHint}
            onClick={() => onType(type === disabledOnly ? "" : disabledOnly)}
          >
            {text.disabled}
            <i>{formatNumber(disabled)}</i>
          </button>
        ) : null}
      </div>
      <select
        className={`${field["input"]} ${styles["typeList"]} ${known.length <= mostButtons ? styles["narrowOnly"] : ""}`}
        aria-label={text.types}
        value={type}
        onChange={(event) => onType(event.target.value)}
      >
        <option value="">{text.allTypes}</option>
        {known.map(([name, count]) => (
          <option key={name} value={name}>
            {name} ({formatNumber(count)})
          </option>
        ))}
        {hasDisabled ? (
          <option value={disabledOnly}>
            {text.disabled} ({formatNumber(disabled)})
          </option>
        ) : null}
      </select>
    </>
  );
}
