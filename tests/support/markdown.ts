import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A fenced block of code. */
export interface CodeBlock {
  language: string;
  code: string;
}

export interface Page {
  /** From the root of the repository: `docs/concepts.md`. */
  path: string;
  text: string;
  /** Without its blocks of code. */
  prose: string;
  blocks: CodeBlock[];
}

/** Every page for readers, in the root, in docs/ and examples/ however deep, and in the packages of the client and the command line. */
export async function pages(): Promise<Page[]> {
  const listed = await Promise.all([
    readdir(root),
    ...["cli", "client-sdk"].map(async (folder) => {
      const names = await readdir(join(root, folder));
      return names.map((name) => join(folder, name));
    }),
    ...["docs", "examples"].map(async (folder) => {
      const names = await readdir(join(root, folder), { recursive: true });
      return names.map((name) => join(folder, name));
    }),
  ]);
  const paths = listed.flat().filter((path) => path.endsWith(".md"));
  return await Promise.all(paths.toSorted().map(page));
}

export async function page(path: string): Promise<Page> {
  return pageOf(path, await readFile(join(root, path), "utf8"));
}

function pageOf(path: string, text: string): Page {
  const blocks: CodeBlock[] = [];
  const fences = /^```(\w*)[^\n]*\n(.*?)^```$/gms;
  const prose = text.replaceAll(fences, (_all, language: string, code: string) => {
    blocks.push({ language, code });
    return "";
  });
  return { path, text, prose, blocks };
}

/** The anchors of a page's headings, as the usual hosts of Markdown make them. */
export function anchors({ prose }: Page): Set<string> {
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** The rows of the page's tables whose first column has this heading, cell by cell. */
export function tableRows({ prose }: Page, firstHeading: string): string[][] {
  const rows = prose.split("\n").map((line) =>
    line.startsWith("|")
      ? line
          .slice(1, line.lastIndexOf("|"))
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim())
      : null,
  );
  return rows.flatMap((row, index) => {
    if (row?.[0] !== firstHeading) return [];
    const length = rows.slice(index).findIndex((one) => one === null);
    return rows.slice(index + 2, length === -1 ? undefined : index + length).flatMap((one) => (one ? [one] : []));
  });
}
