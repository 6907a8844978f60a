import { setTimeout as sleep } from "node:timers/promises"
import { BridgeError } from "../../../sdk-typescript/src/index.ts"
import { bridge, type Command } from "../command.ts"
import { inTerminal, modulesOf } from "../qr-picture.ts"

export const qr: Command = {
  takes: "",
  says: "shows the code with which a phone is linked, until it is; ends with 0 once it is linked",
  options: ["bridge"],
  run: async (asked) => {
    const { print, stop } = asked
    const shop = bridge(asked)
    let shown = ""
    while (!stop.aborted) {
      const { status, phone } = await shop.status({ signal: stop })
      if (status === "connected") return print(`linked to ${phone}`, { status, phone })
      const code = await shop.qr({ signal: stop }).catch(orLinkedNow)
      const picture = code && inTerminal(modulesOf(new Uint8Array(await code.arrayBuffer())))
      if (picture && picture !== shown)
        print(picture, { code: picture, expires_at: Number(code.headers.get("x-qr-expires")) })
      shown = picture ?? shown
      await sleep(2000, undefined, { signal: stop }).catch(() => "stopped")
    }
    return 1
  },
}

/** Between the scan and the connection there is no code. @throws whatever else it is */
function orLinkedNow(error: unknown): undefined {
  if (error instanceof BridgeError && error.code === "already_paired") return undefined
  throw error
}
