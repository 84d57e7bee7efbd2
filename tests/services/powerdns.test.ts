import { startPowerdns } from "../support/name-servers/powerdns-api.ts";
import { powerdnsSuite } from "./powerdns/suite.ts";

powerdnsSuite(startPowerdns, true);
