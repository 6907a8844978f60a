export * as Person from "./person.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { getRow, type Key, type Row, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/** A person who signs in to the dashboard. What they may do depends on the account (`Member`). */
export const Info = z.object({
  id: z.string(),
  email: z.string(),
  createdAt: z.number().int(),
  /** The account that was made for them last. */
  madeAccountId: z.string().optional(),
})
export type Info = z.infer<typeof Info>

/** An address as it is stored and compared. RFC 5321, 4.5.3.1.3: at most 254 characters. */
export const Email = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email("this is not an e-mail address").max(254, "an e-mail address has at most 254 characters"))

export async function get(personId: string): Promise<Info | undefined> {
  const row = await getRow(tables.accounts, key(personId))
  return row && fromRow(row)
}

/** Whether a person has signed in with this address. */
export async function isKnown(email: string): Promise<boolean> {
  return (await getRow(tables.accounts, emailKey(email))) !== undefined
}

/** The person of this address, made now if there is none. */
export async function findOrMake(email: string): Promise<Info> {
  const person: Info = { id: randomUUID(), email, createdAt: now() }
  const refused = await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...emailKey(email), person_id: person.id },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    { Put: { TableName: tables.accounts, Item: toRow(person) } },
  ])
  if (!refused) return person
  const known = await get(z.string().parse(refused[0]?.person_id))
  if (!known) throw new Error("an address leads to nobody")
  return known
}

/**
 * Removes something of a person: its own row, and the one that lists it. Another person's is left as it is.
 */
export async function removeOf(personId: string, own: Key, listed: Key): Promise<void> {
  await transact([
    {
      Delete: {
        TableName: tables.accounts,
        Key: own,
        ConditionExpression: "person_id = :person",
        ExpressionAttributeValues: { ":person": personId },
      },
    },
    { Delete: { TableName: tables.accounts, Key: listed } },
  ])
}

/**
 * The write that notes the account made for a person. It is refused if another was made after the person was
 * read.
 */
export function notingMadeAccount(person: Info, accountId: string): Write {
  const former = person.madeAccountId
  return {
    Update: {
      TableName: tables.accounts,
      Key: key(person.id),
      UpdateExpression: "SET made_account_id = :made",
      ConditionExpression:
        former === undefined
          ? "attribute_exists(pk) AND attribute_not_exists(made_account_id)"
          : "made_account_id = :former",
      ExpressionAttributeValues: { ":made": accountId, ...(former !== undefined && { ":former": former }) },
    },
  }
}

/** The writes by which a person gets another address. They are refused if another person has it. */
export function readdressing({ id, email }: Info, to: string): Write[] {
  return [
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...emailKey(to), person_id: id },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    { Delete: { TableName: tables.accounts, Key: emailKey(email) } },
    {
      Update: {
        TableName: tables.accounts,
        Key: key(id),
        UpdateExpression: "SET email = :to",
        ConditionExpression: "email = :from",
        ExpressionAttributeValues: { ":from": email, ":to": to },
      },
    },
  ]
}

/** Removes a person and their address. Who signs in with it later is a new person. */
export async function remove(personId: string): Promise<void> {
  const person = await get(personId)
  if (!person) return
  await transact([
    { Delete: { TableName: tables.accounts, Key: key(personId) } },
    { Delete: { TableName: tables.accounts, Key: emailKey(person.email) } },
  ])
}

function key(personId: string) {
  return { pk: `PERSON#${personId}`, sk: "PROFILE" }
}

/** Leads from an address to its person. */
function emailKey(email: string) {
  return { pk: `EMAIL#${email}`, sk: "PERSON" }
}

function toRow(person: Info): Row {
  return { ...key(person.id), id: person.id, email: person.email, created_at: person.createdAt }
}

function fromRow(row: Row): Info {
  return Info.parse({ ...row, createdAt: row.created_at, madeAccountId: row.made_account_id })
}
