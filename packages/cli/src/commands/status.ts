import { BridgeError } from "../../../sdk-typescript/src/index.ts"
import { bridge, type Command } from "../command.ts"

export const status: Command = {
  takes: "",
  says: "says how a bridge stands, why and what to do, and what waits for delivery; ends with 1 if it is not connected",
  options: ["bridge"],
  run: async (asked) => {
    const shop = bridge(asked)
    const { explanation, state, reported } = await shop.getBridge()
    const session = state === "running" ? await shop.status({ retries: 0 }).catch(unlessSilent) : undefined
    const { waiting } = await shop.listDeliveries()
    const phone = session?.phone || reported?.phone
    const waits = `${waiting} ${waiting === 1 ? "event waits" : "events wait"} for delivery.`
    asked.print([explanation, phone && `Phone: +${phone}.`, waits].filter(Boolean).join(" "), {
      ...session,
      state,
      explanation,
      waiting,
    })
    return session?.status === "connected" ? 0 : 1
  },
}

/** The explanation says why a session does not answer. */
function unlessSilent(error: unknown): undefined {
  if (error instanceof BridgeError && error.code === "session_unavailable") return undefined
  throw error
}
