import { cloneElement, Suspense, useState, type ButtonHTMLAttributes, type ReactElement, type ReactNode } from "react";

interface OpenedLaterProps {
  /** The button that opens a menu. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  /** Loads the menu, when somebody is about to open it. */
  prepare: () => void;
  /** The menu with its button. */
  children: ReactNode;
}

/** The button of a menu whose code is loaded when it is wanted. */
export function OpenedLater({ trigger, prepare, children }: OpenedLaterProps) {
  const [opened, setOpened] = useState(false);
  const button = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setOpened(true),
    onPointerEnter: prepare,
    onFocus: prepare,
  });
  return opened ? <Suspense fallback={button}>{children}</Suspense> : button;
}
