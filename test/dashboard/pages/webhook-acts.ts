import { expect } from "vitest"

type Act = (act: string, form?: Record<string, string>) => Promise<string>

const secretOf = (page: string) => /whsec_[\w+/=]+/.exec(page.replaceAll("&#x2F;", "/"))?.[0]

/**
 * Lets a webhook choose its types, whether it heals, rest, go on, and get a new secret.
 * @param did what the page says after an act on it
 * @param shown the page of its secret
 */
export async function changeWebhook(did: Act, shown: () => Promise<string>): Promise<void> {
  expect(await did("/events", { events: "connected" })).toMatch(/Events: 1 of \d+ types/)
  expect(await did("/healing", { healing: "" })).toContain("sends nothing again by itself</summary>")
  expect(await did("/healing", { healing: "yes" })).toContain("After a failure: sends again by itself")
  expect(await did("/pause")).toContain('<span class="state warn">Paused</span>')
  expect(await did("/resume")).not.toContain("Paused")
  const before = secretOf(await shown())
  const after = secretOf(await did("/secret/roll"))
  expect([before === after, secretOf(await shown())]).toEqual([false, after])
  expect(await did("/secret/finish")).toContain("Only its new secret signs")
}
