import { lazy } from "react";
import type { MenuProps } from "./menu-popup.tsx";
import { OpenedLater } from "./opened-later.tsx";
import { patiently } from "./patiently.ts";

export type { MenuProps };

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
