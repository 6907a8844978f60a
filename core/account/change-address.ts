import { transact } from "../store/store.ts"
import { ApiKey } from "./api-key.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"

/**
 * Gives a person another address, which they have proved to be theirs. Their accounts, and the keys and
 * invitations that they made, go on under it.
 * @returns false when another person has this address, or the person was changed meanwhile
 */
export async function changeAddress(person: Person.Info, email: string): Promise<boolean> {
  const memberships = await Member.ofPerson(person.id)
  const refused = await transact([
    ...Person.readdressing(person, email),
    ...memberships.flatMap(({ accountId }) => Member.readdressing(accountId, person.id, email)),
  ])
  if (refused) return false
  for (const { accountId } of memberships) {
    await ApiKey.renameMaker(accountId, person.email, email)
    const sent = (await Member.invitations(accountId)).filter(({ by }) => by === person.email)
    for (const one of sent) await Member.invite(accountId, one.email, one.role, email)
  }
  return true
}
