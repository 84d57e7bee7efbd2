import { whole, withHead, type AwkwardZone } from "./awkward-zone.ts";

const key =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqK1v2Jf0m9Y3o5S7nq8tXvWk4hJrPZ0uCeB6yLdGx1sTaNfQ2wVbRiEoHcUjMpKzDg8A5lXt7nWy3rFqJ4vB0sCe";

/** Zones as products write them. */
export const realZones: AwkwardZone[] = [
  withHead(
    "DNS-SD of a printer",
    String.raw`_services._dns-sd._udp PTR _ipp._tcp
_ipp._tcp PTR Lab\032Printer\.2._ipp._tcp
Lab\032Printer\.2._ipp._tcp SRV 0 0 631 printer
Lab\032Printer\.2._ipp._tcp TXT "txtvers=1" "qtotal=1" "rp=printers/lab" "ty=Lab \"2\""
b._dns-sd._udp PTR @
lb._dns-sd._udp PTR @
printer A 192.0.2.40`,
  ),
  withHead(
    "DNS-SD texts that are empty or repeat a key",
    `_x._tcp PTR a._x._tcp\na._x._tcp SRV 0 0 1 ns1\na._x._tcp TXT ""\nb._x._tcp TXT "a=1" "a=2" "flag" "bin=\\000\\001"`,
  ),
  withHead(
    "Active Directory",
    `_ldap._tcp SRV 0 100 389 dc1
_ldap._tcp.Default-First-Site-Name._sites SRV 0 100 389 dc1
_ldap._tcp.pdc._msdcs SRV 0 100 389 dc1
_kerberos._tcp.dc._msdcs SRV 0 100 88 dc1
_gc._tcp SRV 0 100 3268 dc1
gc._msdcs A 192.0.2.10
gc._msdcs AAAA 2001:db8::10
0f8fad5b-d9cb-469f-a165-70867728950e._msdcs CNAME dc1
DomainDnsZones A 192.0.2.10
ForestDnsZones A 192.0.2.10
dc1 A 192.0.2.10`,
  ),
  withHead("a delegated _msdcs", "_msdcs NS dc1\ndc1 A 192.0.2.10"),
  whole(
    "the _msdcs zone by itself",
    "$TTL 600\n@ SOA dc1.ad.example.com. hostmaster.ad.example.com. 21 900 600 86400 3600\n@ NS dc1.ad.example.com.\ngc A 192.0.2.10\n_ldap._tcp.dc 600 SRV 0 100 389 dc1.ad.example.com.\n",
    "_msdcs.ad.example.com",
  ),
  withHead("DKIM over two strings", `k1._domainkey TXT ( "v=DKIM1; k=rsa; p=${key}"\n "${key}AQAB" )`),
  withHead(
    "DKIM over strings of 64 octets",
    `k2._domainkey TXT ${(`v=DKIM1; p=${key}`.match(/.{1,64}/g) ?? []).map((part) => `"${part}"`).join(" ")}`,
  ),
  withHead("DKIM whose first string is full", `k3._domainkey TXT "${`v=DKIM1; p=${key}${key}`.slice(0, 255)}" "tail"`),
  withHead(
    "SPF as TXT and as SPF, in pieces",
    '@ TXT "v=spf1 include:_spf.example.net " "-all"\n@ SPF "v=spf1 include:_spf.example.net " "-all"',
  ),
  withHead(
    "mail with everything",
    `@ MX 10 mx1\n@ MX 20 mx2.example.net.\nmx1 A 192.0.2.20\n_dmarc TXT "v=DMARC1; p=reject; rua=mailto:d@example.com"\n_mta-sts TXT "v=STSv1; id=1;"\n_smtp._tls TXT "v=TLSRPTv1; rua=mailto:t@example.com"\n_25._tcp.mx1 TLSA 3 1 1 ${"ab".repeat(32)}\ndefault._bimi TXT "v=BIMI1; l=https://example.com/l.svg"`,
  ),
  withHead(
    "ACME challenges side by side",
    '_acme-challenge TXT "one"\n_acme-challenge TXT "two"\n_acme-challenge.www CNAME www.acme.example.net.',
  ),
  withHead(
    "CAA",
    '@ CAA 0 issue "letsencrypt.org"\n@ CAA 0 issue "ca.example.net; account=230123"\n@ CAA 0 issuewild ";"\n@ CAA 128 iodef "mailto:s@example.com"\n@ CAA 0 unknowntag "x"',
  ),
  whole(
    "a reverse zone",
    "$TTL 1d\n@ SOA ns1.example.com. hostmaster.example.com. 1 2h 15m 2w 5m\n@ NS ns1.example.com.\n1 PTR a.example.com.\n10 PTR b.example.com.\n10 PTR c.example.com.\n",
    "2.0.192.in-addr.arpa",
  ),
  whole(
    "a reverse zone for less than an octet (RFC 2317)",
    "$TTL 1d\n@ SOA ns1.example.com. hostmaster.example.com. 1 2h 15m 2w 5m\n@ NS ns1.example.com.\n129 PTR a.example.com.\n",
    "128/26.2.0.192.in-addr.arpa",
  ),
  whole(
    "the zone above such a one",
    `$TTL 1d\n@ SOA ns1.example.com. hostmaster.example.com. 1 2h 15m 2w 5m\n@ NS ns1.example.com.\n128/26 NS ns.example.net.\n129 CNAME 129.128/26\n130 CNAME 130.128/26.2.0.192.in-addr.arpa.\n0-25 NS ns.example.net.\n1 CNAME 1.0-25\n`,
    "2.0.192.in-addr.arpa",
  ),
  whole(
    "a reverse zone of IPv6",
    "$TTL 1d\n@ SOA ns1.example.com. hostmaster.example.com. 1 2h 15m 2w 5m\n@ NS ns1.example.com.\n1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 PTR a.example.com.\n$ORIGIN 0.0.0.0\n2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 PTR b.example.com.\n",
    "0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
  ),
  whole(
    "ENUM",
    `$TTL 60\n@ SOA ns1.example.com. h.example.com. 1 2 3 4 5\n@ NS ns1.example.com.\n4.3.2.1 NAPTR 100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .\n4.3.2.1 NAPTR 100 20 "u" "E2U+email" "!^(.*)$!mailto:\\\\1@example.com!i" .\n`,
    "5.5.5.1.e164.arpa",
  ),
  withHead(
    "a response policy in a zone",
    "bad.example.net CNAME .\n*.bad.example.net CNAME .\nlocal.example.net A 127.0.0.1\n32.34.216.184.93.rpz-ip CNAME rpz-passthru.",
  ),
  withHead(
    "Kubernetes' external-dns",
    'app A 192.0.2.30\napp TXT "heritage=external-dns,external-dns/owner=default,external-dns/resource=service/default/app"\ncname-app TXT "heritage=external-dns"',
  ),
  withHead(
    "HTTPS and SVCB",
    `@ HTTPS 1 . alpn="h2,h3" ipv4hint=192.0.2.1 ipv6hint=2001:db8::1\nwww HTTPS 0 cdn.example.net.\n_8443._https.api HTTPS 1 . port=8443 alpn=h3 mandatory=port,alpn\n_dns.resolver SVCB 1 dns.example.net. alpn=dot dohpath="/dns-query{?dns}" key8\nech HTTPS 1 . ech=AEn+DQBFKwAgACABWIHUGj4u+PIggYXcR5JF0gYk3dCRioBW8uJq9H4mKAAIAAEAAQABAANAEnB1YmxpYy50bHMtZWNoLmRldgAA key65280="x y"`,
  ),
  withHead("round robin", Array.from({ length: 90 }, (_, index) => `pool A 10.1.0.${index}`).join("\n")),
  withHead(
    "a thousand hosts",
    Array.from({ length: 1000 }, (_, index) => `h${index} A 10.2.${index >> 8}.${index & 255}`).join("\n"),
  ),
];
