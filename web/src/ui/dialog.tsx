import { lazy, Suspense } from "react";
import type { DialogProps } from "./dialog-popup.tsx";
import { patiently } from "./patiently.ts";

const DialogPopup = lazy(patiently(async () => ({ default: (await import("./dialog-popup.tsx")).DialogPopup })));

/** A modal dialog. Escape and a click beside it close it, and the focus returns to where it was. Its code arrives with the first one. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} />
    </Suspense>
  );
}
