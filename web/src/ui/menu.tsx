import { lazy, type ButtonHTMLAttributes, type ReactElement, type ReactNode } from "react";
import { OpenedLater } from "./opened-later.tsx";
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
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  /** Lines separate the groups. */
  groups: readonly (readonly MenuEntry[])[];
  /** Where the keyboard goes on once it is closed; the button by default. */
  returnTo?: (() => HTMLElement | null) | undefined;
}

const load = patiently(async () => ({ default: (await import("./menu-popup.tsx")).MenuPopup }));
const MenuPopup = lazy(load);

const prepare = () => void load().catch(() => undefined);

/** A menu of actions. Until it is opened it is only its button: a list has one for each of its rows. */
export function Menu(props: MenuProps) {
  return (
    <OpenedLater trigger={props.trigger} prepare={prepare}>
      <MenuPopup {...props} defaultOpen />
    </OpenedLater>
  );
}
