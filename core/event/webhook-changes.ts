import type { Row } from "../store/store.ts"

/**
 * The condition that the webhooks of a bridge or an account, and their URLs, have changed so often and no
 * more. The count is in the row that names them.
 */
export function changesAre(seen: number): { condition: string; values: Row } {
  const counted = "webhook_changes = :seen"
  // Before the first change there may be no count.
  const condition = seen === 0 ? `(attribute_not_exists(webhook_changes) OR ${counted})` : counted
  return { condition, values: { ":seen": seen } }
}
