const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `Zonewright needs Node 24 or newer and this is ${process.version}: run \`npm ci\`, which brings it along, then \`npm start\`.\n`,
  );
  process.exit(1);
}

const { ConfigError, loadConfig } = await import("./config.ts");
const { FolderInUseError } = await import("./database/lock-file.ts");
const { startServer } = await import("./start.ts");

// A reader that went away (`npm start | head`) is no reason to stop.
process.stdout.on("error", () => undefined);

try {
  const starting = startServer(loadConfig(process.env), { announce: (line) => process.stdout.write(`${line}\n`) });
  stopOnSignals(starting);
  await starting;
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof FolderInUseError;
  const text = expected ? error.message : textOf(error);
  process.stderr.write(`Zonewright did not start.\n${text}\n`);
  process.exit(1);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Also a signal that comes while the service starts is answered by an orderly stop. */
function stopOnSignals(starting: Promise<{ stop(): Promise<void> }>): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    process.stdout.write(`${signal}: finishing open requests …\n`);
    starting
      .then((server) => server.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`Zonewright did not stop well.\n${textOf(error)}\n`);
          process.exit(1);
        },
      );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
