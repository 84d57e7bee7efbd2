import "./theme/fonts.css";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/early.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api.ts";
import { createConsoleRouter } from "./routes.tsx";
import { takeReturn } from "./session/external.ts";
import { betterAddress } from "./site.ts";
import { startTheme } from "./theme/theme.ts";
import { Toasts } from "./ui/toast.tsx";
import { loadLanguage } from "./words/language.ts";

async function start(): Promise<void> {
  startTheme();
  takeReturn();
  const root = document.querySelector("#root");
  if (!root) throw new Error("The page has no #root.");
  await loadLanguage();
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={createConsoleRouter()} />
          <Toasts />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

const better = betterAddress(
  location.href,
  document.querySelector('meta[name="zonewright-site"]')?.getAttribute("content"),
);
if (better === null) void start();
else location.replace(better);
