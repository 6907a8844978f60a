import { Hono } from "hono"
import { Bridge } from "#core/bridge/bridge.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { usageOf } from "#functions/api/account.ts"
import { page } from "./answer.ts"
import type { DashboardEnv } from "./guard.ts"
import { usagePage } from "./pages/usage.ts"

const dayMs = 86_400_000
/** How many days a page can show. */
const spans = ["7", "30", "90"] as const

/** The deliveries of the account's numbers, day by day. */
export const usage = new Hono<DashboardEnv>().get("/usage", async (c) => {
  const { accountId } = c.var
  const asked = c.req.query("days")
  const span = spans.find((one) => one === asked) ?? "30"
  const at = nowMs()
  const days = Array.from({ length: Number(span) }, (_, i) => iso(at - i * dayMs).slice(0, 10)).toReversed()
  const [rows, bridges] = await Promise.all([
    usageOf(accountId, { from: days[0] }),
    Bridge.list(accountId).then((all) => all.filter(Bridge.isOffered)),
  ])
  const refs = bridges.map(({ customerRef }) => customerRef)
  const ref = refs.find((one) => one === c.req.query("number"))
  const shown = ref === undefined ? rows : rows.filter(({ customer_ref }) => customer_ref === ref)
  const body = usagePage({ rows: shown, days, span, spans, refs, ref })
  return await page(c, { title: "Usage", place: "usage", body })
})
