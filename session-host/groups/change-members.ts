import type { ErrorCode } from "#contract/error.ts"
import type { MemberOutcome } from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import { messageIdFor } from "#core/message/message-id.ts"
import { buildMessage, toInvitation } from "../content/compose.ts"
import { wholeNumber } from "../content/mapped.ts"
import { type Stanza, child, childrenOf, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { askForGroupChange } from "./change-settings.ts"
import { askForGroupCard } from "./group-card.ts"
import { groupsOf } from "./group.ts"
import { outcomesOf, participantStanzas, type Person, findPeople } from "./participants.ts"
import { orGroupRefusal, notInGroup } from "./refusals.ts"

/**
 * What may be done with people of a group: the tag of the request to the network, and the outcome for a
 * person who was not refused.
 */
const verbs = {
  add: "added",
  remove: "removed",
  promote: "promoted",
  demote: "demoted",
  approve: "approved",
  reject: "rejected",
} as const

/** The verbs for people who ask to join. In the request they stand in a node of their own. */
const deciding = new Set<Verb>(["approve", "reject"])

type Verb = keyof typeof verbs

/**
 * Does something with people of a group.
 * @throws ApiError `not_found`, `not_admin`, `recipient_not_found`: nothing was changed then.
 * NetworkRejected, NoAnswer
 */
export async function changeMembers(
  connected: ConnectedSession,
  group: string,
  verb: Verb,
  given: string[],
): Promise<MemberOutcome[]> {
  const people = await findPeople(connected, given, { areThere: verb !== "add" })
  return outcomes(verb, people, await askFor(connected, group, verb, people))
}

/** @returns the nodes of the answer, one for each person */
async function askFor(
  { connection }: ConnectedSession,
  group: string,
  verb: Verb,
  people: Person[],
): Promise<Stanza[]> {
  const named = await participantStanzas(connection, people, verb === "add")
  const [change, tag] = [el(verb, {}, named), "membership_requests_action"]
  const asked = deciding.has(verb) ? el(tag, {}, [change]) : change
  const answer = await orGroupRefusal(askForGroupChange(connection, group, asked))
  return childrenOf(child(child(answer, tag) ?? answer, verb), "participant")
}

function outcomes(verb: Verb, people: Person[], nodes: Stanza[]): MemberOutcome[] {
  return outcomesOf(people, nodes, { done: verbs[verb], isAdding: verb === "add" })
}

/**
 * After this time no further invitation is sent, ms: each may take the network fifteen seconds, and a caller
 * waits for fifty.
 */
const inviteWithinMs = 20_000

/**
 * Adds people, and invites those who may not be added, if that is wanted. A person whose invitation is not
 * sent stays refused: the next call gets another invitation from the network. A retry, which has the same id
 * as the first call, sends no person a second invitation.
 * @throws as `changeMembers`, and `send_outcome_unknown` or `idempotency_conflict` if an invitation may be on
 * its way
 */
export async function addAndInvite(
  session: Session,
  { id, isNew }: { id: string; isNew: boolean },
  wanted: Adding,
): Promise<{ answer: MemberOutcome[]; repeated: boolean }> {
  const { createdGroups: kept } = await session.memory()
  return await kept.alone(id, async () => {
    const before = isNew ? undefined : await kept.outcomesOf(id)
    if (before) return { answer: before, repeated: true }
    const answer = await addedAndInvited(session, { id, isNew }, wanted)
    // If the host dies before this is durable, a retry asks again, and sends the invitations under the ids
    // that they had.
    await kept.writeOutcomes(id, answer)
    return { answer, repeated: false }
  })
}

interface Adding {
  group: string
  members: string[]
  invite?: boolean | undefined
}

async function addedAndInvited(
  session: Session,
  { id, isNew }: { id: string; isNew: boolean },
  { group, ...wanted }: Adding,
): Promise<MemberOutcome[]> {
  const startMs = performance.now()
  const mayHaveInvited = !isNew && wanted.invite === true
  const { added, invitations, name } = await useAgain(session, mayHaveInvited, async (connected) => {
    const people = await findPeople(connected, wanted.members)
    const nodes = await askFor(connected, group, "add", people)
    const invitations = wanted.invite ? nodes.flatMap((node) => invitationIn(node, people)) : []
    const name = invitations.length > 0 ? await nameOf(connected, group) : ""
    return { added: outcomes("add", people, nodes), invitations, name }
  })
  for (const { to, code, expiration } of invitations) {
    if (performance.now() - startMs > inviteWithinMs) break
    const message = buildMessage(toInvitation({ group, name, code, expiration }))
    const isSent = await send(session, { messageId: messageIdFor(id, to.jid), isNew, to, message })
    const outcome = added.find(({ jid }) => jid === to.jid)
    if (isSent && outcome) Object.assign(outcome, { outcome: "invited" })
  }
  return added
}

/**
 * Works like `Session.use`. If an earlier call may have invited people, a refusal is not definite: it would
 * free the idempotency key, and the next call would invite them again.
 */
async function useAgain<Result>(
  session: Session,
  mayHaveInvited: boolean,
  work: (connected: ConnectedSession) => Promise<Result>,
): Promise<Result> {
  try {
    return await session.use(work)
  } catch (error) {
    if (!mayHaveInvited || !(error instanceof ApiError)) throw error
    throw new ApiError(
      "send_outcome_unknown",
      `it is not known whom an earlier call under this Idempotency-Key has invited, and now: ${error.message}`,
    )
  }
}

function invitationIn(node: Stanza, people: Person[]) {
  const request = child(node, "add_request")
  const { code } = request?.attrs ?? {}
  const to = people.find(({ jid, lid }) => node.attrs.jid === lid || node.attrs.jid === jid)
  return to && code ? [{ to, code, expiration: wholeNumber(request?.attrs.expiration) }] : []
}

async function nameOf({ connection, own }: ConnectedSession, group: string): Promise<string> {
  const card = await askForGroupCard(connection, group)
  if (!card) throw notInGroup()
  const [found] = await groupsOf([card], { own, connection })
  return found?.name ?? ""
}

/** Why an invitation may have left all the same, or may yet leave. */
const open = new Set<ErrorCode>(["send_outcome_unknown", "idempotency_conflict"])

/**
 * Sends an invitation, unless an earlier call has sent it under this id.
 * @returns whether it was sent: after a definite failure, the caller must still hear of the people who were
 * added
 * @throws ApiError `send_outcome_unknown`, `idempotency_conflict`
 */
async function send(
  session: Session,
  { to, message, ...identity }: { messageId: string; isNew: boolean; to: Person; message: Uint8Array },
): Promise<boolean> {
  const composeFor = async (connected: ConnectedSession) => {
    const chat = await connected.reach(to.jid || to.lid)
    await connected.pace(chat)
    return { chat, message }
  }
  try {
    await session.send({ ...identity, composeFor })
    return true
  } catch (error) {
    if (error instanceof ApiError && !open.has(error.code)) return false
    throw error
  }
}
