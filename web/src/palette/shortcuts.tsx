import { lazy, Suspense, useEffect, useLayoutEffect, useState } from "react";
import { isTyping } from "../ui/is-typing.ts";
import { patiently } from "../ui/patiently.ts";

const loadPalette = async () => await import("./palette.tsx");
const Palette = lazy(patiently(async () => ({ default: (await loadPalette()).Palette })));
/** Long after the first page is complete, so that the first characters after the key are not lost. */
const loadAfterMilliseconds = 2_000;
const KeysDialog = lazy(patiently(async () => ({ default: (await import("./keys-dialog.tsx")).KeysDialog })));

interface ShortcutsProps {
  /** Whether shortcuts use ⌘. */
  mac: boolean;
  onSignOut: () => void;
}

type Shown = "palette" | "keys" | null;

/** The palette and the list of keys, with the keys that open them. Their code arrives after the first page. */
export function useShortcuts({ mac, onSignOut }: ShortcutsProps) {
  const [shown, setShown] = useState<Shown>(null);
  // Before the page is seen: who sees it may press at once.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, metaKey, ctrlKey, altKey } = event;
      if (key.toLowerCase() === "k" && (mac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !altKey) {
        event.preventDefault();
        setShown((now) => (now === "palette" ? null : "palette"));
      } else if (key === "?" && !metaKey && !ctrlKey && !altKey && !isTyping(event.target)) {
        event.preventDefault();
        setShown("keys");
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [mac]);
  useEffect(() => {
    const wait = setTimeout(() => void loadPalette().catch(() => undefined), loadAfterMilliseconds);
    return () => clearTimeout(wait);
  }, []);
  const close = () => setShown(null);
  return {
    openPalette: () => setShown("palette"),
    dialogs: (
      <Suspense fallback={null}>
        {shown === "palette" ? <Palette onClose={close} onKeys={() => setShown("keys")} onSignOut={onSignOut} /> : null}
        {shown === "keys" ? <KeysDialog mac={mac} onClose={close} /> : null}
      </Suspense>
    ),
  };
}
