import { basename, join } from "node:path";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { earlyScript } from "./early-script.ts";
import { deliveredLicenses } from "./licenses.ts";

/** Packages that every page needs. Lists that go on endlessly are on few. */
const always =
  /^(?!.*[iI]nfiniteQuery(?:Observer)?\.js)(?:.*)(?:node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?:react-router|router-core|history|query-core|react-query|store|react-store)|@trpc|superjson|copy-anything|is-what|use-sync-external-store)\/|client-sdk\/src\/)/;

/** Files of our own and icons, but no texts: those come with their pages. Nor the stand-ins for Node: what reads names needs them. */
const shared = /web\/src\/(?!words\/|main|ui\/field|shims\/)|node_modules\/lucide-react\//;

/** What the list of domains and the records of a zone share. */
const lists =
  /web\/src\/(?:zone\/domain-queries|ui\/(?:use-page-keys|printing|use-rows|use-windows|alt-letter|field\.module))|node_modules\/@tanstack\/(?:react-virtual|virtual-core)\/|lucide-react\/dist\/esm\/icons\/(?:download|plus|search)\./;

/** What the pages of a zone share, and small files that its records share with other pages. */
const zone =
  /web\/src\/(?:zone\/(?:rights|review-rule|own-rights|assigned-rights|automatic-ttl|ttl\.|use-provider-configs|zone\.module|export-entries|draft\/)|words\/(?:en\/)?zone\.|ui\/(?:pasted|ttl|copy\.|save-file|use-settled|menu\.|not-found)|records\/present-records)|lucide-react\/dist\/esm\/icons\/(?:columns-2|compass|copy|ellipsis|pencil)\./;

/** What the frame of every page loads once the page is there: the rest of the rail, and the stream of changes. */
const frame =
  /web\/src\/(?:live\/(?!live-connection)|session\/preferences|shell\/admin-pages|palette\/palette\.module|ui\/(?:channel|unique-text)|words\/(?:en\/)?(?:menu|palette|pins|portfolio|reverse|secondaries)\.)|lucide-react\/dist\/esm\/icons\/(?:arrow-left-right|badge-check|bookmark|key-round|key-square|megaphone|pin|plug|scroll-text|server|ticket|user|user-round-check|users|x)\./;

/** What every dialog and menu lies on. */
const layers = /node_modules\/@(?:base-ui|floating-ui)\//;

/** What signing in and confirming who one is share. */
const session =
  /web\/src\/(?:session\/(?:journey|session\.module)|ui\/(?:field\.tsx|passkeys)|words\/(?:en\/)?session\.)/;

/** `npm run dev` serves the console with a running service behind it, on its usual port. */
const service = "http://127.0.0.1:3000";

const styles = new Map<string, string>();

/** `grid-row` for `.row` in grid.module.css: without the usual hash, names take less of the first page. */
function className(name: string, path: string): string {
  const file = basename(path, ".module.css");
  const known = styles.get(file) ?? path;
  if (known !== path) throw new Error(`${known} and ${path} have the same name, so their classes would, too.`);
  styles.set(file, path);
  return `${file}-${name}`;
}

/** React needs no keys for the parts of an icon: they never change. They are random texts, which do not compress. */
const iconsWithoutKeys = {
  name: "icons-without-keys",
  transform: {
    filter: { id: /lucide-react\/dist\/esm\/icons\// },
    handler: (code: string) => code.replaceAll(/,\s*key: "[a-z\d]+"/g, ""),
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), earlyScript(), iconsWithoutKeys],
  // The client is built from its source.
  resolve: {
    conditions: ["zonewright-source", ...defaultClientConditions],
    // The pure model of server/dns runs in the browser, too.
    alias: {
      "node:net": join(import.meta.dirname, "src/shims/net.ts"),
      "node:timers/promises": join(import.meta.dirname, "src/shims/timers.ts"),
      "node:url": join(import.meta.dirname, "src/shims/url.ts"),
    },
  },
  // Read from the lock file: the console cannot ask what is installed.
  define: { DELIVERED_LICENSES: JSON.stringify(deliveredLicenses()) },
  css: { modules: { generateScopedName: className } },
  build: {
    target: "es2023",
    // Inlined assets would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      // The model is pure: what a page does not call of it can go. So can the client of tRPC for WebSockets, which nothing opens here.
      treeshake: { moduleSideEffects: [{ test: /server\/dns\/|@trpc\/client\/dist\/wsLink/, sideEffects: false }] },
      transform: { inject: { Buffer: ["buffer/", "Buffer"] } },
      // What every page needs, in one file: it compresses better, and changes only with its packages.
      // What many pages share comes in one file as well: each file is a request, and a browser has few connections.
      output: {
        // The entry names a hundred files: hashes shorter than eight characters save 150 bytes of the first page, and still have 36 bits.
        entryFileNames: "assets/[name]-[hash:7].js",
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:6][extname]",
        codeSplitting: {
          groups: [
            { name: "packages", test: always, priority: 2 },
            { name: "shared", test: shared, minShareCount: 10, priority: 1 },
            { name: "lists", test: lists, minShareCount: 2, includeDependenciesRecursively: false },
            { name: "zone", test: zone, includeDependenciesRecursively: false },
            { name: "frame", test: frame, includeDependenciesRecursively: false },
            { name: "session", test: session, includeDependenciesRecursively: false },
            { name: "layers", test: layers, minShareCount: 6, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": service, "/trpc": service } },
});
