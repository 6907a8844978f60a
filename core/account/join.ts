import { Billing } from "../billing/billing.ts"
import { Account } from "./account.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"

/**
 * The person of an address that was proved, and the account that they see first. A new address is a new account, or a
 * member of those that invited it.
 */
export async function join(email: string): Promise<{ person: Person.Info; accountId: string }> {
  const person = await Person.ofEmail(email)
  const invitations = await Member.invitationsOf(email)
  for (const { accountId, role } of invitations)
    if (await Account.get(accountId)) await Member.add(accountId, person, role)
  const [first] = await Member.ofPerson(person.id)
  const accountId = invitations[0]?.accountId ?? first?.accountId
  if (accountId !== undefined) return { person, accountId }
  // Where nothing can be paid, nobody has to: an account may have bridges up to its limit.
  const account = await Account.create({ name: email, ...(!Billing.isOn() && { subscription: "active" }) })
  await Member.add(account.id, person, "owner")
  return { person, accountId: account.id }
}
