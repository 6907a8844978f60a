import { Account } from "./account.ts"
import { Member } from "./member.ts"

/**
 * The accounts that a person is in, and that still exist: their own first, then by the age of the membership.
 */
export async function accountsOf(personId: string): Promise<{ account: Account.Info; role: Member.Role }[]> {
  return await existing(await Member.ofPerson(personId))
}

/** The accounts that invite an address, and that still exist. */
export async function invitationsTo(
  email: string,
): Promise<(Member.Invitation & { account: Account.Info })[]> {
  return await existing(await Member.invitationsOf(email))
}

/** An account can be deleted between two reads. */
async function existing<Of extends { accountId: string }>(all: Of[]) {
  const accounts = await Promise.all(all.map(({ accountId }) => Account.get(accountId)))
  return all.flatMap((one, i) => {
    const account = accounts[i]
    return account ? [{ ...one, account }] : []
  })
}
