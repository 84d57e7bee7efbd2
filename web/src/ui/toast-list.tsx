import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { words } from "../words/words.ts";
import { buttonClass } from "./button.tsx";
import { mounted, type ToastOptions } from "./toast.tsx";
import styles from "./toast.module.css";

const manager = Toast.createToastManager();

/** Shows a message that goes away by itself; longer if it has a button. */
function show({ title, description, action }: ToastOptions): void {
  const id: string = manager.add({
    title,
    description,
    timeout: action ? 20_000 : 6_000,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id);
          action.run();
        },
      },
    }),
  });
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((each) => (
    <Toast.Root key={each.id} toast={each} className={styles["toast"]} swipeDirection="right">
      <Toast.Content className={styles["content"]}>
        <div className={styles["text"]}>
          <Toast.Title render={<div />} />
          <Toast.Description />
        </div>
        <Toast.Action className={buttonClass()} />
        <Toast.Close className={buttonClass("quiet", true)} aria-label={words.ui.dismiss}>
          <X aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Where toasts appear, in a chunk of its own. */
export function ToastList() {
  useEffect(() => mounted.resolve(show), []);
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className={styles["viewport"]} aria-label={words.ui.messages}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
