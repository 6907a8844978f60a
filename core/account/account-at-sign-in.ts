import { ApiError } from "../error.ts"
import { transact } from "../store/store.ts"
import { Account } from "./account.ts"
import { accountsOf, invitationsTo } from "./accounts-of.ts"
import { Billing } from "./billing.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"

/**
 * The person of an address that was proved, and the account that they see first: the preferred one if they
 * are in it, or else their own, or else the one that they have been in for longest. A new person gets an
 * account of their own, unless they are invited: then they choose, and the account is `""`. An invitation is
 * accepted by a person, never by a sign-in: it would lead them into an account of people whom they may not
 * know.
 *
 * @param preferred ids of accounts, the best first
 */
export async function findOrOpenAccount(
  email: string,
  preferred: string[] = [],
): Promise<{ person: Person.Info; accountId: string }> {
  const person = await Person.findOrMake(email)
  const ids = (await accountsOf(person.id)).map(({ account }) => account.id)
  const known = preferred.find((id) => ids.includes(id)) ?? ids[0]
  if (known !== undefined) return { person, accountId: known }
  const isInvited = (await invitationsTo(email)).length > 0
  return { person, accountId: isInvited ? "" : await openAccount(person.id) }
}

/** How often a call tries: a simultaneous one may be faster. */
const tries = 5

/**
 * Makes an account for a person who owns none. Simultaneous calls make one account, and all return it.
 * @returns the id of the account that they own
 * @throws ApiError `unauthorized` when the person is gone
 */
export async function openAccount(personId: string): Promise<string> {
  for (let i = 0; i < tries; i++) {
    const person = await Person.get(personId)
    if (!person) throw new ApiError("unauthorized", "you are not known any more: sign in again")
    const owned = (await accountsOf(personId)).find(({ role }) => role === "owner")
    const id = owned?.account.id ?? (await madeFor(person))
    if (id !== undefined) return id
  }
  throw new Error("accounts kept being made for a person")
}

/** @returns the id of the new account; undefined if another was made for them meanwhile */
async function madeFor(person: Person.Info): Promise<string | undefined> {
  const { account, writes } = Account.creating({
    name: person.email,
    // Without billing no account has to pay: an account may have bridges up to its limit.
    ...(!Billing.isOn() && { subscription: "active" }),
  })
  const refused = await transact([
    ...writes,
    ...Member.founding(account.id, person),
    Person.notingMadeAccount(person, account.id),
    // From the beginning: these rows decide what becomes of the account when billing is turned off and on
    // again.
    ...(Billing.isOn() ? await Billing.enrolling(account.id) : []),
  ])
  return refused ? undefined : account.id
}
