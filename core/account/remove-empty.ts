import { Receiver } from "../event/receiver.ts"
import { changesAre } from "../event/webhook-changes.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Account } from "./account.ts"
import { accountsOf } from "./accounts-of.ts"
import { AuditLog } from "./audit-log.ts"
import { Billing } from "./billing.ts"
import { Brand } from "./brand.ts"
import { Browser } from "./browser.ts"
import { Member } from "./member.ts"
import { Person } from "./person.ts"
import { SignInPasskey } from "./sign-in-passkey.ts"
import { Troubles } from "./troubles.ts"

/**
 * Deletes an account, and its people. @returns false when there is no such account, or it still has bridges.
 */
export async function removeEmpty(accountId: string): Promise<boolean> {
  const account = await Account.get(accountId)
  if (!account) return false
  const { condition, values } = changesAre(account.webhookChanges)
  const refused = await transact([
    {
      Delete: {
        TableName: tables.accounts,
        Key: Account.key(accountId),
        ConditionExpression: `bridges = :no_bridge AND ${condition}`,
        ExpressionAttributeValues: { ":no_bridge": 0, ...values },
      },
    },
    ...account.webhooks.map((webhookId) => ({
      Delete: {
        TableName: tables.events,
        Key: Receiver.key(Receiver.atAccount({ accountId, webhookId })),
      },
    })),
    { Delete: { TableName: tables.accounts, Key: { pk: "ACCOUNTS", sk: accountId } } },
    // Its subscription ends at the next look at Stripe, which finds no account.
    ...(await Billing.changing(accountId)),
  ])
  if (refused) return false
  await removePeople(accountId)
  await AuditLog.forget(accountId)
  await Troubles.forget(accountId)
  await Brand.forget(accountId)
  return true
}

/**
 * Ends the memberships and invitations of an account that is gone. People who are in no other account are
 * forgotten. Each membership is removed after its person: if this is interrupted, the next call still finds
 * the person.
 */
export async function removePeople(accountId: string): Promise<void> {
  for (const { email } of await Member.invitations(accountId)) await Member.withdraw(accountId, email)
  for (const { personId } of await Member.list(accountId)) {
    if ((await accountsOf(personId)).length === 0) await forget(personId)
    await Member.removeWithAccount(accountId, personId)
  }
}

async function forget(personId: string): Promise<void> {
  for (const { id } of await Browser.list(personId)) await Browser.remove(personId, id)
  for (const { id } of await SignInPasskey.list(personId)) await SignInPasskey.remove(personId, id)
  await Person.remove(personId)
}
