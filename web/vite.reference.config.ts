import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The API reference: a page of its own, so that nobody loads the console for it, or it for the console. */
export default defineConfig({
  root: join(import.meta.dirname, "src/reference"),
  base: "/api/docs/",
  publicDir: join(import.meta.dirname, "public"),
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, "dist-reference"),
    emptyOutDir: true,
    target: "es2023",
    // As for the console: the policy allows no inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
