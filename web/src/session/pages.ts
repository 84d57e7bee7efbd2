/** The pages before a sign-in, but for the sign-in itself. They load together: the first page names every file that it may load, and has little room. */
export { ArrivalPage } from "./arrival-page.tsx";
export { ForgotPassword, ResetPassword } from "./password-pages.tsx";
export { Register } from "./register.tsx";
export { VerifyEmail } from "./verify-email.tsx";
