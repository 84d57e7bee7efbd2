import { testConformance } from "./suite.ts";
import { targets } from "./targets.ts";

testConformance(targets["powerdns-api"]);
