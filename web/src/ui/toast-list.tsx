import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { words } from "../words/words.ts";
import { buttonClass } from "./button.tsx";
import { formatNumber } from "./format.ts";
import styles from "./toast.module.css";

export interface ToastOptions {
  title: string;
  description?: string | undefined;
  /** What the button of the toast says and does. */
  action?: { label: string; run: () => void };
  /** Whether others caused it. News have a place of their own, where they are counted: nobody's own results move for them. */
  isNews?: boolean;
}

/** What the person's own actions led to. The newest stands above the others: none of them moves when it comes. */
const results = Toast.createToastManager();
/** What others did: one message, whose number grows in place. */
const news = Toast.createToastManager();
let newsShown: { id: string; count: number } | null = null;

const shownMilliseconds = 6_000;
/** A message with a button. */
const longerMilliseconds = 20_000;

/** Shows a message that goes away by itself; longer if it has a button. */
function show(options: ToastOptions): void {
  if (options.isNews) showNews(options);
  else showResult(options);
}

/** The button goes with its message, and some browsers leave the focus on nothing: it returns to the records, or to the page. */
function toContent(): void {
  const content = document.querySelector<HTMLElement>("#content");
  (content?.querySelector<HTMLElement>("[role=grid]") ?? content)?.focus({ preventScroll: true });
}

function showResult({ title, description, action }: ToastOptions): void {
  const id: string = results.add({
    title,
    description,
    timeout: action ? longerMilliseconds : shownMilliseconds,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          results.close(id);
          toContent();
          action.run();
        },
      },
    }),
  });
}

function showNews({ title, description }: ToastOptions): void {
  if (newsShown === null) {
    const onClose = () => {
      newsShown = null;
    };
    newsShown = { id: news.add({ title, description, timeout: shownMilliseconds, onClose }), count: 1 };
    return;
  }
  newsShown.count += 1;
  const count = formatNumber(newsShown.count);
  news.update(newsShown.id, { title: words.ui.newsCount(count), description: title, timeout: shownMilliseconds });
}

function List({ className = "" }: { className?: string | undefined }) {
  const { toasts } = Toast.useToastManager();
  return toasts.map((each) => (
    <Toast.Root key={each.id} toast={each} className={`${styles["toast"]} ${className}`} swipeDirection="right">
      <Toast.Content className={styles["content"]}>
        <div className={styles["text"]}>
          <Toast.Title render={<div />} />
          <Toast.Description />
        </div>
        <Toast.Action className={buttonClass()} />
        <Toast.Close className={buttonClass("quiet", true)} aria-label={words.ui.dismiss} onClick={toContent}>
          <X aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Where toasts appear, in a chunk of its own. */
export function ToastList({ onMounted }: { onMounted: (showing: (options: ToastOptions) => void) => void }) {
  useEffect(() => onMounted(show), [onMounted]);
  return (
    <>
      <Toast.Provider toastManager={news} limit={1}>
        <Toast.Portal>
          <Toast.Viewport className={`${styles["viewport"]} ${styles["ofNews"]}`} aria-label={words.ui.news}>
            <List className={styles["news"]} />
          </Toast.Viewport>
        </Toast.Portal>
      </Toast.Provider>
      <Toast.Provider toastManager={results} limit={8}>
        <Toast.Portal>
          <Toast.Viewport className={styles["viewport"]} aria-label={words.ui.messages}>
            <List />
          </Toast.Viewport>
        </Toast.Portal>
      </Toast.Provider>
    </>
  );
}
