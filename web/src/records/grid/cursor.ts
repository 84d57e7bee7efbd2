/** The columns that the cursor can be in, from left to right. */
export const columns = ["name", "type", "value", "ttl", "note"] as const;
export type Column = (typeof columns)[number];

/** Where the keyboard is in the grid, and which rows are selected. Rows are named by their key, so that they may move. */
export interface Cursor {
  /** The index of the active row. */
  row: number;
  column: Column;
  /** The row from which Shift extends the selection. */
  anchor: number | null;
}

export const start: Cursor = { row: 0, column: "name", anchor: null };

/** Keys that move the cursor. */
export interface Press {
  key: string;
  shift: boolean;
  /** Ctrl or ⌘. */
  mod: boolean;
}

/**
 * Moves the cursor. Returns null for a key that does not move it.
 * @param count the number of rows
 * @param page the number of rows in view
 */
export function move(cursor: Cursor, press: Press, count: number, page: number): Cursor | null {
  const last = Math.max(0, count - 1);
  const to = rowAfter(cursor.row, press, last, Math.max(1, page - 1));
  if (to !== null) {
    const row = Math.min(last, Math.max(0, to));
    return { ...cursor, row, anchor: press.shift ? (cursor.anchor ?? cursor.row) : null };
  }
  const at = columns.indexOf(cursor.column);
  const next = columnAfter(at, press);
  return next === null
    ? null
    : { ...cursor, column: columns[Math.min(columns.length - 1, Math.max(0, next))] ?? "name" };
}

function rowAfter(row: number, { key, mod }: Press, last: number, page: number): number | null {
  switch (key) {
    case "ArrowDown":
      return mod ? last : row + 1;
    case "ArrowUp":
      return mod ? 0 : row - 1;
    case "PageDown":
      return row + page;
    case "PageUp":
      return row - page;
    case "Home":
      return mod ? 0 : null;
    case "End":
      return mod ? last : null;
    default:
      return null;
  }
}

function columnAfter(at: number, { key, mod }: Press): number | null {
  if (key === "ArrowRight" && !mod) return at + 1;
  if (key === "ArrowLeft" && !mod) return at - 1;
  if (key === "Home" && !mod) return 0;
  return key === "End" && !mod ? columns.length - 1 : null;
}

/** The first and last index between the anchor and the active row. */
export function range({ row, anchor }: Cursor): { first: number; last: number } {
  const other = anchor ?? row;
  return { first: Math.min(row, other), last: Math.max(row, other) };
}
