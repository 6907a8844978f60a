import * as contract from "#contract/label.ts"
import { ApiError } from "#core/error.ts"
import { isGroup, toJid, userOf } from "#core/message/jid.ts"
import { newTurns } from "#core/platform/locks.ts"
import { chatOf } from "../content/remembered.ts"
import type { Connection, Setting, SettingChange } from "../network/connection.ts"
import { proto } from "../network/proto.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { nameInSettings } from "./change-chat.ts"
import { command } from "./command.ts"
import { findMessages } from "./message-to-act-on.ts"

// Contract, "Labels". The settings, with their versions, are those of WhatsApp Web (`WAWebLabelSync`,
// `WAWebLabelJidSync`); that of a message is whatsmeow's (`appstate/encode.go`), with the whole key of the
// message.

const collection = "regular"
const version = 3
const ofChat = "label_jid"
const ofMessage = "label_message"

type Edit = proto.SyncActionValue.ILabelEditAction
interface Label {
  id: string
  edit: Edit
}

/** Lists of chats that every account has are settings of the same kind. */
const { NONE, PREDEFINED, CUSTOM } = proto.SyncActionValue.LabelEditAction.ListType
const typesOfLabels: unknown[] = [undefined, null, NONE, PREDEFINED, CUSTOM]

export const labels = {
  listLabels: command(contract.listLabels, ({ session, query }) =>
    withLabels(session, async ({ labels: all, put }, { namesOf }) => {
      if (query.chat === undefined) return all.map(labelWire)
      const names = await namesOf(toJid(query.chat))
      const its = new Set(
        put.flatMap(({ index: [kind, id, chat = ""] }) => (kind === ofChat && names.has(chat) ? id : [])),
      )
      return all.filter(({ id }) => its.has(id)).map(labelWire)
    }),
  ),

  createLabel: command(contract.createLabel, ({ session, body: { name, color } }) =>
    withLabels(session, async ({ labels: all, lastId }, { connection }) => {
      const known = all.find(({ edit }) => edit.name === name)
      if (known) return labelWire(known)
      const label = {
        id: String(lastId + 1),
        edit: { name, color, deleted: false, isActive: true, type: CUSTOM },
      }
      await connection.changeSetting(changeOf(label))
      return labelWire(label)
    }),
  ),

  updateLabel: command(contract.updateLabel, ({ session, params, body }) =>
    withLabels(session, async (known, { connection }) => {
      const before = labelIn(known, params.id)
      const label = { ...before, edit: { ...before.edit, ...body } }
      await connection.changeSetting(changeOf(label))
      return labelWire(label)
    }),
  ),

  removeLabel: command(contract.removeLabel, ({ session, params }) =>
    withLabels(session, async (known, { connection }) => {
      const { id, edit } = labelIn(known, params.id)
      await connection.changeSetting(changeOf({ id, edit: { ...edit, deleted: true } }))
      return { ok: true as const }
    }),
  ),

  listLabelled: command(contract.listLabelled, ({ session, params }) =>
    withLabels(session, async (known) => {
      labelIn(known, params.id)
      const { vault } = await session.memory()
      const its = known.put.filter(({ index }) => index[1] === params.id)
      return await Promise.all(
        its.map(async ({ index: [kind, , chat = "", message_id] }) => ({
          chat_id: await vault.phoneOf(chat),
          ...(kind === ofMessage && { message_id }),
        })),
      )
    }),
  ),

  labelChat: command(contract.labelChat, ({ session, params, query }) =>
    put(session, { ...params, ...query }, true),
  ),

  unlabelChat: command(contract.unlabelChat, ({ session, params, query }) =>
    put(session, { ...params, ...query }, false),
  ),
}

/** The labels of an account, and what has them. */
interface Known {
  /** By id. */
  labels: Label[]
  /** The greatest id of a label that there is or was. */
  lastId: number
  /** The settings of the chats and messages that have one. */
  put: Setting[]
}

const turns = new WeakMap<Connection, ReturnType<typeof newTurns>>()

/**
 * Does something with the labels, as the account's devices have them now. Changes take turns.
 * @throws ApiError `not_business`. NetworkRejected, NoAnswer
 */
async function withLabels<Result>(
  session: Session,
  work: (known: Known, connected: ConnectedSession) => Promise<Result>,
): Promise<Result> {
  return await session.use(async (connected) => {
    const { connection, own } = connected
    const phone = userOf(own.jid)
    if (!(await connection.registered([phone])).get(phone)?.isBusiness) throw new ApiError("not_business")
    const inTurn = turns.get(connection) ?? newTurns()
    turns.set(connection, inTurn)
    return await inTurn(async () =>
      work(knownIn(await connection.settings(collection, ["label_edit", ofChat, ofMessage])), connected),
    )
  })
}

function isLabel({ edit }: Label): boolean {
  return !edit.deleted && typesOfLabels.includes(edit.type)
}

function knownIn(settings: Setting[]): Known {
  const edits = settings.flatMap(({ index: [, id = ""], value: { labelEditAction: edit } }) =>
    edit ? [{ id, edit }] : [],
  )
  return {
    labels: edits.filter(isLabel).toSorted((a, b) => Number(a.id) - Number(b.id)),
    lastId: Math.max(0, ...edits.map(({ id }) => Number(id) || 0)),
    put: settings.filter(({ value }) => value.labelAssociationAction?.labeled),
  }
}

/** @throws ApiError `not_found` */
function labelIn({ labels: all }: Known, id: string): Label {
  const found = all.find((label) => label.id === id)
  if (found) return found
  throw new ApiError("not_found", "there is no such label: GET labels lists those that there are")
}

function labelWire({ id, edit: { name, color } }: Label) {
  return { id, name: name ?? "", color: color ?? 0 }
}

function changeOf({ id, edit }: Label): SettingChange {
  return { collection, index: ["label_edit", id], value: { labelEditAction: edit }, version }
}

/** Puts a label on a chat or a message, or takes it off, unless it is so. */
async function put(
  session: Session,
  asked: { id: string; chat: string; message_id?: string | undefined },
  labeled: boolean,
) {
  const memory = await session.memory()
  return await withLabels(session, async (known, connected) => {
    labelIn(known, asked.id)
    const jid = toJid(asked.chat)
    const names = await connected.namesOf(jid)
    const kind = asked.message_id === undefined ? ofChat : ofMessage
    const before = known.put.find(
      ({ index: [its, id, chat = "", message] }) =>
        its === kind && id === asked.id && names.has(chat) && message === asked.message_id,
    )
    if ((before !== undefined) === labeled) return { ok: true as const }
    const index = before?.index ?? [
      kind,
      asked.id,
      await nameInSettings(memory, jid),
      ...(asked.message_id === undefined
        ? []
        : await keyOf(connected, { id: asked.message_id, chat: asked.chat })),
    ]
    const value = { labelAssociationAction: { labeled } }
    await connected.connection.changeSetting({ collection, index, value, version })
    return { ok: true as const }
  })
}

/** The rest of a message's key, as settings have it. @throws ApiError `not_found` */
async function keyOf(connected: ConnectedSession, asked: { id: string; chat: string }): Promise<string[]> {
  const [message] = await findMessages(connected, asked)
  const { id, fromMe, sender } = message
  return [id, fromMe ? "1" : "0", isGroup(chatOf(message)) && !fromMe ? sender : "0"]
}
