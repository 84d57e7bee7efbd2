import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { binary } from "../binaries.ts";

/** A syslog message as rsyslog reads it. */
export interface SyslogMessage {
  facility: string;
  severity: string;
  application: string;
  id: string;
  text: string;
}

/** rsyslog on loopback, configured as docs/operations/audit-stream.md says. */
export interface Rsyslog {
  readonly port: number;
  /** What it received, in its order. */
  messages(): Promise<SyslogMessage[]>;
  stop(): Promise<void>;
}

interface RsyslogOptions {
  port: number;
  /** PEM texts: it accepts only TLS. */
  tls?: { certificate: string; key: string; authority: string };
}

const fields = ["%syslogfacility%", "%syslogseverity%", "%app-name%", "%msgid%", "%msg%"];

/** Starts rsyslog. It keeps nothing once it is stopped. */
export async function startRsyslog({ port, tls }: RsyslogOptions): Promise<Rsyslog> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-rsyslog-"));
  const received = join(folder, "received");
  const paths = {
    certificate: join(folder, "server.crt"),
    key: join(folder, "server.key"),
    authority: join(folder, "ca.crt"),
  };
  if (tls) {
    await writeFile(paths.certificate, tls.certificate);
    await writeFile(paths.key, tls.key, { mode: 0o600 });
    await writeFile(paths.authority, tls.authority);
  }
  const driver =
    `DefaultNetstreamDriver="gtls" DefaultNetstreamDriverCAFile="${paths.authority}" ` +
    `DefaultNetstreamDriverCertFile="${paths.certificate}" DefaultNetstreamDriverKeyFile="${paths.key}"`;
  const configuration = [
    `global(workDirectory="${folder}" maxMessageSize="1m" ${tls ? driver : ""})`,
    `module(load="imtcp"${tls ? ' StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="anon"' : ""})`,
    `template(name="fields" type="string" string="${fields.join("\\t")}\\n")`,
    `input(type="imtcp" address="127.0.0.1" port="${port}" supportOctetCountedFraming="on")`,
    `action(type="omfile" file="${received}" template="fields" fileCreateMode="0644")`,
  ];
  const file = join(folder, "rsyslog.conf");
  await writeFile(file, `${configuration.join("\n")}\n`);
  const child = spawn(binary("rsyslogd"), ["-n", "-f", file, "-i", join(folder, "pid")], { stdio: "ignore" });
  const ended = once(child, "exit");
  process.once("exit", () => child.kill("SIGTERM"));
  await vi.waitFor(
    async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.destroy();
    },
    { timeout: 60_000, interval: 50 },
  );
  return {
    port,
    async messages() {
      const text = existsSync(received) ? await readFile(received, "utf8") : "";
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [facility = "", severity = "", application = "", id = "", ...rest] = line.split("\t");
          return { facility, severity, application, id, text: rest.join("\t") };
        });
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
