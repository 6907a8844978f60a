import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"

/**
 * Creates the operator's account at the first start. The operator signs in with `npm run admin --
 * login-link`.
 */
export async function createOperatorAccount(email: string): Promise<void> {
  const person = await Person.findOrMake(email)
  const roles = await Member.ofPerson(person.id)
  const accounts = await Promise.all(roles.map(({ accountId }) => Account.get(accountId)))
  if (accounts.some((account) => account?.isOperator)) return
  const { id } = await Account.create({ name: "Operator", subscription: "active" })
  await Account.makeOperator(id)
  await Member.add(id, person, "owner")
}
