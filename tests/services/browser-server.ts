import { chromium } from "playwright-core";
import { binary } from "../support/binaries.ts";
import { lanName } from "../support/console.ts";

/** Starts the browser that all files of the console share. Each has contexts of its own there, see `useConsole`. */
export default async function setup(): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer({
    executablePath: binary("chromium-headless-shell"),
    args: ["--no-sandbox", `--host-resolver-rules=MAP ${lanName} 127.0.0.1`],
    host: "127.0.0.1",
  });
  process.env["TEST_BROWSER"] = browser.wsEndpoint();
  return () => browser.close();
}
