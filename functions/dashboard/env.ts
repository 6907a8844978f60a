import type { Account } from "#core/account/account.ts"
import type { Browser } from "#core/account/browser.ts"
import type { Member } from "#core/account/member.ts"
import type { Person } from "#core/account/person.ts"
import type { ApiEnv } from "../http/router.ts"

/** Who is signed in, where, and as what. */
interface Me {
  person: Person.Info
  account: Account.Info
  role: Member.Role
  browser: Browser.Info
}

export interface DashboardEnv {
  Variables: ApiEnv["Variables"] & { me: Me }
}
