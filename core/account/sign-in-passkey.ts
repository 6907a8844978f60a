export * as SignInPasskey from "./sign-in-passkey.ts"

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { z } from "zod"
import { latestEnd, now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import {
  Bytes,
  getRow,
  putRow,
  removeRow,
  type Row,
  rowsBeginning,
  transact,
  updateRow,
} from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Person } from "./person.ts"
import { hashOf, isToken, newToken } from "./token.ts"

/**
 * A key on a person's device that signs them in. The device proves that it is unlocked, by a finger or a PIN.
 */
const Info = z.object({
  id: z.string(),
  personId: z.string(),
  /** The name that its person gave it. */
  name: z.string(),
  createdAt: z.number().int(),
  usedAt: z.number().int().optional(),
})
export type Info = z.infer<typeof Info>

const Stored = z.object({
  id: z.string(),
  person_id: z.string(),
  public_key: Bytes,
  counter: z.number().int(),
})

/** Where a passkey belongs: the service by its origin, as the person's browser shows it. */
interface Place {
  origin: string
}

/**
 * Loaded on first use: it has hundreds of modules, and most processes that know accounts never see a passkey.
 */
const webAuthn = () => import("@simplewebauthn/server")

/** How long a browser may take to answer a challenge, in seconds. */
export const answeredWithin = 5 * 60
/** The service's name, on the devices of people. */
const rpName = "Messaging bridge"
/** No person has more devices. Without a limit a person could fill the store. */
const most = 20

const Purpose = z.enum(["register", "sign-in"])
type Purpose = z.infer<typeof Purpose>

/** The options with which a browser makes a passkey; their challenge stays in a cookie of that browser. */
export async function optionsToAdd(person: Person.Info, place: Place) {
  const challenge = await newChallenge("register")
  const known = await list(person.id)
  const { generateRegistrationOptions } = await webAuthn()
  return await generateRegistrationOptions({
    rpName,
    rpID: rpOf(place),
    userName: person.email,
    userDisplayName: person.email,
    userID: new TextEncoder().encode(person.id),
    challenge: bytesOf(challenge),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  })
}

/**
 * Takes the passkey that a browser made.
 * @param challenge from the browser's cookie
 * @returns false when it is not what was asked for, too late, of another place, or known already
 */
export async function add(
  input: { person: Person.Info; name: string; challenge: string; response: unknown },
  place: Place,
): Promise<boolean> {
  if (!(await useChallenge(input.challenge, "register"))) return false
  if ((await list(input.person.id)).length >= most) return false
  const { verifyRegistrationResponse } = await webAuthn()
  const made = await verified(() =>
    verifyRegistrationResponse({
      response: input.response as RegistrationResponseJSON, // verified whole by this call
      ...expected(input.challenge, place),
    }),
  )
  if (!made?.verified) return false
  const { id, publicKey, counter } = made.registrationInfo.credential
  const personId = input.person.id
  const at = now()
  const refused = await transact([
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...key(id), id, person_id: personId, public_key: Buffer.from(publicKey), counter },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Put: {
        TableName: tables.accounts,
        Item: { ...ofPersonKey(personId, id), id, person_id: personId, name: input.name, created_at: at },
      },
    },
  ])
  return !refused
}

/** The options with which any browser signs in, by whichever passkey of this place its person chooses. */
export async function optionsToSignIn(place: Place) {
  const challenge = await newChallenge("sign-in")
  const { generateAuthenticationOptions } = await webAuthn()
  return await generateAuthenticationOptions({
    rpID: rpOf(place),
    challenge: bytesOf(challenge),
    userVerification: "required",
  })
}

/**
 * Whose passkey answered.
 * @returns undefined when it is none of ours, removed, too late, copied, or of another place
 */
export async function use(
  input: { challenge: string; response: unknown },
  place: Place,
): Promise<{ personId: string } | undefined> {
  if (!(await useChallenge(input.challenge, "sign-in"))) return undefined
  const id = z.object({ id: z.string().regex(/^[\w-]{1,1000}$/) }).safeParse(input.response).data?.id
  const row = id === undefined ? undefined : await getRow(tables.accounts, key(id))
  if (!row) return undefined
  const { id: known, person_id: personId, public_key, counter } = Stored.parse(row)
  const { verifyAuthenticationResponse } = await webAuthn()
  const answer = await verified(() =>
    verifyAuthenticationResponse({
      response: input.response as AuthenticationResponseJSON, // verified whole by this call
      ...expected(input.challenge, place),
      credential: { id: known, publicKey: new Uint8Array(public_key), counter },
    }),
  )
  if (!answer?.verified) return undefined
  const { newCounter } = answer.authenticationInfo
  return (await count(personId, known, newCounter)) ? { personId } : undefined
}

/** A person's passkeys, the oldest first. */
export async function list(personId: string): Promise<Info[]> {
  const rows = rowsBeginning(tables.accounts, `PERSON#${personId}`, "PASSKEY#")
  const found = await Array.fromAsync(rows, fromRow)
  return found.toSorted((a, b) => a.createdAt - b.createdAt)
}

/** Removes one of a person's passkeys. Another person's is left as it is. */
export async function remove(personId: string, id: string): Promise<void> {
  await Person.removeOf(personId, key(id), ofPersonKey(personId, id))
}

/**
 * Notes a use. A counter that does not rise says that the key was copied; devices that do not count say 0 for
 * ever (WebAuthn, 6.1.1).
 */
async function count(personId: string, id: string, counter: number): Promise<boolean> {
  const counted = await updateRow({
    TableName: tables.accounts,
    Key: key(id),
    UpdateExpression: "SET #counter = :new",
    ConditionExpression: "#counter < :new OR (#counter = :none AND :new = :none)",
    ExpressionAttributeNames: { "#counter": "counter" },
    ExpressionAttributeValues: { ":new": counter, ":none": 0 },
  })
  if (!("now" in counted)) return false
  await updateRow({
    TableName: tables.accounts,
    Key: ofPersonKey(personId, id),
    UpdateExpression: "SET used_at = :now",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":now": now() },
  })
  return true
}

/** A challenge is good for one answer. */
async function newChallenge(purpose: Purpose): Promise<string> {
  const challenge = newToken()
  const Item = { ...challengeKey(challenge), purpose, expires_at: now() + answeredWithin }
  await putRow({ TableName: tables.accounts, Item })
  return challenge
}

async function useChallenge(challenge: string, purpose: Purpose): Promise<boolean> {
  if (!isToken(challenge)) return false
  const refused = await removeRow({
    TableName: tables.accounts,
    Key: challengeKey(challenge),
    ConditionExpression: "purpose = :purpose AND expires_at > :now AND expires_at <= :latest",
    ExpressionAttributeValues: {
      ":purpose": purpose,
      ":now": now(),
      ":latest": latestEnd(answeredWithin),
    },
  })
  return !refused
}

/** The library throws for whatever is wrong with an answer. */
async function verified<Answer>(verify: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await verify()
  } catch (error) {
    log.info({ error }, "a passkey's answer was refused")
    return undefined
  }
}

function expected(challenge: string, { origin }: Place) {
  return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpOf({ origin }) }
}

/** Passkeys belong to the name of a host. */
function rpOf({ origin }: Place): string {
  return new URL(origin).hostname
}

function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(challenge, "base64url"))
}

function key(id: string) {
  return { pk: `PASSKEY#${id}`, sk: "PASSKEY" }
}

function ofPersonKey(personId: string, id: string) {
  return { pk: `PERSON#${personId}`, sk: `PASSKEY#${id}` }
}

function challengeKey(challenge: string) {
  return { pk: `CHALLENGE#${hashOf(challenge)}`, sk: "CHALLENGE" }
}

function fromRow(row: Row): Info {
  return Info.parse({ ...row, personId: row.person_id, createdAt: row.created_at, usedAt: row.used_at })
}
