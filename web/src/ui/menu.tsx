import { cloneElement, lazy, Suspense, useState, type ReactElement, type ReactNode } from "react";
import { patiently } from "./patiently.ts";

interface MenuEntry {
  id: string;
  label: ReactNode;
  icon?: ReactNode;
  run: () => void;
  danger?: boolean;
  disabled?: boolean;
  /** The key that does the same. */
  keys?: string;
}

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<{ onClick?: () => void }>;
  /** Lines separate the groups. */
  groups: readonly (readonly MenuEntry[])[];
}

const MenuPopup = lazy(patiently(async () => ({ default: (await import("./menu-popup.tsx")).MenuPopup })));

/** A menu of actions. Its code arrives after the first page; a press before that opens it then. */
export function Menu(props: MenuProps) {
  const [wanted, setWanted] = useState(false);
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick: () => setWanted(true) })}>
      <MenuPopup {...props} defaultOpen={wanted} />
    </Suspense>
  );
}
