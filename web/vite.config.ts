import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** Packages that every page needs. */
const always =
  /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?:react-router|router-core|history|query-core|react-query|store|react-store)|@trpc|superjson|copy-anything|is-what|use-sync-external-store)\/|client-sdk\/src\//;

/** `npm run dev` serves the console with a running service behind it, on its usual port. */
const service = "http://127.0.0.1:3000";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The client is built from its source.
  resolve: {
    conditions: ["zonewright-source", ...defaultClientConditions],
    // The pure model of server/dns runs in the browser, too.
    alias: {
      "node:net": join(import.meta.dirname, "src/shims/net.ts"),
      "node:url": join(import.meta.dirname, "src/shims/url.ts"),
    },
  },
  build: {
    target: "es2023",
    // Inlined assets would need data: in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      transform: { inject: { Buffer: ["buffer/", "Buffer"] } },
      // What every page needs, in one file: it compresses better, and changes only with its packages.
      output: { codeSplitting: { groups: [{ name: "packages", test: always }] } },
    },
  },
  server: { proxy: { "/api": service, "/trpc": service } },
});
