import { Billing } from "../billing/billing.ts"
import { Payer } from "../billing/payer.ts"
import { Account } from "./account.ts"
import { accountsOf, invitationsTo } from "./accounts-of.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"

/**
 * The person of an address that was proved, and the account that they see first: the preferred one if they are in it, or else
 * their own, or else the one that they have been in for longest. Somebody new gets an account of their own, unless they are
 * invited: then they choose, and the account is `""`. An invitation is accepted by a person, never by a sign-in: it would
 * lead them into an account of somebody whom they may not know.
 *
 * @param preferred ids of accounts, the best first
 */
export async function join(
  email: string,
  preferred: string[] = [],
): Promise<{ person: Person.Info; accountId: string }> {
  const person = await Person.ofEmail(email)
  const ids = (await accountsOf(person.id)).map(({ account }) => account.id)
  const known = preferred.find((id) => ids.includes(id)) ?? ids[0]
  if (known !== undefined) return { person, accountId: known }
  const isInvited = (await invitationsTo(email)).length > 0
  return { person, accountId: isInvited ? "" : await openAccount(person) }
}

/** Makes an account for a person. @returns its id */
export async function openAccount(person: Person.Info): Promise<string> {
  // Where nothing can be paid, nobody has to: an account may have bridges up to its limit.
  const account = await Account.create({
    name: person.email,
    ...(!Billing.isOn() && { subscription: "active" }),
  })
  await Member.add(account.id, person, "owner", { isFounder: true })
  // From the beginning: what becomes of it when billing is turned off and on again is decided by this record.
  if (Billing.isOn()) await Payer.change(await Payer.of(account.id), {})
  return account.id
}
