import { codeAt, step } from "./authenticator-app.ts";

// `node app-code.ts <secret> <steps>`: the code that an authenticator app shows so many time steps from now.
const [, , secret = "", steps = "0"] = process.argv;
console.log(codeAt(secret, new Date(Date.now() + Number(steps) * step)));
