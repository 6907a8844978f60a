import * as contract from "#core/contract/message.ts"
import { textOf } from "../messages/compose.ts"
import { sendCommand } from "./send.ts"

export const sendText = sendCommand(contract.sendText, (input, { context }) => textOf(input.body, context))
