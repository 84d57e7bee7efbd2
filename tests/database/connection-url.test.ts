import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  connectionSettings,
  databaseUrlFault,
  parseDatabaseUrl,
  placeOf,
} from "../../server/database/connection-url.ts";
import { anyCharacter } from "../support/any-character.ts";

const usual = {
  host: "db.example.com",
  port: 5432,
  user: "zw",
  password: "secret",
  database: "zonewright",
  sslMode: null,
  sslNegotiation: "postgres",
  channelBinding: false,
  connectTimeoutSeconds: 5,
};

describe("DATABASE_URL is parsed into its parts", () => {
  test.each([
    ["postgres://zw:secret@db.example.com/zonewright", {}],
    ["postgresql://zw:secret@db.example.com:6432/zonewright", { port: 6432 }],
    ["postgres://zw:p%40ss%2Fword%3F@db.example.com/zonewright", { password: "p@ss/word?" }],
    // Unescaped addresses are read as before: the last @ ends the password.
    ["postgres://zw:p@ss:word@db.example.com/zonewright", { password: "p@ss:word" }],
    ["postgres://zw:secret@[2001:db8::5]:6432/zonewright", { host: "2001:db8::5", port: 6432 }],
    ["postgres://zw:secret@/zonewright?host=/run/postgresql", { host: "/run/postgresql" }],
    ["postgres://zw:secret@%2Frun%2Fpostgresql/zonewright", { host: "/run/postgresql" }],
    ["postgres:///zonewright", { host: "localhost", user: undefined, password: undefined }],
    ["postgres://?dbname=zonewright&user=zw&password=secret&host=db.example.com&port=1", { port: 1 }],
    ["postgres://zw:secret@db.example.com/zone%20wright", { database: "zone wright" }],
    ["postgres://zw:secret@db.example.com/zonewright?sslmode=disable", { sslMode: "disable" }],
    ["postgres://zw:secret@db.example.com/zonewright?ssl=true", { sslMode: "require" }],
    [
      "postgres://zw:secret@db.example.com/zonewright?sslmode=verify-full&sslrootcert=/etc/ca.crt&sslcert=a&sslkey=b&sslpassword=c&sslnegotiation=direct",
      {
        sslMode: "verify-full",
        sslNegotiation: "direct",
        sslRootCert: "/etc/ca.crt",
        sslCert: "a",
        sslKey: "b",
        sslPassword: "c",
      },
    ],
    [
      "postgres://zw:secret@db.example.com/zonewright?application_name=dns&connect_timeout=20&options=-c%20search_path%3Ddns&channel_binding=prefer",
      { applicationName: "dns", connectTimeoutSeconds: 20, options: "-c search_path=dns", channelBinding: true },
    ],
  ])("DATABASE_URL %s is parsed", (text, parts) => {
    expect(parseDatabaseUrl(text)).toEqual({ ...usual, ...parts });
  });
});

describe("an invalid DATABASE_URL is refused in one sentence that names the parameter and no password", () => {
  const base = "postgres://zw:hunter2@db.example.com/zonewright";
  test.each([
    ["mysql://zw:hunter2@db.example.com/zonewright", /must be an address such as/],
    ["db.example.com:5432", /must be an address such as/],
    ["postgres://zw:hunter2/3@db.example.com/zonewright", /special characters of the password/],
    ["postgres://zw:12/hunter2@db.example.com/zonewright", /special characters of the password/],
    ["postgres://zw:x#hunter2@db.example.com/zonewright", /special characters of the password/],
    ["postgres://zw:x?hunter2@db.example.com/zonewright", /special characters of the password/],
    ["postgres://zw:1234?hunter2=x@db.example.com/zonewright", /special characters of the password/],
    ["postgres://zw:hunter2%@db.example.com/zonewright", /%25/],
    ["postgres://zw:hunter2@db.example.com", /names no database/],
    ["postgres://zw:hunter2@one,two/zonewright", /several hosts/],
    ["postgres://zw:hunter2@db.example.com:0/zonewright", /port/],
    ["postgres://zw:hunter2@db.example.com:65536/zonewright", /port/],
    [`${base}?sslmode=prefer`, /sslmode=prefer, which may fall back to plain text/],
    [`${base}?sslmode=allow`, /sslmode=allow/],
    [`${base}?sslmode=no-verify`, /unsupported value for sslmode/],
    [`${base}?sslmode=`, /sslmode without a value/],
    [`${base}?sslmode`, /sslmode without a value/],
    [`${base}?sslmode=require&sslmode=disable`, /sslmode twice/],
    [`${base}?sslmode=require&ssl=true`, /both ssl and sslmode/],
    [`${base}?ssl=false`, /unsupported value for ssl/],
    [`${base}?sslmode=verify-ca`, /sslmode=verify-ca, which needs .* sslrootcert/],
    [`${base}?sslmode=require&sslrootcert=system`, /sslrootcert=system/],
    [`${base}?sslrootcert=/etc/ca.crt`, /sslrootcert without encryption/],
    [`${base}?sslmode=disable&sslkey=a&sslcert=b`, /sslcert without encryption/],
    [`${base}?sslmode=require&sslcert=a`, /sslcert without sslkey/],
    [`${base}?sslmode=require&sslkey=a`, /sslkey without sslcert/],
    [`${base}?sslnegotiation=direct`, /sslnegotiation=direct without encryption/],
    [`${base}?host=/run/postgresql&sslmode=require`, /sslmode for a Unix socket/],
    [`${base}?channel_binding=require`, /unsupported value for channel_binding/],
    [`${base}?connect_timeout=0`, /connect_timeout/],
    [`${base}?connect_timeout=soon`, /connect_timeout/],
    [`${base}?target_session_attrs=read-write`, /the unsupported parameter target_session_attrs/],
    [`${base}?pgbouncer=true`, /the unsupported parameter pgbouncer/],
    [`${base}?=hunter2`, /a parameter without a name/],
    [`${base}?%zz=1`, /%25/],
  ])("DATABASE_URL %s is refused: %s", (text, sentence) => {
    const fault = databaseUrlFault(text);
    expect(fault).toMatch(sentence);
    expect(fault).toMatch(/^DATABASE_URL [^\n]*[^.]$/);
    expect(fault).not.toContain("hunter2");
  });
});

test("user, password and database name in DATABASE_URL decode to exactly what was percent-encoded", () => {
  const texts = string({ unit: anyCharacter, minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());
  assert(
    property(texts, texts, texts, (user, password, database) => {
      const escaped = [user, password, database].map((text) => encodeURIComponent(text));
      const address = parseDatabaseUrl(`postgres://${escaped[0]}:${escaped[1]}@db.example.com/${escaped[2]}`);
      expect(address).toMatchObject({ user, password, database });
    }),
  );
});

test("any DATABASE_URL gives either an address or one sentence without the password", () => {
  assert(
    property(string({ maxLength: 60 }), (noise) => {
      const fault = databaseUrlFault(`postgres://zw:hunter2@db.example.com/zonewright?${noise}`) ?? "DATABASE_URL fine";
      expect(fault).toMatch(/^DATABASE_URL [^\n]+$/);
      expect(fault).not.toContain("hunter2");
    }),
  );
});

const place = (text: string) => placeOf(parseDatabaseUrl(text));

test("the displayed database location has host, port and database, but no user and no password", () => {
  expect(place("postgres://zw:secret@db.example.com/zonewright")).toBe("zonewright at db.example.com:5432");
  expect(place("postgres://zw:secret@[::1]/zonewright")).toBe("zonewright at [::1]:5432");
  expect(place("postgres://zw:secret@/zonewright?host=/run/postgresql")).toBe("zonewright at /run/postgresql");
});

test("a Unix socket never uses TLS, even if PGSSLMODE requests it", () => {
  expect(connectionSettings(parseDatabaseUrl("postgres:///zonewright?host=/run/postgresql")).ssl).toBe(false);
});

test("without sslmode, PGSSLMODE decides, the same for both pools", () => {
  expect(connectionSettings(parseDatabaseUrl("postgres://zw@db.example.com/zonewright"))).not.toHaveProperty("ssl");
  expect(connectionSettings(parseDatabaseUrl("postgres://zw@db.example.com/zonewright?sslmode=disable")).ssl).toBe(
    false,
  );
});
