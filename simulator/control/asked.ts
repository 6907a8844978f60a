import type { Desk } from "../phone/desk.ts"
import { child, type Node } from "../wire/node.ts"
import { ControlError } from "./errors.ts"

/** Asks the network as this phone; its refusal is the caller's. @throws ControlError */
export function asked(
  desk: Desk,
  { xmlns, content, to }: { xmlns: string; content: Node[]; to?: string },
): Node | undefined {
  const reply = desk.ask(xmlns, "set", content, to)
  const error = child(reply, "error")
  if (error) throw new ControlError(403, "refused", `the network refused: ${error.attrs.text ?? ""}`)
  return reply
}
