import * as contract from "#core/contract/message.ts"
import { locationOf } from "../messages/compose.ts"
import { sendCommand } from "./send.ts"

export const sendLocation = sendCommand(contract.sendLocation, (input, { context }) =>
  locationOf(input, context),
)
