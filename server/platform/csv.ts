/**
 * Returns a row of a table (RFC 4180). An apostrophe precedes cells that a spreadsheet would take for a formula, and those that look like a
 * cell with such an apostrophe, so that a reader can take it away again.
 */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(text: string): string {
  const plain = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\r\n]|^\s|\s$/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
