import express, { type ErrorRequestHandler } from "express";
import type { AddressInfo } from "node:net";
import { parseZoneFile } from "../server/dns/zone-file/parse.ts";
import { watchLoop } from "./support/loop-delay.ts";

/** The baseline of hostile bodies: a server without our limits. Parses JSON up to 16 MiB, and a zone file in one go. */
const app = express();
app.use(express.json({ limit: "16mb" }));
app.use((req, res) => {
  const { zonefile } = req.body as { zonefile?: unknown };
  if (typeof zonefile === "string") parseZoneFile(zonefile, { zone: "hostile.example" });
  res.json({ read: true });
});
const refuse: ErrorRequestHandler = (_error, _req, res, _next) => {
  res.status(400).json({ read: false });
};
app.use(refuse);
const server = app.listen(0, "127.0.0.1", () => {
  watchLoop();
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
