import type { Account } from "#core/account/account.ts"
import type { Browser } from "#core/account/browser.ts"
import type { Member } from "#core/account/member.ts"
import type { Person } from "#core/account/person.ts"
import type { ApiEnv } from "../http/contract-router.ts"

/** Who is signed in, and where. */
interface Signed {
  person: Person.Info
  browser: Browser.Info
}

/** Whose account they see, and as what. */
interface Me extends Signed {
  account: Account.Info
  role: Member.Role
}

export interface DashboardEnv {
  Variables: ApiEnv["Variables"] & { signed: Signed; me: Me }
}
