import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { client, queries } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import field from "../ui/field.module.css";
import { Failure } from "../ui/notice.tsx";
import { Empty, Page } from "../ui/page.tsx";
import { useRows } from "../ui/use-rows.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import { AdminOnly } from "./admin-only.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { providerConfigs } from "./provider-queries.ts";
import { UnusableZones } from "./unusable-zones.tsx";
import { useImport } from "./use-import.ts";
import styles from "./admin.module.css";
import zonesStyles from "./zones.module.css";

const text = adminWords.zones;

/** The zones at a provider, to import one, some or all. */
export function ProviderZonesPage() {
  return (
    <AdminOnly>
      <Zones />
    </AdminOnly>
  );
}

function Zones() {
  const { id } = useParams({ from: "/inside/admin/providers/$id/zones" });
  const { data: configs } = useQuery(providerConfigs);
  const zones = useQuery({
    queryKey: ["provider-zones", id],
    staleTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => {
      const listed = await client.providerConfigs.zones.query({ id }, { signal });
      // To list the zones is a test, too.
      void queries.invalidateQueries({ queryKey: providerConfigs.queryKey });
      return listed;
    },
  });
  const progress = useImport(id);
  const [background, setBackground] = useState(true);
  const name = configs?.find((config) => config.id === id)?.name ?? "";
  const total = zones.data?.zones.length ?? 0;
  return (
    <Page
      title={text.title(name)}
      subtitle={zones.data ? (total === 1 ? text.foundOne : text.found(formatNumber(total))) : null}
      actions={
        <Link to="/admin/providers" className={buttonClass()}>
          {text.back}
        </Link>
      }
    >
      <Failure error={zones.error} action={<Button onClick={() => void zones.refetch()}>{words.ui.retry}</Button>} />
      <Failure error={progress.error} />
      {progress.state ? (
        <ImportProgress
          state={progress.state}
          stopping={progress.stopping}
          onStop={background ? null : progress.stop}
        />
      ) : null}
      {zones.isPending ? <p role="status">{text.loading}</p> : null}
      {zones.data ? <UnusableZones zones={zones.data.unusable} /> : null}
      {zones.data && total === 0 ? (
        <Empty icon={<Inbox aria-hidden />} title={text.noneTitle}>
          {text.none}
        </Empty>
      ) : null}
      {zones.data && total > 0 ? (
        <ZoneList
          key={id}
          zones={zones.data.zones}
          running={progress.state?.running ?? false}
          onImport={(names, all) => {
            setBackground(all);
            progress.start(names, all);
          }}
        />
      ) : null}
    </Page>
  );
}

interface Zone {
  name: string;
  managed: boolean;
}

interface ZoneListProps {
  zones: readonly Zone[];
  running: boolean;
  onImport: (names: readonly string[], all: boolean) => void;
}

function ZoneList({ zones, running, onImport }: ZoneListProps) {
  const open = useMemo(() => zones.filter(({ managed }) => !managed).map(({ name }) => name), [zones]);
  // Where nothing is managed yet, everything is offered.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(open.length === zones.length ? open : []));
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = wanted === "" ? zones : zones.filter(({ name }) => name.toLowerCase().includes(wanted));
  const selected = open.filter((name) => chosen.has(name));
  const choosable = shown.filter(({ managed }) => !managed).map(({ name }) => name);
  const everything = choosable.length > 0 && choosable.every((name) => chosen.has(name));
  const { container, virtualizer } = useRows(shown.length, 34);
  const start = useRef<HTMLButtonElement>(null);
  const offered = useRef(selected.length > 0);
  useEffect(() => {
    if (offered.current) start.current?.focus();
  }, []);
  const set = (names: readonly string[], on: boolean) => {
    const these = new Set(names);
    setChosen((before) => new Set(on ? [...before, ...these] : [...before].filter((name) => !these.has(name))));
  };

  if (open.length === 0 && !running) return <ManagedZones zones={zones} />;
  return (
    <>
      <div className={styles["tools"]}>
        <input
          type="search"
          className={field["input"]}
          placeholder={text.filter}
          aria-label={text.filter}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Button
          ref={start}
          kind="primary"
          className={styles["push"]}
          disabled={selected.length === 0}
          pending={running}
          onClick={() => onImport(selected, selected.length === open.length)}
        >
          {running ? text.running : selected.length === 0 ? text.chooseFirst : text.import(selected.length)}
        </Button>
      </div>
      <div className={styles["frame"]}>
        <label className={zonesStyles["all"]}>
          <input
            type="checkbox"
            checked={everything}
            disabled={running || choosable.length === 0}
            onChange={(event) => set(choosable, event.target.checked)}
          />
          {shown.length === 0 ? text.noneMatch : text.selectAll}
        </label>
        <div ref={container} className={zonesStyles["zones"]} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const zone = shown[item.index];
            return zone ? (
              <div
                key={zone.name}
                className={zonesStyles["zone"]}
                style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
              >
                <ZoneRow
                  zone={zone}
                  checked={chosen.has(zone.name)}
                  disabled={running}
                  onChecked={(on) => set([zone.name], on)}
                />
              </div>
            ) : null;
          })}
        </div>
      </div>
    </>
  );
}

interface ZoneRowProps {
  zone: Zone;
  checked: boolean;
  disabled: boolean;
  onChecked: (checked: boolean) => void;
}

function ZoneRow({ zone: { name, managed }, checked, disabled, onChecked }: ZoneRowProps) {
  if (managed) {
    return (
      <>
        <input type="checkbox" checked disabled aria-label={text.select(name)} readOnly />
        <Link to="/d/$name/records" params={{ name }} className={zonesStyles["zoneName"]} preload={false}>
          {name}
        </Link>
        <span className={styles["chip"]}>{text.managed}</span>
      </>
    );
  }
  return (
    <>
      <input
        type="checkbox"
        aria-label={text.select(name)}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.target.checked)}
      />
      <span className={zonesStyles["zoneName"]}>{name}</span>
    </>
  );
}

/** A provider whose zones are all managed. */
function ManagedZones({ zones }: { zones: readonly Zone[] }) {
  const { container, virtualizer } = useRows(zones.length, 34);
  return (
    <>
      <p>{text.allManaged}</p>
      <div className={styles["frame"]}>
        <div ref={container} className={zonesStyles["zones"]} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const zone = zones[item.index];
            return zone ? (
              <div
                key={zone.name}
                className={zonesStyles["zone"]}
                style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
              >
                <ZoneRow zone={zone} checked disabled onChecked={() => undefined} />
              </div>
            ) : null;
          })}
        </div>
      </div>
    </>
  );
}
