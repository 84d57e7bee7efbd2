import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A fenced block of code. */
export interface CodeBlock {
  language: string;
  code: string;
}

export interface Page {
  /** From the root of the repository: `docs/guide.md`. */
  path: string;
  text: string;
  /** Without its blocks of code. */
  prose: string;
  blocks: CodeBlock[];
}

/** Every page for readers, in the root, docs/ and the client's package. */
export async function pages(): Promise<Page[]> {
  const folders = [root, join(root, "docs"), join(root, "docs/decisions"), join(root, "client-sdk")];
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  const files = listed.flat().filter((file) => file.endsWith(".md"));
  return await Promise.all(files.map(async (file) => pageOf(relative(root, file), await readFile(file, "utf8"))));
}

export async function page(path: string): Promise<Page> {
  return pageOf(path, await readFile(join(root, path), "utf8"));
}

function pageOf(path: string, text: string): Page {
  const blocks: CodeBlock[] = [];
  const prose = text.replaceAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms, (_all, language: string, code: string) => {
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
