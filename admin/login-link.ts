import { Email } from "#core/account/person.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { config } from "#core/platform/config.ts"
import { argument, Refused, type Verb } from "./verb.ts"

/** For an operator's first sign-in, and for whoever cannot be mailed. */
export const loginLink: Verb = {
  takes: "<email>",
  says: "a link that signs this address in, once, within a day; a new address becomes an account",
  run: async (args) => {
    const email = Email.safeParse(argument(args, 0, "email"))
    if (!email.success) throw new Refused(email.error.issues[0]?.message ?? "not an e-mail address")
    const token = await SignIn.print(email.data)
    return [{ link: `${config.DASHBOARD_URL.replace(/\/$/, "")}/sign-in/link/${token}` }]
  },
}
