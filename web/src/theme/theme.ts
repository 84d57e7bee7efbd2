import { useSyncExternalStore } from "react";
import { local } from "../ui/storage.ts";

/** What a person chose; `system` follows the operating system. */
export type Theme = "system" | "light" | "dark";

const key = "zonewright.theme";
const listeners = new Set<() => void>();
let theme: Theme = stored();

function stored(): Theme {
  const value = local.getItem(key);
  return value === "light" || value === "dark" ? value : "system";
}

/** Applies the stored theme. Call it before the first render, and it follows other tabs from then on. */
export function startTheme(): void {
  apply();
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    theme = stored();
    apply();
  });
}

function apply(): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  for (const listener of listeners) listener();
}

export function setTheme(chosen: Theme): void {
  theme = chosen;
  local.setItem(key, chosen);
  apply();
}

/** The chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
