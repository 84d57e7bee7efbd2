import { Menu as Base } from "@base-ui/react/menu";
import { Fragment, type ButtonHTMLAttributes, type ReactElement, type ReactNode } from "react";
import styles from "./menu.module.css";

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

/** The menu itself, in a chunk of its own. */
export function MenuPopup({ trigger, groups, returnTo, defaultOpen }: MenuProps & { defaultOpen: boolean }) {
  return (
    <Base.Root modal={false} defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles["positioner"]} sideOffset={5} align="end">
          <Base.Popup
            className={styles["popup"]}
            finalFocus={returnTo && (() => returnTo() ?? true)}
            // The context-menu key, which opens it in a grid, would open the browser's menu above it on its way up.
            onContextMenu={(event) => event.preventDefault()}
          >
            {groups.map((group, index) => (
              <Fragment key={group[0]?.id}>
                {index > 0 ? <Base.Separator className={styles["line"]} /> : null}
                {group.map(({ id, label, icon, run, danger = false, disabled = false, keys }) => (
                  <Base.Item
                    key={id}
                    className={`${styles["item"]} ${danger ? styles["danger"] : ""}`}
                    disabled={disabled}
                    onClick={run}
                  >
                    {icon}
                    {label}
                    {keys ? <kbd>{keys}</kbd> : null}
                  </Base.Item>
                ))}
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
