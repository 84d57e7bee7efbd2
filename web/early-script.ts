import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";

/** What is asked for before the console runs: the address of a page or a language, and the files that they begin with. */
const pages = {
  de: ["words/de.ts"],
  "/": ["domains/list-page.tsx"],
  "/d/": ["zone/zone-page.tsx", "records/records-page.tsx"],
};

const source = join(import.meta.dirname, "src");
const early = join(source, "early.ts");

/**
 * Puts `src/early.ts` into the page as a script of its own, before the console: it is small, so it runs while the rest is on its way. The
 * page carries the names of the files that it asks for.
 */
export function earlyScript(): Plugin {
  return {
    name: "early-script",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "chunk", id: early });
    },
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const chunkOf = (module: string) => {
          const found = chunks.find(({ facadeModuleId }) => facadeModuleId === module);
          if (!found) throw new Error(`${module} has no file of its own in the build.`);
          return found;
        };
        const entry = chunks.filter(({ isEntry, facadeModuleId }) => isEntry && facadeModuleId !== early);
        const known = new Set(filesOf(entry, chunks));
        const files = Object.entries(pages).map(([path, modules]) => {
          const begun = modules.map((module) => chunkOf(join(source, module)));
          return [path, filesOf(begun, chunks).filter((file) => !known.has(file))] as const;
        });
        const names = JSON.stringify(Object.fromEntries(files)).replaceAll('"', "&quot;");
        // Before the other scripts, because a browser has few connections, and after the encoding.
        return html.replace(
          /<meta charset="utf-8" \/>/,
          (encoding) =>
            `${encoding}\n    <meta name="zonewright-pages" content="${names}" />` +
            `\n    <script type="module" async src="/${chunkOf(early).fileName}"></script>`,
        );
      },
    },
  };
}

/** The files that must be there before the given ones run, and their styles. */
function filesOf(begun: readonly Rolldown.OutputChunk[], chunks: readonly Rolldown.OutputChunk[]): string[] {
  const names = new Set<string>();
  const add = (chunk: Rolldown.OutputChunk) => {
    if (names.has(chunk.fileName)) return;
    names.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) names.add(style);
    for (const name of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === name);
      if (imported) add(imported);
    }
  };
  for (const chunk of begun) add(chunk);
  return [...names];
}
