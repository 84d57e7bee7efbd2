import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { words } from "../words/words.ts";
import { buttonClass } from "./button.tsx";
import { manager, mounted } from "./toast.tsx";
import styles from "./toast.module.css";

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
  useEffect(() => mounted.resolve(undefined), []);
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
