import type { Context } from "hono"
import { AuditLog } from "#core/account/audit-log.ts"
import { addressOf } from "../http/address.ts"
import type { ApiEnv } from "../http/contract-router.ts"

/** Records what a program did. No mail is sent: programs do these things in the course of their work. */
export async function auditByKey(c: Context<ApiEnv>, act: AuditLog.Act, about: string): Promise<void> {
  const agent = c.req.header("user-agent") ?? ""
  const by = { by: "an API key", key_id: c.var.keyId }
  await AuditLog.recordAndMail(
    c.var.accountId,
    { ...by, act, about, address: addressOf(c), agent },
    { isQuiet: true },
  )
}
