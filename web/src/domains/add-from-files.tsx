import { useRef, useState } from "react";
import { isZonewrightError } from "@zonewright/client";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import fieldStyles from "../ui/field.module.css";
import { formatNumber } from "../ui/format.ts";
import { textOfFile } from "../ui/text-file.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { words } from "../words/words.ts";
import { recordsIn, zoneNameOf } from "./zone-files.ts";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...domainDialogsWords };

/** A chosen file, what was read of it, and how its domain stands. */
interface Item {
  file: string;
  content: string;
  zone: string;
  count: number | null;
  error: string | null;
  /** The domain, once it is added: its records may still be missing. */
  domainId: string | null;
  done: boolean;
}

interface AddFromFilesProps {
  /** The provider configurations that may get the zones. */
  providers: readonly { value: string; label: string }[];
  files: readonly File[];
  onClose: () => void;
}

/** Adds a domain for each of many zone files, with the records of the file. */
export function AddFromFiles({ providers, files, onClose }: AddFromFilesProps) {
  const [provider, setProvider] = useState(providers[0]?.value ?? "");
  const [items, setItems] = useState<readonly Item[]>([]);
  const [done, setDone] = useState(0);
  const stop = useRef(false);
  const read = useAction(async () => {
    const found: Item[] = [];
    for (const file of files) found.push(await opened(file));
    setItems(found.toSorted((one, other) => one.zone.localeCompare(other.zone)));
  });
  const isStarted = useRef(false);
  const start = (dialog: HTMLElement | null) => {
    if (dialog === null || isStarted.current) return;
    isStarted.current = true;
    void read.run();
  };
  const put = (changed: Item) => setItems((now) => now.map((item) => (item.file === changed.file ? changed : item)));
  const waiting = items.filter((item) => item.count !== null && !item.done);
  /** Adds a domain. Where the service takes no more such calls for now, its answer is shown until the next attempt. */
  const addPatiently = async (item: Item): Promise<Item> => {
    for (let now = item; ;) {
      const { result, waitSeconds } = await addOne(now, provider);
      put(result);
      for (let left = waitSeconds; left > 0 && !stop.current; left--) await second();
      if (waitSeconds === 0 || stop.current) return result;
      now = result;
    }
  };
  const add = useAction(async () => {
    stop.current = false;
    setDone(0);
    let added = 0;
    for (const item of waiting) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
      if (stop.current) break;
      const result = await addPatiently(item);
      if (result.done) added += 1;
      setDone((before) => before + 1);
    }
    await Promise.all(
      ["domains", "domain-tags"].map(async (key) => await queries.invalidateQueries({ queryKey: [key] })),
    );
    toast({ title: text.addedFromFiles(added) });
    if (added === items.length) onClose();
  });
  const close = () => {
    stop.current = true;
    onClose();
  };
  return (
    <Dialog
      open
      wide
      onClose={close}
      title={text.filesTitle}
      description={text.filesHint}
      footer={
        add.pending ? (
          <>
            <span role="status">{text.progress(formatNumber(done), formatNumber(waiting.length))}</span>
            <Button onClick={() => (stop.current = true)}>{text.stop}</Button>
          </>
        ) : (
          <>
            <Button onClick={close}>{items.some((item) => item.done) ? words.ui.close : words.ui.cancel}</Button>
            <Button kind="primary" disabled={waiting.length === 0} onClick={() => void add.run()}>
              {text.addFiles(waiting.length)}
            </Button>
          </>
        )
      }
    >
      <div ref={start} className={fieldStyles["form"]}>
        <SelectField label={text.provider} value={provider} options={providers} onValue={setProvider} />
        <ul className={styles["files"]} aria-label={text.filesTitle}>
          {items.map((item) => (
            <li key={item.file}>
              <input
                className={`${fieldStyles["input"]} ${fieldStyles["mono"]}`}
                aria-label={text.zoneOf(item.file)}
                value={item.zone}
                readOnly={item.domainId !== null || item.content === ""}
                spellCheck={false}
                onChange={({ target: { value: zone } }) => {
                  put({ ...item, zone });
                  void itemOf(item.file, item.content, zone).then((changed) =>
                    setItems((now) =>
                      now.map((each) => (each.file === item.file && each.zone === zone ? changed : each)),
                    ),
                  );
                }}
              />
              <span
                role={item.error === null ? undefined : "alert"}
                data-state={item.error === null ? undefined : "error"}
              >
                {item.error ??
                  (item.done ? text.addedFile : text.recordsInFile(item.count ?? 0, formatNumber(item.count ?? 0)))}
                <small>{item.file}</small>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

const second = () => new Promise((resolve) => setTimeout(resolve, 1_000));

async function opened(file: File): Promise<Item> {
  const found = await textOfFile(file);
  if (found.ok) return await itemOf(file.name, found.text);
  return {
    file: file.name,
    content: "",
    zone: zoneNameOf("", file.name),
    count: null,
    error: { notText: text.notText, tooLarge: text.tooLarge, unreadable: text.unreadableFile }[found.why],
    domainId: null,
    done: false,
  };
}

/** Reads a file for a zone: the one that it names, unless another is given. */
async function itemOf(file: string, content: string, zone = zoneNameOf(content, file)): Promise<Item> {
  const found = await recordsIn(content, zone, text.inLine);
  const item = { file, content, zone, domainId: null, done: false };
  return "count" in found ? { ...item, count: found.count, error: null } : { ...item, count: null, error: found.error };
}

/** Adds a domain and its records. What failed can be tried again: a domain that was added is not added twice. */
async function addOne(item: Item, providerConfigId: string): Promise<{ result: Item; waitSeconds: number }> {
  let { domainId } = item;
  try {
    domainId ??= (await client.domains.create.mutate({ name: item.zone, providerConfigId })).id;
    await client.records.importZonefile.mutate({ id: domainId, zonefile: item.content });
    return { result: { ...item, domainId, error: null, done: true }, waitSeconds: 0 };
  } catch (error) {
    const said = issueOf(error, "name") ?? issueOf(error, "zonefile") ?? messageOf(error);
    const result = { ...item, domainId, error: domainId === null ? said : text.withoutRecords(said) };
    const isLimited = isZonewrightError(error) && error.code === "TOO_MANY_REQUESTS";
    return { result, waitSeconds: isLimited ? (error.retryAfterSeconds ?? 1) : 0 };
  }
}
