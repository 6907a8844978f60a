import * as contract from "#core/contract/message.ts"
import { pollOf } from "../messages/compose.ts"
import { sendCommand } from "./send.ts"

export const sendPoll = sendCommand(contract.sendPoll, (input, { context }) =>
  pollOf({ ...input, maxAnswers: input.max_answers ?? 1 }, context),
)
