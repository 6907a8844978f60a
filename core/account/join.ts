import { Billing } from "../billing/billing.ts"
import { Payer } from "../billing/payer.ts"
import { Account } from "./account.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"

/**
 * The person of an address that was proved, and the account that they see first: their own, or else one that invited them, or
 * else a new one. An invitation of somebody who is here already adds an account to those that they can turn to.
 */
export async function join(email: string): Promise<{ person: Person.Info; accountId: string }> {
  const person = await Person.ofEmail(email)
  const [own] = await Member.ofPerson(person.id)
  const invited: string[] = []
  for (const { accountId, role } of await Member.invitationsOf(email)) {
    if (!(await Account.get(accountId))) continue
    await Member.add(accountId, person, role)
    invited.push(accountId)
  }
  const accountId = own?.accountId ?? invited[0]
  if (accountId !== undefined) return { person, accountId }
  // Where nothing can be paid, nobody has to: an account may have bridges up to its limit.
  const account = await Account.create({ name: email, ...(!Billing.isOn() && { subscription: "active" }) })
  await Member.add(account.id, person, "owner")
  // From the beginning: what becomes of it when billing is turned off and on again is decided by this record.
  if (Billing.isOn()) await Payer.change(await Payer.of(account.id), {})
  return { person, accountId: account.id }
}
