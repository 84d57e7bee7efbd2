import { describe, expect, test } from "vitest";
import { nameFaults } from "../../../server/dns/server-rules/host-names.ts";

// Each row was loaded with BIND 9.18; docs/decisions/0036-what-name-servers-refuse.md has the list.
const faultOf = (line: string, zone = "example.com") => {
  const [name = "", recordType = "", ...value] = line.split(" ");
  return nameFaults({ name, recordType, value: value.join(" ") }, zone).map(({ field }) => field)[0] ?? "none";
};

describe("names that BIND's check-names accepts and refuses", () => {
  test.each([
    ["my_host A 192.0.2.1", "name"],
    ["my_host AAAA 2001:db8::1", "name"],
    ["in_box MX 10 mail.example.net", "name"],
    ["0/25 A 192.0.2.1", "name"],
    ["-a A 192.0.2.1", "name"],
    ["a- A 192.0.2.1", "name"],
    ["*.a_b A 192.0.2.1", "name"],
    ["a.*.b A 192.0.2.1", "name"],
    [String.raw`a\.b A 192.0.2.1`, "name"],
    ["* A 192.0.2.1", "none"],
    ["*.dev MX 10 mail.example.net", "none"],
    ["@ A 192.0.2.1", "none"],
    ["0/25 CNAME x.example.net", "none"],
    ["0/25 NS ns.example.net", "none"],
    ["a_b NS ns.example.net", "none"],
    ["a_b TXT x", "none"],
    ["a_b SVCB 1 .", "none"],
    ["a_b MB x.example.net.", "none"],
    ["a.b_c MB x.example.net.", "name"],
    ["*.a_b MG x.example.net.", "name"],
    ["a_b NSEC3 1 0 0 - 0123456789abcdefghijklmnopqrstuv A", "name"],
    ["0123456789abcdefghijklmnopqrstuv NSEC3 1 0 0 - 0123456789abcdefghijklmnopqrstuv A", "none"],
  ])("check-names judges the owner in %s: %s", (line, field) => {
    expect(faultOf(line)).toBe(field);
  });

  test.each([
    ["@ NS a_b.example.net", "value"],
    ["sub NS 0/25.example.net", "value"],
    ["@ MX 10 a_b.example.net", "value"],
    ["_s._tcp SRV 0 0 1 a_b.example.net", "value"],
    ["_s._tcp SRV 0 0 1 *.example.net", "value"],
    ["s AFSDB 1 a_b.example.net.", "value"],
    ["s RT 1 -a.example.net.", "value"],
    ["s SVCB 1 a_b.example.net. alpn=h2", "value"],
    ["s HTTPS 1 a_b.example.net.", "value"],
    ["s HTTPS 0 a_b.example.net.", "none"],
    ["s HTTPS 1 .", "none"],
    ["_s._tcp SRV 0 0 1 .", "none"],
    ["@ MX 0 .", "none"],
    [String.raw`r MX \# 8 000a04615f626100`, "none"],
    ["s CNAME a_b.example.net", "none"],
    ["s DNAME a_b.example.net.", "none"],
    ["s PTR a_b.example.net.", "none"],
    ["s KX 1 a_b.example.net.", "none"],
  ])("check-names judges the target in %s: %s", (line, field) => {
    expect(faultOf(line)).toBe(field);
  });

  test.each([
    ["gc._msdcs A 192.0.2.1", "none"],
    ["gc._msdcs AAAA 2001:db8::1", "none"],
    ["gc._msdcs.sub A 192.0.2.1", "none"],
    ["domaindnszones A 192.0.2.1", "none"],
    ["forestdnszones AAAA 2001:db8::1", "none"],
    ["_ldap._tcp.dc._msdcs SRV 0 100 389 dc1.example.com", "none"],
    ["_msdcs NS dc1.example.com", "none"],
    ["8a3f._msdcs CNAME dc1.example.com", "none"],
    ["gc._msdcs MX 10 mail.example.com", "name"],
    ["gc._msdcs.a_b A 192.0.2.1", "name"],
    ["a.gc._msdcs A 192.0.2.1", "name"],
    ["x._msdcs A 192.0.2.1", "name"],
    ["_msdcs A 192.0.2.1", "name"],
  ])("check-names judges the Active Directory name in %s: %s", (line, field) => {
    expect(faultOf(line)).toBe(field);
  });

  test.each([
    ["1 PTR a_b.example.net.", "2.0.192.in-addr.arpa", "value"],
    ["1 PTR *.example.net.", "2.0.192.in-addr.arpa", "value"],
    ["1 PTR a_b.example.net.", "8.b.d.0.1.0.0.2.ip6.arpa", "value"],
    ["1 PTR a_b.example.net.", "0/25.2.0.192.in-addr.arpa", "value"],
    ["1 PTR host.example.net.", "2.0.192.in-addr.arpa", "none"],
    ["b._dns-sd._udp PTR a_b.example.net.", "2.0.192.in-addr.arpa", "none"],
    ["lb._dns-sd._udp.0 PTR a_b.example.net.", "2.0.192.in-addr.arpa", "none"],
    ["x._dns-sd._udp PTR a_b.example.net.", "2.0.192.in-addr.arpa", "value"],
    ["1 PTR a_b.example.net.", "1.2.e164.arpa", "none"],
    ["x A 192.0.2.1", "0/25.2.0.192.in-addr.arpa", "name"],
    ["x A 192.0.2.1", "a_b.test", "name"],
    ["gc A 192.0.2.1", "_msdcs.example.com", "none"],
    ["gc.y A 192.0.2.1", "_msdcs.example.com", "name"],
  ])("check-names judges %s of the zone %s: %s", (line, zone, field) => {
    expect(faultOf(line, zone)).toBe(field);
  });
});
