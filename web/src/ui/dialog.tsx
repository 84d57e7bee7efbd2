import { lazy, Suspense, type ComponentProps, type ReactNode, type RefObject } from "react";
import { patiently } from "./patiently.ts";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  /** What the buttons led to, beside them: it stays in view while the content scrolls. */
  alert?: ReactNode;
  /** Buttons; the main one last. */
  footer?: ReactNode;
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  children?: ReactNode;
  onKeyDown?: ComponentProps<"div">["onKeyDown"];
}

const DialogPopup = lazy(patiently(async () => ({ default: (await import("./dialog-popup.tsx")).DialogPopup })));

/** A modal dialog. Escape and a click beside it close it, and the focus returns to where it was. Its code arrives with the first one. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense fallback={null}>
      <DialogPopup {...props} />
    </Suspense>
  );
}
