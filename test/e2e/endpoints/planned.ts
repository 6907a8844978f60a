import { expect } from "vitest"
import { z } from "zod"
import { until } from "#test/support/until.ts"
import type { CasesOf } from "./cases.ts"
import { ada, adaReads, hal, whole } from "./stage.ts"

const proxy = "/api/instances/shop/proxy"
const now = () => Math.floor(Date.now() / 1000)

/** Plans a message to Ada. @returns its id */
async function planned(body: string, inSeconds: number): Promise<string> {
  const asked = { chat: ada.number, body, send_at: now() + inSeconds }
  const answer = await whole.call("POST", `${proxy}/send/text`, asked)
  return z.object({ message_id: z.string() }).parse(await answer.json()).message_id
}

/** A job for tomorrow. @returns its id */
async function aJob(): Promise<string> {
  const asked = { messages: [{ chat: ada.number, body: "tomorrow" }], send_at: now() + 86_400 }
  const answer = await whole.call("POST", `${proxy}/jobs`, asked)
  return z.object({ id: z.string() }).parse(await answer.json()).id
}

export const planneds: CasesOf<"Planned"> = {
  listPlanned: async (ask) => {
    const id = await planned("later", 3600)
    expect((await ask({ with: { limit: 1 } })).json).toMatchObject([{ id, text: "later", state: "planned" }])
    await whole.call("DELETE", `${proxy}/planned/${id}`)
    const soon = await planned("soon", 1)
    await adaReads({ id: soon })
    await until(async () => {
      const { json } = await ask({ with: { state: "over", chat: ada.number } })
      return JSON.stringify(json).includes('"sent_at"')
    })
    const of = await aJob()
    expect((await ask({ with: { job: of } })).json).toMatchObject([{ job: of, text: "tomorrow" }])
  },
  getPlanned: async (ask) => {
    const id = await planned("later", 3600)
    expect((await ask({ with: { id } })).json).toMatchObject({ id, chat: ada.number, kind: "text" })
  },
  changePlanned: async (ask) => {
    const id = await planned("later", 3600)
    const body = { send_at: now() + 7200, valid_for: 60 }
    const valid_until = body.send_at + 60
    expect((await ask({ with: { id }, body })).json).toMatchObject({ send_at: body.send_at, valid_until })
  },
  cancelPlanned: async (ask) => {
    const id = await planned("never", 3600)
    await ask({ with: { id } })
    const { status } = await whole.call("DELETE", `${proxy}/planned/${id}`)
    expect(status).toBe(409)
  },
  createJob: async (ask) => {
    const fields = { name: "Ada" }
    const messages = [ada, hal].map(({ number }) => ({ chat: number, fields }))
    const body = { name: "Opening", template: "Hello {{name}}", messages, send_at: now() + 86_400 }
    expect((await ask({ body })).json).toMatchObject({ total: 2, left: 2, text: "Hello Ada" })
  },
  listJobs: async (ask) => {
    const id = await aJob()
    expect(JSON.stringify((await ask()).json)).toContain(id)
  },
  getJob: async (ask) => {
    const id = await aJob()
    expect((await ask({ with: { id } })).json).toMatchObject({ id, state: "running", left: 1 })
  },
  changeJob: async (ask) => {
    const id = await aJob()
    for (const state of ["paused", "running", "stopped"])
      expect((await ask({ with: { id }, body: { state } })).json).toMatchObject({ id, state })
  },
}
