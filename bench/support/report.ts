import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

/** A measurement and its comparison. */
export interface Figure {
  what: string;
  /** With its unit. */
  measured: string;
  /** The baseline and exactly what it does; "fixed limit" for a limit that is not measured. */
  baseline: string;
  /** The ratio to the baseline or limit. */
  ratio: number | null;
  /** The range of the ratio over the rounds, if ours and the baseline were measured alternately. */
  spread?: readonly [number, number];
  goal: { least?: number; most?: number } | null;
}

const load = () => (loadavg()[0] ?? 0).toFixed(1);
const loadBefore = load();

function met({ ratio, goal }: Figure): boolean | null {
  if (goal === null || ratio === null) return null;
  return (goal.least === undefined || ratio >= goal.least) && (goal.most === undefined || ratio <= goal.most);
}

/** Returns a measurement against a fixed limit. @param most in the unit of `value` */
export function underLimit(
  what: string,
  measured: string,
  { value, most, unit }: { value: number; most: number; unit: string },
): Figure {
  return { what, measured, baseline: `fixed limit: ${most} ${unit}`, ratio: value / most, goal: { most: 1 } };
}

/** Prints the measurements as a table and writes it to bench/results/. */
export async function report(figures: readonly Figure[]): Promise<void> {
  const rows = figures.map((figure) => [
    figure.what,
    figure.measured,
    figure.baseline,
    figure.ratio === null ? "" : figure.ratio.toFixed(2),
    figure.spread === undefined ? "" : figure.spread.map((ratio) => ratio.toFixed(2)).join("–"),
    goalText(figure),
    { true: "yes", false: "NO", null: "" }[String(met(figure))] ?? "",
  ]);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "cpu"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, load ${loadBefore} before, ${load()} after`;
  const text = `${machine}, ${new Date().toISOString()}\n\n${table([["what", "measured", "compared with", "ratio", "spread", "goal", "met"], ...rows])}\n`;
  const folder = fileURLToPath(new URL("../results/", import.meta.url));
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}latest.md`, text);
  await writeFile(`${folder}latest.json`, `${JSON.stringify(figures, null, 2)}\n`);
  process.stdout.write(`${text}\nwritten to bench/results/latest.md\n`);
}

function goalText({ goal }: Figure): string {
  if (goal === null) return "";
  return [goal.least === undefined ? "" : `≥ ${goal.least}`, goal.most === undefined ? "" : `≤ ${goal.most}`]
    .filter((part) => part !== "")
    .join(", ");
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const printed = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [printed[0], rule, ...printed.slice(1)].join("\n");
}
