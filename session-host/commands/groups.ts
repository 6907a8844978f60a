import * as contract from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import type { HostCall } from "#core/lease/signed-call.ts"
import { addAndInvite, changeMembers } from "../groups/change-members.ts"
import { changeGroup, askForGroupChange } from "../groups/change-settings.ts"
import { createGroupOnce } from "../groups/create.ts"
import { askForGroupCard } from "../groups/group-card.ts"
import { wholeGroup } from "../groups/group.ts"
import { findGroupBehind, askForInvite, joinByLink, askForJoinRequests } from "../groups/invite.ts"
import { groupPage } from "../groups/list.ts"
import { orGroupRefusal, notInGroup } from "../groups/refusals.ts"
import { downloadAvatar } from "../media/avatar.ts"
import { removePicture, setPicture } from "../media/set-picture.ts"
import { el } from "../network/stanza.ts"
import { command } from "./command.ts"
import { jpegResponse } from "./contacts.ts"

export const groups = {
  listGroups: command(contract.listGroups, ({ session, query }) =>
    session.use((connected) => groupPage(connected, query)),
  ),

  createGroup: command(contract.createGroup, async ({ session, call, body }) => {
    const { answer, repeated } = await createGroupOnce(session, identified(call), body)
    return kept(answer, repeated)
  }),

  // These routes stand before the routes of one group: where the latter have a JID in their paths, these have
  // a word.
  lookAtInvite: command(contract.lookAtInvite, ({ session, query }) =>
    session.use((connected) => findGroupBehind(connected, query.link)),
  ),

  joinGroup: command(contract.joinGroup, ({ session, body }) =>
    session.use((connected) => joinByLink(connected, body.link)),
  ),

  getGroup: command(contract.getGroup, ({ session, params }) =>
    session.use(async ({ connection, own }) => {
      const card = await askForGroupCard(connection, params.jid)
      if (!card) throw notInGroup()
      return await wholeGroup(card, { own, connection })
    }),
  ),

  updateGroup: command(contract.updateGroup, ({ session, params, body }) =>
    session.use((connected) => changeGroup(connected, params.jid, body)),
  ),

  leaveGroup: command(contract.leaveGroup, async ({ session, params }) => {
    const leave = el("leave", {}, [el("group", { id: params.jid })])
    await session.use(({ connection }) => orGroupRefusal(askForGroupChange(connection, "@g.us", leave)))
    return { ok: true }
  }),

  groupAvatar: command(contract.groupAvatar, async ({ session, params }) =>
    jpegResponse(await session.use(({ connection }) => downloadAvatar(connection, params.jid))),
  ),

  setGroupAvatar: command(contract.setGroupAvatar, ({ session, params, body }) =>
    session.use(async (connected) => {
      // The group is looked up before the picture is fetched.
      if (!(await askForGroupCard(connected.connection, params.jid))) throw notInGroup()
      return await orGroupRefusal(setPicture(connected, body.url, params.jid))
    }),
  ),

  removeGroupAvatar: command(contract.removeGroupAvatar, async ({ session, params }) => {
    await session.use((connected) => orGroupRefusal(removePicture(connected, params.jid)))
    return { ok: true }
  }),

  addMembers: command(contract.addMembers, async ({ session, params, call, body }) => {
    const { answer, repeated } = await addAndInvite(session, identified(call), {
      group: params.jid,
      ...body,
    })
    return kept(answer, repeated)
  }),

  removeMembers: command(contract.removeMembers, ({ session, params, body }) =>
    session.use((connected) => changeMembers(connected, params.jid, "remove", body.members)),
  ),

  promoteMembers: command(contract.promoteMembers, ({ session, params, body }) =>
    session.use((connected) => changeMembers(connected, params.jid, "promote", body.members)),
  ),

  demoteMembers: command(contract.demoteMembers, ({ session, params, body }) =>
    session.use((connected) => changeMembers(connected, params.jid, "demote", body.members)),
  ),

  getInvite: command(contract.getInvite, async ({ session, params }) =>
    secret(await session.use(({ connection }) => askForInvite(connection, params.jid, false))),
  ),

  revokeInvite: command(contract.revokeInvite, async ({ session, params }) =>
    secret(await session.use(({ connection }) => askForInvite(connection, params.jid, true))),
  ),

  listJoinRequests: command(contract.listJoinRequests, ({ session, params }) =>
    session.use((connected) => askForJoinRequests(connected, params.jid)),
  ),

  approveRequests: command(contract.approveRequests, ({ session, params, body }) =>
    session.use((connected) => changeMembers(connected, params.jid, "approve", body.members)),
  ),

  rejectRequests: command(contract.rejectRequests, ({ session, params, body }) =>
    session.use((connected) => changeMembers(connected, params.jid, "reject", body.members)),
  ),
}

/**
 * The id that the API has chosen for a call, and whether no earlier call had it.
 * @throws ApiError `invalid_request`
 */
function identified({ messageId: id, isNew = false }: HostCall): { id: string; isNew: boolean } {
  if (!id) throw new ApiError("invalid_request", "the call names no id for what it makes")
  return { id, isNew }
}

/**
 * An answer that may contain a thousand people. It is kept in a row of the bridge, and a retry is answered
 * from there.
 */
function kept(answer: object, repeated: boolean): Response {
  const headers = { "x-send-kept": "true", ...(repeated && { "x-send-repeated": "true" }) }
  return Response.json(answer, { headers })
}

/** An answer that must not be cached, since a person who has a group's link may join the group. */
function secret(answer: object): Response {
  return Response.json(answer, { headers: { "cache-control": "no-store" } })
}
