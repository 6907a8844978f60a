import * as contract from "#contract/channel.ts"
import { ApiError } from "#core/error.ts"
import { findChannel, follow, listChannels, listPosts } from "../channels/channels.ts"
import { encodeBare } from "../network/decode.ts"
import { command } from "./command.ts"
import { sendAndAnswer } from "./send-command.ts"

export const channels = {
  listChannels: command(contract.listChannels, ({ session }) =>
    session.use(({ connection }) => listChannels(connection)),
  ),

  // This route stands before that of one channel: where the latter has a JID in its path, this has a word.
  findChannel: command(contract.findChannel, ({ session, query }) =>
    session.use(({ connection }) => findChannel(connection, query.link)),
  ),

  getChannel: command(contract.getChannel, ({ session, params }) =>
    session.use(({ connection }) => findChannel(connection, params.jid)),
  ),

  followChannel: command(contract.followChannel, async ({ session, params }) => {
    await session.use(({ connection }) => follow(connection, params.jid, true))
    return { ok: true }
  }),

  unfollowChannel: command(contract.unfollowChannel, async ({ session, params }) => {
    await session.use(({ connection }) => follow(connection, params.jid, false))
    return { ok: true }
  }),

  listPosts: command(contract.listPosts, ({ session, params, query }) =>
    session.use(({ connection }) => listPosts(connection, params.jid, query)),
  ),

  createPost: command(contract.createPost, (called) =>
    sendAndAnswer(called, async (connected) => {
      const { jid } = called.params
      const { role } = await findChannel(connected.connection, jid)
      if (role !== "owner" && role !== "admin")
        throw new ApiError("not_admin", "only the owner and the admins of a channel post there")
      await connected.pace(jid)
      // Nobody answers a post under a secret of it, so it has none.
      return { chat: jid, message: encodeBare({ extendedTextMessage: { text: called.body.body } }) }
    }),
  ),

  reactToPost: command(contract.reactToPost, async ({ session, params, body }) => {
    await session.use(({ connection }) =>
      connection.reactToPost({ channel: params.jid, number: params.number, emoji: body.emoji }),
    )
    return { ok: true }
  }),
}
