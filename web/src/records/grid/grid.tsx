import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isTyping } from "../../ui/is-typing.ts";
import { altLetter } from "../../ui/alt-letter.ts";
import { formatNumber } from "../../ui/format.ts";
import { usePrinting } from "../../ui/printing.ts";
import type { Rows } from "../../ui/use-rows.ts";
import { recordsWords } from "../../words/records.ts";
import { words } from "../../words/words.ts";
import type { Fields } from "../../zone/draft/draft.ts";
import type { ShownClash } from "../draft/use-clashes.ts";
import { columns, move, range, type Column, type Cursor } from "./cursor.ts";
import { RowEditor } from "./editor.tsx";
import { cellId, RecordRow, type RowActions } from "./row.tsx";
import { findName, type Row, type RowSource } from "./rows.ts";
import styles from "./grid.module.css";

const text = recordsWords;

/** The selected rows by their key, as they were when they were selected: they may be out of the loaded windows by now. */
export type Selection = ReadonlyMap<string, Row>;

type Keystroke = Pick<
  KeyboardEvent,
  "key" | "code" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey" | "timeStamp" | "preventDefault"
>;

interface GridProps {
  zone: string;
  rows: RowSource;
  view: Rows;
  cursor: Cursor;
  onCursor: (cursor: Cursor) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** The row that is being edited, and the field where the typing began. */
  editing: { key: string; column: Column } | null;
  onEdit: (editing: { key: string; column: Column } | null) => void;
  /** Takes edited fields, with the row as it was when the editing began. */
  onFields: (row: Row, fields: Fields) => void;
  /** Takes what was typed in a row that went out of view while it was edited, with the row as it was when the editing began. */
  onTyped: (row: Row, fields: Fields) => void;
  isReadOnly: (row: Row) => boolean;
  /** Whether the row's record can be locked, or have an owner and a review date. */
  hasDetails: (row: Row) => boolean;
  /** The types that a record can have, as far as the reader may write them. */
  types: readonly string[];
  /** Why the reader may not change a record of that name and type; null if they may. */
  refusalAt: (place: { name: string; recordType: string }) => string | null;
  /** The types that Zonewright can edit at all. */
  editable: Pick<ReadonlySet<string>, "has">;
  faultsOf: (row: Row) => readonly string[];
  warningsOf: (row: Row) => readonly string[];
  /** What others did to the draft's records, by the key of the row. */
  clashes: ReadonlyMap<string, ShownClash>;
  live: ReadonlySet<string>;
  /** What the keys and menus do that is not about moving. */
  commands: {
    add: () => void;
    remove: (rows: readonly Row[]) => void;
    keepMine: (clash: ShownClash) => void;
    takeTheirs: (clash: ShownClash) => void;
    takeBack: (key: string) => void;
    duplicate: (row: Row) => void;
    /** Disables a record, or enables it. */
    switch: (row: Row) => void;
    details: (row: Row) => void;
    served: (row: Row) => void;
    history: (row: Row) => void;
    copy: (rows: readonly Row[]) => void;
    setTtl: (rows: readonly Row[]) => void;
    setValue: (rows: readonly Row[]) => void;
    stepBack: () => void;
    stepForward: () => void;
    review: () => void;
    focusFilter: () => void;
    selectAll: () => void;
  };
}

/** The records of a zone as a grid with one tab stop. */
export function Grid(props: GridProps) {
  const { zone, rows, view, cursor, onCursor, selection, onSelection, editing, onEdit, commands } = props;
  const grid = useRef<HTMLDivElement>(null);
  const { virtualizer, container } = view;
  const latest = useRef(props);
  // Before the rows are seen: a press acts on the row that is shown.
  useLayoutEffect(() => {
    latest.current = props;
  });
  const typed = useRef({ text: "", at: 0 });
  const active = rows.at(cursor.row);
  const [focused, setFocused] = useState(false);

  // After an edit the keyboard is in the grid again.
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && editing === null) grid.current?.focus({ preventScroll: true });
    wasEditing.current = editing !== null;
  }, [editing]);

  const actions = useMemo<RowActions>(() => {
    const at = (index: number) => latest.current.rows.at(index);
    return {
      // As in spreadsheets: a click ends the selection, so that the next key acts on the row that was clicked.
      activate: (index, column, { shiftKey, ctrlKey, metaKey }) => {
        const { cursor, selection, onCursor, onSelection, isReadOnly } = latest.current;
        const next = { row: index, column, anchor: shiftKey ? (cursor.anchor ?? cursor.row) : null };
        const row = at(index);
        onCursor(next);
        if (shiftKey) onSelection(withRange(selection, latest.current, cursor, next));
        else if (!ctrlKey && !metaKey) onSelection(new Map());
        else if (row && !isReadOnly(row)) onSelection(toggled(selection, row));
        grid.current?.focus({ preventScroll: true });
      },
      select: (index, extend) => {
        const { cursor, selection, onCursor, onSelection } = latest.current;
        if (extend) {
          const next = { ...cursor, row: index, anchor: cursor.anchor ?? cursor.row };
          onSelection(withRange(selection, latest.current, cursor, next));
          onCursor(next);
        } else {
          const row = at(index);
          if (row) onSelection(toggled(selection, row));
          onCursor({ ...cursor, row: index, anchor: null });
        }
        grid.current?.focus({ preventScroll: true });
      },
      edit: (index, column) => {
        const row = at(index);
        if (!row || latest.current.isReadOnly(row)) return;
        latest.current.onCursor({ row: index, column, anchor: null });
        latest.current.onEdit({ key: row.key, column: column === "type" && row.record ? "value" : column });
      },
      point: (index) => {
        const { cursor, onCursor } = latest.current;
        if (cursor.row !== index) onCursor({ ...cursor, row: index, anchor: null });
      },
      remove: (index) => {
        const row = at(index);
        if (row) latest.current.commands.remove([row]);
      },
      keepMine: (clash) => {
        latest.current.commands.keepMine(clash);
        grid.current?.focus({ preventScroll: true });
      },
      takeTheirs: (clash) => {
        latest.current.commands.takeTheirs(clash);
        grid.current?.focus({ preventScroll: true });
      },
      takeBack: (key) => latest.current.commands.takeBack(key),
      duplicate: (row) => latest.current.commands.duplicate(row),
      switch: (row) => latest.current.commands.switch(row),
      details: (row) => latest.current.commands.details(row),
      served: (row) => latest.current.commands.served(row),
      history: (row) => latest.current.commands.history(row),
      copy: (row) => latest.current.commands.copy([row]),
    };
  }, []);

  /** The selected rows, or else the active one. */
  const chosen = () => (selection.size > 0 ? [...selection.values()] : active ? [active] : []);

  const go = (next: Cursor, extend: boolean) => {
    onCursor(next);
    if (extend) onSelection(withRange(selection, props, cursor, next));
    virtualizer.scrollToIndex(next.row);
  };

  /** Opens the menu of the active row. */
  const openMenu = () => {
    const cell = active && document.getElementById(cellId(active.key, cursor.column));
    cell?.closest("[role=row]")?.querySelector<HTMLElement>("[aria-haspopup=menu]")?.click();
  };

  const command = (event: Keystroke, mod: boolean): boolean => {
    if (mod) {
      const withMod: Readonly<Record<string, () => void>> = event.shiftKey
        ? { z: commands.stepForward }
        : {
            a: commands.selectAll,
            c: () => commands.copy(chosen()),
            z: commands.stepBack,
            y: commands.stepForward,
            enter: commands.review,
          };
      // Caps Lock makes capitals.
      const key = event.key.toLowerCase();
      const run = withMod[key];
      // A text that is selected on the page is what people mean to copy.
      if (!run || (key === "c" && getSelection()?.type === "Range")) return false;
      run();
      return true;
    }
    if (event.altKey) {
      const withAlt: Readonly<Record<string, () => void>> = {
        n: commands.add,
        d: () => commands.remove(chosen()),
        t: () => commands.setTtl(chosen()),
        v: () => commands.setValue(chosen()),
      };
      const run = withAlt[altLetter(event) ?? ""];
      run?.();
      return run !== undefined;
    }
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      openMenu();
      return true;
    }
    const now = event.timeStamp;
    const continuing = typed.current.text !== "" && now - typed.current.at < 700;
    const plain: Readonly<Record<string, () => void>> = {
      Enter: () => active && actions.edit(cursor.row, cursor.column),
      " ": () => active && !props.isReadOnly(active) && onSelection(toggled(selection, active)),
      Escape: () => onSelection(new Map()),
      Insert: commands.add,
      Delete: () => commands.remove(chosen()),
      // Names of reverse zones contain slashes (RFC 2317).
      ...(!continuing && { "/": commands.focusFilter }),
    };
    const run = plain[event.key];
    if (run) {
      typed.current.text = "";
      run();
      return true;
    }
    // Letters search by name, and do nothing else: a command would be one letter away from a name that begins with it.
    if (event.key.length !== 1) return false;
    typed.current = { text: (continuing ? typed.current.text : "") + event.key, at: now };
    const found = findName(rows, cursor.row, typed.current.text);
    if (found !== null) go({ ...cursor, row: found, anchor: null }, false);
    return true;
  };

  const onKeyDown = (event: Keystroke) => {
    const mod = event.metaKey || event.ctrlKey;
    const page = Math.floor((virtualizer.scrollRect?.height ?? 600) / 34);
    const moved = event.altKey ? null : move(cursor, { key: event.key, shift: event.shiftKey, mod }, rows.count, page);
    if (moved) {
      event.preventDefault();
      typed.current.text = "";
      go(moved, event.shiftKey && moved.row !== cursor.row);
      return;
    }
    if (command(event, mod)) event.preventDefault();
  };
  // Who comes from the palette or a list goes on by keyboard: then the page around the grid has the focus.
  const onPageKey = useEffectEvent((event: Keystroke & { target: EventTarget | null }) => {
    const { current } = grid;
    if (!current || !(event.target instanceof Element) || event.target === current) return;
    const steps = (event.metaKey || event.ctrlKey) && /^[yz]$/iu.test(event.key);
    // A step back or forward is meant wherever a press has left the focus, but for fields and what lies over the page.
    const isMeant = event.target.contains(current)
      ? event.key !== "Tab"
      : steps && editing === null && !isTyping(event.target) && !event.target.closest("[role=alertdialog]");
    if (!isMeant) return;
    current.focus({ preventScroll: true });
    onKeyDown(event);
  });
  useLayoutEffect(() => {
    addEventListener("keydown", onPageKey);
    return () => removeEventListener("keydown", onPageKey);
  }, []);

  const items = virtualizer.getVirtualItems();
  const isPrinting = usePrinting();
  const printed = items.filter(({ index }) => rows.at(index)).length;
  const allSelected = selection.size > 0 && selection.size >= rows.count;
  return (
    <div
      ref={grid}
      className={styles["grid"]}
      role="grid"
      tabIndex={0}
      aria-label={text.grid(zone)}
      aria-rowcount={rows.count + 1}
      aria-colcount={columns.length + 3}
      aria-multiselectable
      aria-activedescendant={active && editing === null ? cellId(active.key, cursor.column) : undefined}
      onKeyDown={(event) => event.target === event.currentTarget && onKeyDown(event)}
      onFocus={(event) => setFocused(event.target === event.currentTarget)}
      onBlur={() => setFocused(false)}
    >
      <div className={`${styles["row"]} ${styles["head"]}`} role="row" aria-rowindex={1}>
        <span />
        <span className={styles["check"]} role="columnheader">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={text.selectAll}
            checked={allSelected}
            onChange={() => {
              if (allSelected) onSelection(new Map());
              else commands.selectAll();
              grid.current?.focus({ preventScroll: true });
            }}
          />
        </span>
        {[text.name, text.type, text.value, text.ttl, text.note, text.changed].map((label) => (
          <span key={label} role="columnheader">
            {label}
          </span>
        ))}
        <span role="columnheader">
          <span className="sr">{words.ui.more}</span>
        </span>
      </div>
      <div ref={container} className={styles["body"]} role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows.at(item.index);
          return (
            <div
              key={row?.key ?? item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className={styles["slot"]}
              role="presentation"
              style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
            >
              {row === undefined ? (
                <div className={styles["row"]} role="row" aria-rowindex={item.index + 2}>
                  <span className={styles["skeleton"]} role="gridcell" aria-busy aria-label={words.ui.loading} />
                </div>
              ) : editing?.key === row.key ? (
                <div role="row" aria-rowindex={item.index + 2}>
                  <div role="gridcell">
                    <RowEditor
                      row={row}
                      column={editing.column}
                      zone={zone}
                      types={props.types}
                      refusalAt={props.refusalAt}
                      onDone={(begun, fields) => {
                        props.onFields(begun, fields);
                        onEdit(null);
                      }}
                      onCancel={() => onEdit(null)}
                      onLeft={props.onTyped}
                    />
                  </div>
                </div>
              ) : (
                <RecordRow
                  row={row}
                  index={item.index}
                  column={focused && item.index === cursor.row ? cursor.column : null}
                  selected={selection.has(row.key)}
                  live={props.live.has(row.key)}
                  readOnly={props.isReadOnly(row)}
                  hasDetails={props.hasDetails(row)}
                  typeIsEditable={props.editable.has(row.fields.recordType)}
                  faults={props.faultsOf(row)}
                  warnings={props.warningsOf(row)}
                  clash={props.clashes.get(row.key) ?? null}
                  actions={actions}
                />
              )}
            </div>
          );
        })}
      </div>
      {isPrinting && printed < rows.count ? (
        <p className={styles["part"]}>{text.printedPart(formatNumber(printed), formatNumber(rows.count))}</p>
      ) : null}
    </div>
  );
}

function toggled(selection: Selection, row: Row): Selection {
  const next = new Map(selection);
  if (!next.delete(row.key)) next.set(row.key, row);
  return next;
}

/** Selects from the anchor to the cursor, in place of what had been selected from there. */
function withRange(
  selection: Selection,
  { rows, isReadOnly }: Pick<GridProps, "rows" | "isReadOnly">,
  before: Cursor,
  cursor: Cursor,
): Selection {
  const next = new Map(selection);
  if (before.anchor !== null) {
    const { first, last } = range(before);
    for (let index = first; index <= last; index += 1) next.delete(rows.at(index)?.key ?? "");
  }
  const { first, last } = range(cursor);
  for (let index = first; index <= last; index += 1) {
    const row = rows.at(index);
    if (row && !isReadOnly(row)) next.set(row.key, row);
  }
  return next;
}
