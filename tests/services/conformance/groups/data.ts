import { group, record, rrset, zone, type Group } from "../group.ts";

const digest = "ab".repeat(32);

/** Types whose values are data as in a zone file, and PTR. */
export const dataGroups: readonly Group[] = [
  group("PTR", rrset("1", "PTR", ["host.example.net.", `www.${zone}.`]), [
    record("1", "PTR", "host.example.net.", 7_200),
  ]),
  group("DNAME", [record("tree", "DNAME", "other.example.net.")], [record("tree", "DNAME", "third.example.net.")]),
  group("TLSA", rrset("_443._tcp", "TLSA", [`3 1 1 ${digest}`, `2 0 1 ${digest}`]), [
    record("_443._tcp", "TLSA", `3 1 1 ${digest}`, 7_200),
  ]),
  group("SSHFP", rrset("ssh", "SSHFP", [`4 2 ${digest}`, `1 1 ${"cd".repeat(20)}`])),
  group(
    "DS at a delegation",
    [record("sub", "NS", "ns.example.net"), record("sub", "DS", `12345 13 2 ${digest}`)],
    [record("sub", "NS", "ns.example.net")],
  ),
  group(
    "NAPTR",
    rrset("n", "NAPTR", [
      String.raw`100 10 "u" "E2U+sip" "!^.*$!sip:info@example.net!" .`,
      `100 20 "s" "SIP+D2U" "" _sip._udp.example.net.`,
    ]),
  ),
  group(
    "HTTPS",
    [record("@", "HTTPS", "1 . alpn=h2,h3 ipv4hint=192.0.2.1 ipv6hint=2001:db8::1")],
    [record("@", "HTTPS", "0 www.example.net.")],
  ),
  group("SVCB", [
    record("_dns", "SVCB", "1 dns.example.net. alpn=dot port=8853"),
    record("_dns", "SVCB", "2 dns.example.net. mandatory=alpn,port alpn=h2 port=8443"),
  ]),
  group("OPENPGPKEY", [record("key", "OPENPGPKEY", "mQENBFVHm5sBCADx")]),
  group("SMIMEA", [record("mail", "SMIMEA", `3 0 1 ${digest}`)]),
  group("URI", [record("_ftp._tcp", "URI", `10 1 "ftp://ftp.example.net/public"`)]),
  group("RP", [record("rp", "RP", "admin.example.net. text.example.net.")]),
  group("HINFO", [record("h", "HINFO", `"PC" "Linux 6"`)]),
  group("AFSDB", [record("afs", "AFSDB", "1 afs.example.net.")]),
  group(
    "DHCID",
    [record("d", "DHCID", "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=")],
    [record("d", "DHCID", "AAEBOSD+XR3Os/0LozeXVqcNc7FwCfQdWL3b/NaiUDlW2No=")],
  ),
  group(
    "several HTTPS, then one changed",
    rrset("web", "HTTPS", ["1 . alpn=h3", "2 backup.example.net. alpn=h2 port=8443"]),
    rrset("web", "HTTPS", ["1 . alpn=h3", "2 backup.example.net. alpn=h2 port=9443"]),
    rrset("web", "HTTPS", ["0 web.example.net."]),
  ),
  group(
    "several TLSA and SSHFP, one replaced",
    [...rrset("_25._tcp", "TLSA", [`3 1 1 ${digest}`, `3 0 1 ${digest}`]), record("h", "SSHFP", `1 2 ${digest}`)],
    [...rrset("_25._tcp", "TLSA", [`3 1 1 ${digest}`, `2 0 1 ${digest}`]), record("h", "SSHFP", `4 2 ${digest}`)],
  ),
  group("LOC", [record("place", "LOC", "43 3 11.194 N 5 57 21.600 W 0.00m 1m 10000m 10m")]),
  group("EUI48", [record("card", "EUI48", "00-00-5e-00-53-2a")]),
  group("CSYNC", [record("@", "CSYNC", "66 3 A NS AAAA")]),
  {
    name: "a type without a name",
    steps: [String.raw`\# 4 0a000001`, String.raw`\# 0`].map((data) => ({
      records: [record("u", "TYPE65280", data)],
      // PowerDNS stores such types but accepts none in an update.
      refusedBy: { PowerDNS: /it cannot read the request \(FORMERR\)/ },
    })),
  },
];
