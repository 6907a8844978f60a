export * as Member from "./member.ts"

import { z } from "zod"
import { now, timeLeft } from "../platform/clock.ts"
import { removeRow, type Row, rowsBeginning, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Account } from "./account.ts"
import type { Person } from "./person.ts"

/** `owner`: also invites and removes people. `member`: everything else. `viewer`: reads, without secrets. */
export const Role = z.enum(["owner", "member", "viewer"])
export type Role = z.infer<typeof Role>

const Info = z.object({
  accountId: z.string(),
  personId: z.string(),
  email: z.string(),
  role: Role,
  since: z.number().int(),
  /** The account was made for this person. */
  isFounder: z.boolean(),
})
export type Info = z.infer<typeof Info>

const Invitation = z.object({
  accountId: z.string(),
  email: z.string(),
  role: Role,
  /** The address of the owner who invites. */
  by: z.string(),
  /** Unix seconds. */
  expiresAt: z.number().int(),
})
export type Invitation = z.infer<typeof Invitation>

/** How long an invitation holds, in seconds. */
export const invitedFor = 7 * 86_400

/** Makes a person a member, or changes their role. Uses up their invitation. */
export async function add(accountId: string, person: Person.Info, role: Role): Promise<void> {
  await transact([...adding(accountId, person, role), ...withdrawing(accountId, person.email)])
}

/** The writes that make a person the owner of the account that is made for them. */
export function founding(accountId: string, person: Person.Info): Write[] {
  return adding(accountId, person, "owner", true)
}

function adding(accountId: string, person: Person.Info, role: Role, isFounder = false) {
  const who = { account_id: accountId, person_id: person.id, email: person.email }
  const row = { ...who, role, since: now(), ...(isFounder && { founder: true }) }
  return [
    { Put: { TableName: tables.accounts, Item: { ...key(accountId, person.id), ...row } } },
    { Put: { TableName: tables.accounts, Item: { ...ofPersonKey(person.id, accountId), ...row } } },
  ]
}

/** A person's memberships: that of the account which was made for them, then the others, the oldest first. */
export async function ofPerson(personId: string): Promise<Info[]> {
  const found = (await rows(`PERSON#${personId}`, "MEMBER#")).map(fromRow)
  return found.toSorted((a, b) => Number(b.isFounder) - Number(a.isFounder) || a.since - b.since)
}

/** The members of an account: owners, members, viewers, each in the order in which they came. */
export async function list(accountId: string): Promise<Info[]> {
  const found = (await rows(`ACCOUNT#${accountId}`, "MEMBER#")).map(fromRow)
  const rank = (one: Info) => Role.options.indexOf(one.role)
  return found.toSorted((a, b) => rank(a) - rank(b) || a.since - b.since)
}

/** Ends a membership of an account that is gone, the last owner's as well. */
export async function removeWithAccount(accountId: string, personId: string): Promise<void> {
  await transact(removing(accountId, personId))
}

/**
 * Ends a membership, and the invitations that the person has sent.
 * @returns false when there is none, or when it is the last owner's: the account could invite no one any
 * more.
 */
export async function remove(accountId: string, personId: string): Promise<boolean> {
  const owner = await besides(accountId, personId)
  if (owner === undefined) return false
  const leaving = (await list(accountId)).find((one) => one.personId === personId)
  const open = (await invitations(accountId)).filter(({ by }) => by === leaving?.email)
  // Before the membership ends, so that no invitation by a removed person is left.
  for (const { email } of open) await withdraw(accountId, email)
  return !(await transact([...removing(accountId, personId), remains(accountId, owner)]))
}

/**
 * Gives a member another role.
 * @returns false when there is no such member, or it is the last owner: the account could invite no one any
 * more.
 */
export async function setRole(accountId: string, personId: string, role: Role): Promise<boolean> {
  const owner = await besides(accountId, personId)
  if (owner === undefined && role !== "owner") return false
  const changes = [key(accountId, personId), ofPersonKey(personId, accountId)].map((Key) => ({
    Update: {
      TableName: tables.accounts,
      Key,
      UpdateExpression: "SET #role = :role",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: { "#role": "role" },
      ExpressionAttributeValues: { ":role": role },
    },
  }))
  const isGiven = role === "owner"
  return !(await transact([...changes, ...(isGiven || !owner ? [] : [remains(accountId, owner)])]))
}

/** The writes by which a membership gets its person's new address. */
export function readdressing(accountId: string, personId: string, email: string): Write[] {
  return [key(accountId, personId), ofPersonKey(personId, accountId)].map((Key) => ({
    Update: {
      TableName: tables.accounts,
      Key,
      UpdateExpression: "SET email = :email",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":email": email },
    },
  }))
}

/** An owner of the account besides a member; undefined if there is none, or no such member. */
async function besides(accountId: string, personId: string): Promise<string | undefined> {
  const all = await list(accountId)
  if (all.every((one) => one.personId !== personId)) return undefined
  return all.find((one) => one.role === "owner" && one.personId !== personId)?.personId
}

/** Two owners who remove each other at the same time must not both succeed. */
function remains(accountId: string, owner: string): Write {
  return {
    ConditionCheck: {
      TableName: tables.accounts,
      Key: key(accountId, owner),
      ConditionExpression: "#role = :owner",
      ExpressionAttributeNames: { "#role": "role" },
      ExpressionAttributeValues: { ":owner": "owner" },
    },
  }
}

function removing(accountId: string, personId: string) {
  return [
    { Delete: { TableName: tables.accounts, Key: key(accountId, personId) } },
    { Delete: { TableName: tables.accounts, Key: ofPersonKey(personId, accountId) } },
  ]
}

/**
 * Lets the person of this address join within a week.
 * @param by the address of the owner who invites
 */
export async function invite(accountId: string, email: string, role: Role, by: string): Promise<void> {
  const item = { account_id: accountId, email, role, by, created_at: now(), expires_at: now() + invitedFor }
  await transact([
    { Put: { TableName: tables.accounts, Item: { ...invitationKey(accountId, email), ...item } } },
    { Put: { TableName: tables.accounts, Item: { ...invitedKey(email, accountId), ...item } } },
  ])
}

/** Uses an invitation. @returns false when there is none any more, or the account is gone */
export async function accept(accountId: string, person: Person.Info): Promise<boolean> {
  const invitation = (await invitationsOf(person.email)).find((one) => one.accountId === accountId)
  if (!invitation) return false
  const [first, second] = withdrawing(accountId, person.email)
  const refused = await transact([
    ...adding(accountId, person, invitation.role),
    {
      Delete: {
        ...first.Delete,
        // The invitation may have been withdrawn a moment ago, or made anew for another role.
        ConditionExpression: "#role = :role",
        ExpressionAttributeNames: { "#role": "role" },
        ExpressionAttributeValues: { ":role": invitation.role },
      },
    },
    second,
    {
      ConditionCheck: {
        TableName: tables.accounts,
        Key: Account.key(accountId),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
  ])
  return !refused
}

export async function withdraw(accountId: string, email: string): Promise<void> {
  for (const { Delete: it } of withdrawing(accountId, email)) await removeRow(it)
}

/** The open invitations of an account. */
export async function invitations(accountId: string): Promise<Invitation[]> {
  return (await rows(`ACCOUNT#${accountId}`, "INVITATION#")).map(invitationFromRow).filter(isOpen)
}

/** The open invitations of an address. */
export async function invitationsOf(email: string): Promise<Invitation[]> {
  return (await rows(`EMAIL#${email}`, "INVITED#")).map(invitationFromRow).filter(isOpen)
}

/** The store may remove a row some time after its end. */
function isOpen({ expiresAt }: Invitation): boolean {
  return timeLeft(expiresAt, invitedFor) > 0
}

function withdrawing(accountId: string, email: string) {
  return [
    { Delete: { TableName: tables.accounts, Key: invitationKey(accountId, email) } },
    { Delete: { TableName: tables.accounts, Key: invitedKey(email, accountId) } },
  ] as const
}

async function rows(pk: string, prefix: string): Promise<Row[]> {
  return await Array.fromAsync(rowsBeginning(tables.accounts, pk, prefix))
}

function key(accountId: string, personId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: `MEMBER#${personId}` }
}

function ofPersonKey(personId: string, accountId: string) {
  return { pk: `PERSON#${personId}`, sk: `MEMBER#${accountId}` }
}

function invitationKey(accountId: string, email: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: `INVITATION#${email}` }
}

function invitedKey(email: string, accountId: string) {
  return { pk: `EMAIL#${email}`, sk: `INVITED#${accountId}` }
}

function fromRow(row: Row): Info {
  const isFounder = row.founder ?? false
  return Info.parse({ ...row, accountId: row.account_id, personId: row.person_id, isFounder })
}

function invitationFromRow(row: Row): Invitation {
  return Invitation.parse({ ...row, accountId: row.account_id, by: row.by ?? "", expiresAt: row.expires_at })
}
