import { bridge, type Command } from "../command.ts"

export const status: Command = {
  takes: "",
  says: "says whether a bridge is connected, and what waits for delivery; ends with 1 if it is not connected",
  options: ["bridge"],
  run: async (asked) => {
    const shop = bridge(asked)
    const session = await shop.status()
    const { waiting } = await shop.listDeliveries()
    const about = [session.phone, session.objection, session.restriction].filter(Boolean).join(", ")
    asked.print(
      `${session.status}${about && ` (${about})`}, ${waiting} ${waiting === 1 ? "event waits" : "events wait"} for delivery`,
      {
        ...session,
        waiting,
      },
    )
    return session.status === "connected" ? 0 : 1
  },
}
