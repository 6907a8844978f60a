import type { z } from "@hono/zod-openapi"
import type { createGroup } from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import type { Created, CreatedAnswer } from "../memory/created-groups.ts"
import { NetworkRejected } from "../network/errors.ts"
import { type Stanza, child, childrenOf, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { askForGroupChange, settingStanzas } from "./change-settings.ts"
import { askForGroupCard } from "./group-card.ts"
import { groupsOf } from "./group.ts"
import { askForGroups } from "./list.ts"
import { outcomesOf, participantStanzas, findPeople, type Person } from "./participants.ts"
import { orGroupRefusal } from "./refusals.ts"

type Wanted = z.output<(typeof createGroup)["request"]["body"]["content"]["application/json"]["schema"]>

interface Call {
  /** The id that the API has chosen. A retry of the call has the same one. */
  id: string
  /** Whether no earlier call had this id. */
  isNew: boolean
}

/**
 * Creates a group, once for each call. The request to the network has no id of the call: if it were sent
 * again, the network would make a second group. So a row says durably that a group is asked for, before the
 * request leaves. A retry that finds this row without an answer looks for the group among the account's own.
 * As long as the row is there, no failure is definite: a definite one would free the idempotency key, and the
 * next call would create a second group.
 * @throws ApiError `send_outcome_unknown`: there may be a group. `idempotency_conflict`: another call under
 * this id goes on. Any other, such as `recipient_not_found`, `group_full`, `invalid_request`: there is no
 * group
 */
export async function createGroupOnce(
  session: Pick<Session, "memory" | "use">,
  { id, isNew }: Call,
  wanted: Wanted,
): Promise<{ answer: CreatedAnswer; repeated: boolean }> {
  const { createdGroups: created } = await session.memory()
  return await created.alone(id, async () => {
    const before = isNew ? undefined : await created.find(id)
    if (before?.answer) return { answer: before.answer, repeated: true }
    try {
      return await session.use((connected) => createOrFind(connected, { id, before }, wanted))
    } catch (error) {
      throw error instanceof ApiError && (await created.find(id)) ? outcomeUnknown() : error
    }
  })
}

async function createOrFind(
  connected: ConnectedSession,
  { id, before }: { id: string; before: Created | undefined },
  wanted: Wanted,
) {
  const { created, generation } = connected
  const { name, members = [], ...settings } = wanted
  const people = await findPeople(connected, members)
  const found = before && (await madeBefore(connected, before, people))
  if (found) {
    await created.remember(id, { ...before, answer: found })
    return { answer: found, repeated: true }
  }
  const asked = { name, askedAt: connected.connection.networkTime(), generation }
  await created.remember(id, asked)
  const first = await participantStanzas(connected.connection, people, true)
  const card = await askForGroup(connected, id, [...first, ...settingStanzas(settings)], name)
  const answer = await answerOf(connected, card, people)
  // If the host dies before this is durable, a retry finds the group in the account's list.
  await created.remember(id, { ...asked, answer })
  return { answer, repeated: false }
}

async function askForGroup(
  { connection, created }: ConnectedSession,
  id: string,
  content: Stanza[],
  subject: string,
): Promise<Stanza> {
  try {
    const answer = await orGroupRefusal(
      askForGroupChange(connection, "@g.us", el("create", { subject }, content)),
    )
    const card = child(answer, "group")
    if (card?.attrs.id) return card
  } catch (error) {
    if (error instanceof NetworkRejected || error instanceof ApiError) {
      await created.forget(id)
      throw error
    }
  }
  throw outcomeUnknown()
}

/** The answer of the call. It also has the people who are not members, with the reason. */
async function answerOf(
  { connection, own }: ConnectedSession,
  card: Stanza,
  people: Person[],
): Promise<CreatedAnswer> {
  const nodes = childrenOf(card, "participant")
  const members = { ...card, children: card.children.filter(({ attrs }) => attrs.error === undefined) }
  const [group] = await groupsOf([members], { own, connection })
  return { group: group!, members: outcomesOf(people, nodes, { done: "added", isAdding: true }) }
}

/** How much the clocks of the network's own machines may differ, in seconds. */
const skew = 300

/**
 * The group that an earlier call under this id has made, if it has: of this name, made by this account since
 * that call, and not the answer to another call.
 * @throws ApiError `send_outcome_unknown` if there are several, or if another login has asked
 */
async function madeBefore(
  connected: ConnectedSession,
  before: Created,
  people: Person[],
): Promise<CreatedAnswer | undefined> {
  const { connection, own, created, generation } = connected
  if (before.generation !== generation) throw outcomeUnknown()
  const others = await created.known()
  const since = before.askedAt - skew
  const made = (await askForGroups(connected)).filter(
    (group) =>
      group.owner === own.jid &&
      group.name === before.name &&
      group.created >= since &&
      !others.has(group.jid),
  )
  const [first, ...more] = made
  if (!first) return undefined
  if (more.length > 0) throw outcomeUnknown()
  const card = await askForGroupCard(connection, first.jid)
  if (!card) throw outcomeUnknown()
  return await answerOf(connected, card, people)
}

function outcomeUnknown(): ApiError {
  return new ApiError(
    "send_outcome_unknown",
    "it is not known whether the group was created: retry with the same Idempotency-Key, or look for it with GET groups",
  )
}
