const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write(
    `Zonewright needs Node 24 or newer, but this is ${process.version}. Run \`npm ci\`, which installs it, then \`npm start\`.\n`,
  );
  process.exit(1);
}

// Libraries check more while one develops: the first call by REST would make the whole API document, which takes half a second.
process.env["NODE_ENV"] ??= "production";

// Before the other modules, which it speeds up.
const { cacheCompiledCode, defaultDataDir } = await import("./platform/compile-cache.ts");
cacheCompiledCode(process.env["DATA_DIR"] || defaultDataDir);

const { ConfigError, loadConfig } = await import("./ops/config/config.ts");
const { FolderInUseError } = await import("./database/lock-file.ts");
const { announceEnd, announcer, logFormatFor, logOutput, programOutput, taken } = await import("./platform/log.ts");
const { loadLateModules } = await import("./platform/late-modules.ts");
const { createLog } = await import("./platform/log.ts");
const { startServer } = await import("./start.ts");

// Keeps running if the reader of standard output goes away (`npm start | head`).
process.stdout.on("error", () => undefined);

// Determined before the configuration is read, because configuration errors use it, too.
const chosen = process.env["LOG_FORMAT"];
const format = chosen === "json" || chosen === "text" ? chosen : logFormatFor(process.stdout);
process.stderr.on("error", () => undefined);
const [output, errors] = [programOutput(process.stdout), programOutput(process.stderr)];
const announce = announcer(format, output);
const end = (message: string, reason: unknown) => {
  announceEnd(format, errors, message, reason);
  process.exit(1);
};

// Node would print warnings itself, as text.
process.removeAllListeners("warning");
process.on("warning", (warning) =>
  createLog("warn", logOutput(format, output)).warn({ err: warning }, "Node.js warning"),
);
process.on("uncaughtException", (error) => end("Zonewright exits because of an unexpected error.", error));

try {
  const config = loadConfig(process.env);
  const starting = startServer(config, { announce });
  stopOnSignals(starting);
  await starting;
  const log = createLog(config.logLevel, logOutput(config.logFormat, output));
  await loadLateModules((err) =>
    log.warn({ err }, "A part of the service cannot be loaded. Install it again and restart."),
  );
  log.debug("All modules are loaded.");
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof FolderInUseError;
  end("Zonewright failed to start.", expected ? error.message : error);
}

/** Shuts down on SIGTERM and SIGINT, even during startup. A second signal exits immediately. */
function stopOnSignals(starting: Promise<{ stop(): Promise<void> }>): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    announce(`${signal}: finishing open requests`);
    starting
      .then((server) => server.stop())
      .then(
        () => {
          announce("Zonewright has stopped.");
          return taken(process.stdout).then(() => process.exit(0));
        },
        (error: unknown) => end("Zonewright failed to stop cleanly.", error),
      );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
